# show --why prints no table of axes if only one variant was tried.
export GPUTUNE_DB=$PWD/x.db GPUTUNE_DRIVER=emu
$GPUTUNE warm axpy --size n=1000 --max-variants 1 >/dev/null 2>&1
$GPUTUNE show axpy --why 2>&1 | tail -5
# Which units a kernel uses is not known from the names in its code.
cat >k.cu <<END
#pragma gputune kernel(k) problem(n = 64K) args(out float y[n], in float x[n], int n) tune(B = 64, 128) block(B)
#pragma gputune grid(ceil_div(n, B)) work(flops = 3000 * n, bytes = 8 * n) reference(self)
__device__ float mma_sync(float x) { return x * x; }
__global__ void k(float *y, const float *x, int n)
{
    int i = blockIdx.x * B + threadIdx.x;
    if (i < n) y[i] = mma_sync(x[i]);
}
END
$GPUTUNE warm ./k.cu -q >/dev/null
$GPUTUNE show ./k.cu 2>&1 | grep -o 'latency.*\|compute.*\|memory-.*\|occup.*'
