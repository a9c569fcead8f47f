# doctor on the emulator: the checks that pass, and the problems that it finds without opening a tuner.
exec 2>&1
unset GPUTUNE_SANITIZED # the tests set it
doctor() {
    $GPUTUNE doctor --driver emu --format csv "$@" | sed "s|$PWD/||g" |
        awk -F, 'NR > 1 && !/^(headers|environment,ok|NVRTC|workers|GPU|templates)/ {print}'
}
doctor
$GPUTUNE warm axpy --driver emu -q -s n=1000 --only VEC=1 --only BLOCK=64 --only UNROLL=1 >/dev/null
doctor | sed 's/in [0-9.]* MB/in x MB/; s/version [0-9]*/version x/'
echo "GPUTUNE_DB is not a database, and other users may write it:"
echo "no database" >bad.db
chmod go+w bad.db
doctor --db bad.db
echo "no driver:"
$GPUTUNE doctor --driver /nowhere/libcuda.so.1 --format csv -q | grep '^driver,failure'
$GPUTUNE doctor --driver /nowhere/libcuda.so.1 -q >/dev/null
echo "exit $?"
echo "variables:"
GPUTUNE_DISABEL=1 GPUTUNE_FORCE=axpy:VEC=1 GPUTUNE_COMPILE_MEMORY=18446744073709551615 GPUTUNE_WORKER=/none GPUTUNE_TEMPLATES=/none \
    $GPUTUNE doctor --driver emu --format csv | grep 'warning\|failure'
echo "doctor knows every variable in the man page:"
(
    for variable in $(grep -oE 'GPUTUNE_[A-Z_]+' "$(dirname "$0")/../../../tools/man/gputune.1"); do
        export "$variable="
    done
    $GPUTUNE doctor --driver emu --format csv 2>/dev/null | grep 'is not a gputune variable'
    echo "exit $?"
)
echo "an include path that does not exist:"
$GPUTUNE doctor --driver emu --include /nowhere --format csv -q | grep '^headers,failure'
echo "without a device:"
$GPUTUNE doctor --driver emu --device none --format csv -q | grep '^driver\|^GPU\|failure' || echo nothing
