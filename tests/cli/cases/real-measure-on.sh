# a measure worker that a command starts: winners are the same, and what goes wrong there is said in one line
exec 2>&1
export MARK="$PWD"
. "${0%/*}/../left.sh"
warm() { # DATABASE OPTION...
    database=$1
    shift
    $GPUTUNE warm axpy --driver emu --db "$database" --size n=1000 --only VEC=1,8 --only UNROLL=1 --cache hot --format csv "$@" >rows
    code=$?
    cut -d, -f1-5,14-16 <rows
    return $code
}
cat >ssh <<'SSH'
#!/bin/sh
host=$1
shift
echo "$host" >>connections
echo "Welcome to $host" # a .bashrc that speaks
case $host in
unknown) echo "ssh: Could not resolve hostname $host: Name or service not known" >&2 && exit 255 ;;
locked) echo "$host: Permission denied (publickey)." >&2 && exit 255 ;;
full) echo "bash: line 1: $1: No space left on device" >&2 && exit 126 ;;
motd) exit 0 ;;
old) cat old && exec sleep 100 ;;
esac
times=$(grep -c "$host" connections)
[ $host$times != gone2 ] || { echo "ssh: connect to host gone port 22: Connection refused" >&2 && exit 255; }
if [ $host$times = shaky1 ] || [ $host = gone ]; then
    exec 3<&0
    { "$@" <&3 & echo $! >worker; wait; } | # cut in the middle of a frame
        { dd bs=1 count=3000 2>/dev/null; kill -9 "$(cat worker)"; }
    echo "Connection to $host closed by remote host." >&2
    exit 255
fi
exec sh -c "$*" # as the remote shell
SSH
chmod +x ssh
$GPUTUNE_WORKER --role measure --ordinal 0 --driver emu --stdio </dev/null | head -c 100 |
    LC_ALL=C sed 's|[0-9.]*/................|0.0.9/0123456789abcdef|' >old
warm one.db >one
for host in near shaky; do
    warm $host.db --measure-on "./ssh $host" >out
    cmp one out && echo "$host: the same"
    grep -c $host connections
done
$GPUTUNE show axpy --db near.db --driver emu -q --format csv | cut -d, -f1-4
echo == what goes wrong there
for host in unknown locked full motd old; do
    warm none.db --measure-on "./ssh $host" 2>&1 | sed "s|$GPUTUNE_WORKER|WORKER|g; s|gputune [^ ]*, but|gputune X, but|; s|is [^ ]*; install|is Y; install|"
done
warm none.db --driver cuda --measure-on "./ssh near" 2>&1 | sed 's/: libcuda.*;/: ...;/'
warm none.db --device 7 --measure-on "./ssh near" 2>&1 | sed 's/GPU-[^)]*/UUID/'
echo == cut in the middle, and not there again
warm gone.db --measure-on "./ssh gone" -q 2>errors
echo "exit code $?"
sed "s|$GPUTUNE_WORKER|WORKER|g" errors
warm gone.db >again
cmp one again && echo "the same"
echo == mistakes
for option in '--gpus 0' --compile-only '--device GPU-1'; do
    warm none.db --measure-on "./ssh near" $option
    echo "exit code $?"
done
warm none.db --measure-on ''
echo "exit code $?"
echo == killed
for command in 'sh -c "echo >>started; exec \"\$@\"" sh' 'sh -c "echo >>started; sleep 1000; : pretend" sh'; do
    rm -f started
    $GPUTUNE warm gemm --driver emu -q --db killed.db --size m=256 --size n=256 --size k=256 --measure-on "$command" >/dev/null &
    host=$!
    until [ -e started ]; do
        sleep 0.05
    done
    [ -n "$(left)" ] && echo "it runs"
    kill -9 $host
    wait $host 2>/dev/null
    left_in_the_end
done
true
