# Several GPUs: equal ones divide the scenarios, and each model has its own winners.
exec 2>&1
# Cached compiles would be too fast: the processes must work at the same time.
export COMPILE_SLOWLY=1 GPUTUNE_EMU_DEVICES=h200,h200,a100
warm() { # DATABASE OPTION...
    database=$1
    shift
    $GPUTUNE warm axpy copy --driver emu -q --db "$database" --size n=1000,3000 --only VEC=1 --only BLOCK=256 \
        --only UNROLL=1,4 --only CACHE=cached --format csv "$@"
}
stable() { # leaves out columns that depend on time
    cut -d, -f1-5,14-16,24
}
warm one.db | stable >one
warm two.db --gpus 0,1 | stable >two
cat two
cmp one two && echo "with two GPUs, the winners are the same as with one"
echo == again, with a GPU of another model
warm two.db --gpus all | cut -d, -f16 | sort | uniq -c
$GPUTUNE show --driver emu -q --db two.db --all --format csv | tail -n +2 | wc -l
$GPUTUNE show --driver emu -q --db one.db --all --format csv | tail -n +2 | wc -l
echo == as a table
$GPUTUNE warm axpy --driver emu -q --db two.db --size n=1000 --only VEC=1 --only BLOCK=64,256 --only UNROLL=1 --cache hot \
    --gpus 2,1 | cut -c1-58
echo == mistakes
for which in 0,9 x 0,0 '' 0,; do
    warm none.db --gpus "$which"
    echo "exit $?"
done
warm none.db --gpus all --device 0
warm none.db --gpus all --compile-only
warm none.db --gpus all --samples x
