export GPUTUNE_DB=:memory:
$GPUTUNE space axpy --arch sm_90 --only VEC=1,2,4 --only UNROLL=1,2,3,4,5,6,7,8 --format csv | sed -n 1,2p
# Clusters need compute capability 9.0.
$GPUTUNE space histogram --arch sm_80 --format csv | grep '^CLUSTER' | cut -d, -f1-4
# Parameters beyond 4096 bytes need a driver for CUDA 12.1.
for count in 500 8000; do
    GPUTUNE_EMU_SET=driver_version=12000 $GPUTUNE space paramsum --driver emu:h200 --size COUNT=$count --format csv |
        grep '^values,.*value,'
done
# space lists values that --only excludes, and values that it adds.
$GPUTUNE space axpy --arch sm_90 --only BLOCK=96,256 --format csv | grep BLOCK
# An axis that is only a kernel argument does not change the source.
cat >given.cu <<'F'
#pragma gputune kernel(index) problem(n = 4096) args(out float y[n], int n)
#pragma gputune tune(BLOCK = 128, 256) tune(EACH = 1, 2, 3)
#pragma gputune launch(fill, block = BLOCK, grid = ceil_div(n, BLOCK * EACH), args = (y, n, EACH))
#pragma gputune reference(y[i] = i)
__global__ void fill(float *y, int n, int each)
{
    int first = (blockIdx.x * BLOCK + threadIdx.x) * each;
    for (int i = first; i < n && i < first + each; i++) y[i] = i;
}
F
$GPUTUNE space ./given.cu --arch sm_90 --format csv | sed -n 2p
exit_of $GPUTUNE space axpy --arch sm_12
$GPUTUNE space axpi --arch sm_90
