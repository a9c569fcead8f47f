# forget deletes the results of a kernel at one size or on one GPU.
exec 2>&1
$GPUTUNE warm axpy --driver emu -q -s n=1000,2000 --only VEC=1 --only BLOCK=64 --only UNROLL=1 >/dev/null
sizes() {
    $GPUTUNE show axpy --driver emu -q --format csv "$@" | cut -d, -f2 | tail -n +2
}
$GPUTUNE forget axpy --driver emu -n -s n=1000 --format csv | cut -d, -f1,2
sizes
$GPUTUNE forget axpy --driver emu -s n=1000 --format csv | cut -d, -f1,2
sizes
echo "nothing matches, or an argument is wrong:"
exit_of $GPUTUNE forget axpy --driver emu -s n=1000
exit_of $GPUTUNE forget axpy --driver emu --gpu nothing
exit_of $GPUTUNE forget axpi --driver emu
exit_of $GPUTUNE forget axpy --driver emu --size n
GPUTUNE_DB=none.db $GPUTUNE forget axpy --driver emu
ls none.db
sizes --size n=2000
$GPUTUNE forget axpy --driver emu -q >/dev/null
exit_of $GPUTUNE show --driver emu -q
