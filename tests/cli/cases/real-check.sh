# check finds a race in a kernel that is its own reference, although its results vary.
export GPUTUNE_DRIVER=emu:h200 GPUTUNE_DB=$PWD/table.db
cat >smooth.cu <<'CU'
#pragma gputune kernel(smooth)
#pragma gputune problem(n = 256)
#pragma gputune args(out float y[n], in float x[n], int n)
#pragma gputune block(64)
#pragma gputune grid(ceil_div(n, 64))
#pragma gputune reference(self)
__global__ void smooth(float *y, const float *x, int n)
{
    __shared__ float tile[64 + 1];
    int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x + 1] = i < n ? x[i] : 0;
    if (threadIdx.x == 0)
        tile[0] = i > 0 ? x[i - 1] : 0;
    if (i < n)
        y[i] = tile[threadIdx.x] + tile[threadIdx.x + 1];
}
CU
exit_of $GPUTUNE check smooth.cu
