# a narrowed space is raced anew: what the wider space's winner beat may win here, and is the same
# that wins where nothing is remembered
export GPUTUNE_DB=$PWD/x.db
tune() {
    $GPUTUNE warm paramsum --driver emu:h200 -q --format csv "$@" | tail -n +2 |
        cut -d, -f4,16
}
tune
tune --only UNROLL=1,2,4
tune --only UNROLL=1,2,4
export GPUTUNE_DB=$PWD/y.db
tune --only UNROLL=1,2,4
