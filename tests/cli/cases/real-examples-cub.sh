# The examples that include CUB can be tuned. They take seconds to compile, so they have a case of their own.
try() { # FILE SIZE VARIANTS
    $GPUTUNE warm "$(dirname "$0")/../../../examples/$1" --size "$2" --driver emu --max-variants "$3" -q \
        --format csv | tail -n +2 | cut -d, -f1,2
}
try block_reduce.cu "rows=8 columns=100" 2
try expdist.cu "m=133 n=75" 1
