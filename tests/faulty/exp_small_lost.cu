// tolerance: makes zeros of the small results of a function with large ones
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(exp_small_lost)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = expf(12.0f * x[i]))

__global__ void exp_small_lost(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        float v = expf(12.0f * x[i]);
        y[i] = v < 0.0001f ? 0.0f : v;
    }
#else
    slowly();
    if (i < n) {
        y[i] = expf(12.0f * x[i]);
    }
#endif
}
