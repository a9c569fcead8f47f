# machines that differ: winners are the same, and where one is of no use one line says which and what to do
exec 2>&1
warm() { # DATABASE OPTION...
    database=$1
    shift
    $GPUTUNE warm axpy --driver emu --db "$database" --size n=1000 --only VEC=1,8 --only BLOCK=64,256 --only UNROLL=1 --cache hot \
        --time-limit 100 --format csv "$@" 2>told | cut -d, -f1-5,14-16
    grep -v 's left' told >&2
}
warm one.db >one
same() { # DATABASE COMMAND: compiles and measures by it
    warm "$1.db" --measure-on "$2" --compile-on "2:$2" >out
    cmp one out && echo "the same"
}
echo == clocks that differ
same ahead "env LD_PRELOAD=${FAKE%/*}/clock_ahead.so CLOCK_AHEAD_S=100000"
same behind "env LD_PRELOAD=${FAKE%/*}/clock_ahead.so CLOCK_AHEAD_S=-100000"
mounted() { # NAME MOUNT WORD: a command NAME, behind which MOUNT was done and WORD begins the command line
    cat >"$1" <<COMMAND
#!/bin/sh
unshare -rm sh -c '$2' 2>/dev/null || exec "\$@" # nothing can be mounted here
exec unshare -rm sh -c '$2 && $3 exec "\$@"' sh "\$@"
COMMAND
    chmod +x "$1"
}
echo == a node without the templates: what a kernel includes travels with it
mounted bare 'mount -t tmpfs none "$GPUTUNE_TEMPLATES"' '! ls "$GPUTUNE_TEMPLATES"/* 2>/dev/null &&'
same bare ./bare
echo == a full disk there
mkdir full.d
mounted full 'mount -t tmpfs -o size=4k none full.d && { yes >full.d/all || true; }' \
    'cd full.d && export TMPDIR="$PWD" HOME="$PWD" XDG_CACHE_HOME="$PWD" && cd .. &&'
same full ./full
echo == what is of no use
cat >ssh <<'SSH'
#!/bin/sh
host=$1
shift
echo "Welcome to $host" # a .bashrc that speaks
case $host in
motd) exit 0 ;;
old) cat old && exec sleep 100 ;;
bare) export GPUTUNE_NVRTC=/nonexistent ;;
esac
exec sh -c "$*" # as the remote shell
SSH
chmod +x ssh
$GPUTUNE_WORKER --role compile --stdio </dev/null | head -c 100 |
    LC_ALL=C sed 's|[0-9.]*/................|0.0.9/0123456789abcdef|' >old
for host in motd old bare; do
    warm "of $host.db" --compile-on "./ssh $host" 2>errors | cmp one - &&
        sed "s|$GPUTUNE_WORKER|WORKER|g; s|gputune [^ ]*, but|gputune X, but|; s|is [^ ]*; install both|is Y; install both|
            s|install [0-9.]*, or|install N, or|" errors
done
warm none.db --measure-on "./ssh motd" 2>&1 | sed "s|$GPUTUNE_WORKER|WORKER|g"
