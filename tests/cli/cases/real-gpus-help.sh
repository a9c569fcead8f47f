# a GPU without a scenario takes part in another's search, and a slow one of a kind is left out
exec 2>&1
# who compiles for whom depends on how long that takes
export COMPILE_SLOWLY=1 GPUTUNE_EMU_DEVICES=h200,h200
what() { # without what a clock decides
    cut -d, -f1-5,14-16,24
}
echo == fewer scenarios than GPUs: the others take part in the search
helped() { # OPTION...
    $GPUTUNE warm axpy --driver emu -v --size n=16384 --only VEC=1,4 --only BLOCK=64,128,256,512 --only UNROLL=1,2,4,8 "$@" --format csv 2>said | what
    grep -E "takes part|are equal" said | sort
    sed -n 's/.*\(GPU 1 launched\) [1-9][0-9]* \(variants first\).*/\1 some \2/p' said
}
helped --db three.db --gpus 0 | grep -v GPU >alone
helped --db four.db --gpus 0,1 >all
cat all
grep -v GPU all >both
cmp alone both && echo "the same as on one"
echo == a slow one of a kind is left out
export GPUTUNE_EMU_DEVICES='h200,h200*1.4'
helped --db five.db --gpus all
no_work() {
    grep 'no more work' said | sed 's/takes [0-9.]* times/takes N times/'
}
no_work
echo == and what it had begun is tuned by another
divided() { # OPTION...
    $GPUTUNE warm axpy copy --driver emu --size n=1000,3000 --only VEC=1 --only BLOCK=64,256 --only UNROLL=1 \
        --only CACHE=cached --cache hot "$@" --format csv 2>said | what
}
divided --db six.db --gpus 1,0 >six
no_work
divided --db seven.db --gpus 0 >seven
cmp seven six && echo "the same as on one"
