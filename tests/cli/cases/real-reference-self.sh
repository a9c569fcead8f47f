# reference(self) uses one configuration as the reference of the others.
export GPUTUNE_DB=:memory:
template() { # REFERENCE
    cat >k.cu <<END
#pragma gputune kernel(k) problem(n = 1000) tune(WAY = plain, fast, sloppy) tune(BLOCK = 64, 128)
#pragma gputune args(inout float y[n], in float x[n], int n) block(BLOCK) grid(ceil_div(n, BLOCK))
#pragma gputune scratch(int turns[grid_x]) default(WAY = sloppy)
#pragma gputune $1
__global__ void k(float *y, const float *x, int n, int *turns)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    turns[blockIdx.x] = n;
    if (i < n) y[i] += WAY_plain ? x[i] + x[i] : WAY_fast ? 2 * x[i] : 2.01f * x[i];
}
END
    $GPUTUNE run ./k.cu --driver emu -q --format csv -c WAY=plain,BLOCK=64 -c WAY=fast -c WAY=sloppy |
        tail -n +2 | cut -d, -f8,9
}
template 'reference(self, WAY = plain, BLOCK = 128)'
echo atol
template 'reference(self, WAY = plain, atol = 1)'
template 'reference(self, WAY = other)'
template 'reference(self, WAYS = plain)'
template 'reference(self, WAY = plain, WAY = fast)'
template 'reference(self) cluster(SIZE = 2, 1)'
template 'reference(self, SIZE = 1, WAY = plain) cluster(SIZE = 2, 1)'
template 'reference(self) check(k)'
# A pipeline can be its own reference.
cat >pipeline.cu <<'END'
#pragma gputune kernel(total) problem(n = 5000) tune(WAY = plain, short, sloppy) tune(BLOCK = 64, 128)
#pragma gputune args(out float y[n], in float x[n], int n) scratch(float sums[64])
#pragma gputune launch(sum, block = BLOCK, grid = 64, args = (sums, x, n))
#pragma gputune launch(divide, block = BLOCK, grid = ceil_div(n, BLOCK))
#pragma gputune launch(twice, block = 256, grid = 8, args = (y, n), times = 2)
#pragma gputune reference(self, WAY = plain, BLOCK = 128) default(WAY = short)
__global__ void sum(float *sums, const float *x, int n)
{
    float sum = 0;
    for (int i = blockIdx.x + (threadIdx.x ? n : 0); i < n; i += gridDim.x) sum += fabsf(x[i]);
    if (threadIdx.x == 0) sums[blockIdx.x] = WAY_sloppy ? 1.01f * sum : sum;
}
__global__ void divide(float *y, const float *x, int n, const float *sums)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 64; k++) sum += sums[WAY_short ? 63 - k : k];
    if (i < n) y[i] = x[i] / sum * n;
}
__global__ void twice(float *y, int n)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) y[i] *= 2;
}
END
$GPUTUNE run ./pipeline.cu --driver emu -q --format csv -c WAY=plain,BLOCK=64 -c WAY=short -c WAY=sloppy |
    tail -n +2 | cut -d, -f8,9
# A kernel that synchronises its grid and has a parameter block can be its own reference.
cat >turn.cu <<'END'
#include "gputune.cuh"
#pragma gputune kernel(turn) problem(n = 3000) tune(BLOCK = 64, 128) tune(WAY = right, sloppy)
#pragma gputune args(inout float y[n], int n) scratch(float next[n]) cooperative()
#pragma gputune pass(factor : float[1] = value, constant, global : constant(3))
#pragma gputune block(BLOCK) grid(ceil_div(n, BLOCK)) reference(self, BLOCK = 64)
__global__ void turn(GPUTUNE_PARAM(factor) float *y, int n, float *next)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) next[i] = y[n - 1 - i] * (factor(0) + WAY_sloppy * 0.01f);
    gputune_grid_sync();
    if (i < n) y[i] = next[i];
}
END
$GPUTUNE run ./turn.cu --driver emu -q --format csv -c factor=constant -c factor=global,BLOCK=128 -c WAY=sloppy |
    tail -n +2 | cut -d, -f8,9
