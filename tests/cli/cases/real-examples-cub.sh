# the examples that include CUB, which compile for seconds
export GPUTUNE_DB=$PWD/x.db
try() {
    $GPUTUNE warm "$(dirname "$0")/../../../examples/$1" --size "$2" --driver emu --max-variants 2 -q \
        --format csv | tail -n +2 | cut -d, -f1,2
}
try block_reduce.cu "rows=8 columns=100"
try expdist.cu "m=133 n=75"
