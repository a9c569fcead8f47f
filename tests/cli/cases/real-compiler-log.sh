# With --verbose, every command that compiles a variant prints the compiler's whole log.
export GPUTUNE_DB=:memory:
bad="$(dirname "$0")/../../poisoned/bad.cu" some=$bad:no_compile
sed 's/^#if BAD/#if BAD >= 0/' "$bad" >all.cu
for verbose in "" -v; do
    for command in "warm ./all.cu:no_compile" "warm $some" "run $some -c BAD=1" "run $some -c BAD=0 -c BAD=1" \
        "run ./all.cu:no_compile" "emit $some -c BAD=1 --as ptx" \
        "emit $some -c BAD=1 --as cubin"; do
        $GPUTUNE $command $verbose --driver emu -s n=1000 2>&1 >/dev/null | grep -c 'this is no CUDA;'
    done
done
