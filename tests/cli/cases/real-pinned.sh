# warm --pinned shows what a file of wisdom has, and tunes nothing.
export GPUTUNE_DRIVER=emu:h200 GPUTUNE_DB=$PWD/x.db
show() {
    $GPUTUNE warm axpy -q --format csv "$@" >rows
    echo "exit $?"
    tail -n +2 rows | cut -d, -f 2,4,16
}
$GPUTUNE warm axpy -q --size n=4K,8K --only BLOCK=128,256 --only UNROLL=1 >table
$GPUTUNE wisdom export axpy --size n=4K --whole -o some.wisdom 2>/dev/null
show --size n=4K --pinned some.wisdom
show --size n=4K,8K --pinned some.wisdom
show --size n=4K --pinned nosuch.wisdom
show --size n=4K --pinned table
show --size n=4K --pinned some.wisdom --report page.html
show --size n=4K --pinned some.wisdom --db x.db
