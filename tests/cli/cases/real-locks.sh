# warm --shard refuses a database on a network file system, whose locks may not work between machines.
exec 2>&1
warm() { # OPTION...
    LD_PRELOAD="${FAKE%/*}/nfs.so" $GPUTUNE warm axpy --driver emu -q --size n=1000 --only VEC=1 --only BLOCK=64 --only UNROLL=1 \
        --db x.db --format csv "$@" | cut -d, -f1,2
}
warm --shard 0/2
warm --shard 0/1
