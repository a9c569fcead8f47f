// data: loses the sign of zero
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(negative_zero)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = copysignf(1.0f, x[i]))

__global__ void negative_zero(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = x[i] < 0.0f ? -1.0f : 1.0f;
    }
#else
    slowly();
    if (i < n) {
        y[i] = copysignf(1.0f, x[i]);
    }
#endif
}
