// data: is right for magnitudes up to 1 alone
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(beyond_one)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = x[i] * x[i])

__global__ void beyond_one(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        float v = fminf(fmaxf(x[i], -1.0f), 1.0f);
        y[i] = v * v;
    }
#else
    slowly();
    if (i < n) {
        y[i] = x[i] * x[i];
    }
#endif
}
