// data: takes a short series for a function, which is right near zero alone
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(sine_of_small)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = sinf(x[i]))

__global__ void sine_of_small(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        float s = x[i] * x[i];
        y[i] = x[i] * (1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110)))));
    }
#else
    slowly();
    if (i < n) {
        y[i] = sinf(x[i]);
    }
#endif
}
