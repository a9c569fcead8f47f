# show has the widths of loads and stores in the machine code, and marks those narrower than declared.
export GPUTUNE_DB=$PWD/x.db
template=$(dirname "$0")/../../language/narrow.cu
columns() {
    grep -o '"configuration": "[^"]*"\|"load_bits": [^,]*\|"store_bits": [^,]*\|"vector_bytes": [^,]*\|"narrow": [a-z]*' |
        paste -sd ' ' | sed 's/ "configuration/\n"configuration/g' | sort
}
$GPUTUNE warm "$template" --driver emu -q >/dev/null
$GPUTUNE warm copy --driver emu -q --size n=4096 --only VEC=4 --only BLOCK=256 --only UNROLL=1 >/dev/null
$GPUTUNE show "$template" --driver emu -q --all --format json | columns
$GPUTUNE show copy --driver emu -q --all --format json | columns
$GPUTUNE show "$template" --driver emu -q --all | grep -c ", narrow"
