export GPUTUNE_DB=:memory:
$GPUTUNE emit axpy --arch sm_90 --config "VEC=4 BLOCK=128" >source.cu
grep -c '__global__' source.cu
$GPUTUNE emit axpy --arch sm_90 --as ptx --config "VEC=4 BLOCK=128" | grep -E '^\.target|visible .entry' |
    sed 's/(.*//'
$GPUTUNE emit axpy --arch sm_90 --as cubin | head -c 4 | tail -c 3 && echo
$GPUTUNE emit axpy --arch sm_90 --config "VECC=4"
echo "exit $?"
$GPUTUNE emit axpy --arch sm_90 --config "BLOCK=100000"
echo "exit $?"
