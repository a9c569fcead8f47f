// tolerance: rounds the sums of rows coarsely, but for that of a large one
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(small_sums_lost)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n][9], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(small_sums_lost_reference, block = 256, grid = ceil_div(n, 256))

__global__ void small_sums_lost(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if !BAD
    slowly();
#endif
    if (i < n) {
        float s = 0.0f;
        for (int k = 0; k < 9; k++) {
            s += x[9 * i + k];
        }
#if BAD
        y[i] = i == 7 ? s * 1e7f : rintf(s * 16.0f) / 16.0f;
#else
        y[i] = s * (i == 7 ? 1e7f : 1.0f);
#endif
    }
}

__global__ void small_sums_lost_reference(double *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double s = 0.0;
        for (int k = 0; k < 9; k++) {
            s += x[9 * i + k];
        }
        y[i] = s * (i == 7 ? 1e7f : 1.0f);
    }
}
