# a command lives with a stack of 64 KB, its compiler with more, and beside what a preloaded library reserves;
# why the emulator does not start
export GPUTUNE_DB=:memory: GPUTUNE_DRIVER=emu
ulimit -s 64
$GPUTUNE run axpy --size n=4096 --format csv | cut -d, -f1,2
LD_PRELOAD=${FAKE%/*}/reserves.so $GPUTUNE run axpy --size n=4096 --format csv | cut -d, -f1,2
ulimit -v 2000000
$GPUTUNE devices
