// data: takes exp() of numbers that it does not shift, so that those beyond 88 overflow
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(overflow_of_exp)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 1.0f / (1.0f + expf(-x[i])))

__global__ void overflow_of_exp(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = expf(x[i]) / (1.0f + expf(x[i]));
    }
#else
    slowly();
    if (i < n) {
        y[i] = 1.0f / (1.0f + expf(-x[i]));
    }
#endif
}
