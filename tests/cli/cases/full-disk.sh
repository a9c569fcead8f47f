echo old >old
(trap '' XFSZ; ulimit -f 0; $FAKE emit axpy -o old) 2>&1 | cat >&2
cat old*
$FAKE kernels >/dev/full
$FAKE emit axpy >/dev/full
