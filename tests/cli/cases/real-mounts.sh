# a machine without templates, or with a full disk: winners are the same
exec 2>&1
unshare -rm mount -t tmpfs none /mnt 2>/dev/null || { echo "nothing can be mounted here" && exit 77; }
. "${0%/*}/../elsewhere.sh"
mounted() { # NAME MOUNT WORD: a command NAME, behind which MOUNT was done and WORD begins the command line
    cat >"$1" <<COMMAND
#!/bin/sh
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
