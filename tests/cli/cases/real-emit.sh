export GPUTUNE_DB=:memory:
$GPUTUNE emit axpy --arch sm_90 --config "VEC=4 BLOCK=128" >source.cu
grep -c '__global__' source.cu
# `source` has the part of the prelude that the kernel uses; `whole` has all of it.
grep -c 'gputune_each\|gputune_grid_sync\|M_PI\|#line' source.cu
$GPUTUNE emit axpy --arch sm_90 --as whole | grep -c 'gputune_grid_sync()\|define M_PI \|^#line'
# nvcc compiles the source too.
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
for kernel in axpy gemm_bf16 polynomial; do
    $GPUTUNE emit $kernel --arch sm_90 >$kernel.cu
    [ ! -x "$nvcc" ] || "$nvcc" -std=c++17 -arch=sm_90a -ptx -o /dev/null $kernel.cu >log 2>&1 || cat log
done
$GPUTUNE emit axpy --arch sm_90 --as ptx --config "VEC=4 BLOCK=128" | grep -E '^\.target|visible .entry' |
    sed 's/(.*//'
$GPUTUNE emit axpy --arch sm_90 --as cubin | head -c 4 | tail -c 3 && echo
exit_of $GPUTUNE emit axpy --arch sm_90 --config "VECC=4"
exit_of $GPUTUNE emit axpy --arch sm_90 --config "BLOCK=100000"
