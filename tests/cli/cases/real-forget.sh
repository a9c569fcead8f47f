# forget deletes the results of a kernel at one size or on one GPU.
exec 2>&1
export GPUTUNE_DB=$PWD/x.db
$GPUTUNE warm axpy --driver emu -q -s n=1000,2000 --only VEC=1 --only BLOCK=64 --only UNROLL=1 >/dev/null
sizes() {
    $GPUTUNE show axpy --driver emu -q --format csv "$@" | cut -d, -f2 | tail -n +2
}
$GPUTUNE forget axpy --driver emu -n -s n=1000 --format csv | cut -d, -f1,2
sizes
$GPUTUNE forget axpy --driver emu -s n=1000 --format csv | cut -d, -f1,2
sizes
echo "nothing matches, or an argument is wrong:"
$GPUTUNE forget axpy --driver emu -s n=1000
echo "exit $?"
$GPUTUNE forget axpy --driver emu --gpu nothing
echo "exit $?"
$GPUTUNE forget axpi --driver emu
echo "exit $?"
$GPUTUNE forget axpy --driver emu --size n
echo "exit $?"
sizes --size n=2000
$GPUTUNE forget axpy --driver emu -q >/dev/null
$GPUTUNE show --driver emu -q
echo "exit $?"
