# Configurations of start() clauses and of --start are tried first; adding one keeps stored results.
export GPUTUNE_DRIVER=emu:h200 GPUTUNE_DB=$PWD/x.db
edit() {
    sed "s/^#pragma gputune default.*/&\n#pragma gputune $1/" "$GPUTUNE_TEMPLATES/axpy.cu" >mine.cu
}
trials() {
    $GPUTUNE show ./mine.cu --all --format json 2>/dev/null |
        sed -n 's/.*"configuration": "\([^"]*\)".*"is_start": \([a-z]*\).*/\1 \2/p' | sort
}
edit "start(VEC = 4) start(BLOCK = 1024, UNROLL = 8)"
$GPUTUNE warm ./mine.cu -q --size n=4K -m 4 --start "VEC=8,BLOCK=64" >table
trials
$GPUTUNE show ./mine.cu --why 2>/dev/null | grep -o "started from.*" | sed 's/[0-9.]* µs/TIME/g; s/, best//'
# the winner stays; with the restriction, what is left out is reported
edit "start(VEC = 2)"
$GPUTUNE warm ./mine.cu -q --size n=4K -m 4 --format csv | grep -c cached
$GPUTUNE warm ./mine.cu -v --size n=4K --only VEC=1 --only UNROLL=1 2>&1 >table | grep skipped
# mistakes
for start in "VEC=3" "VECC=4" "VEC" "VEC=2,4"; do
    exit_of $GPUTUNE warm ./mine.cu -q --size n=4K --start "$start"
done
exit_of $GPUTUNE warm ./mine.cu gemm -q --start "VEC=2 BM=64"
exit_of $GPUTUNE warm --canonical --start "VEC=2" axpy
edit "start(VEC = 3)"
exit_of $GPUTUNE warm ./mine.cu -q
