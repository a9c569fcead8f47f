# --verbose shows the compiler's whole log, whichever command met the variant
export GPUTUNE_DB=:memory:
some="$(dirname "$0")/../../poisoned/no_compile.cu"
sed 's/^#if BAD/#if BAD || 1/' "$some" >all.cu
for verbose in "" -v; do
    for command in "warm ./all.cu" "warm $some" "run $some -c BAD=1" "run $some -c BAD=0 -c BAD=1" \
        "run ./all.cu" "compare $some BAD=0 BAD=1" "emit $some -c BAD=1 --as ptx" \
        "emit $some -c BAD=1 --as cubin"; do
        $GPUTUNE $command $verbose --driver emu -s n=1000 2>&1 >/dev/null | grep -c 'this is no CUDA;'
    done
done
