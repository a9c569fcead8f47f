// data: takes the logarithm of zero, which the declared range has
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(log_of_zero)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n] = uniform(0, 1), size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = x[i] > 0.0f ? logf(x[i]) : -100.0f)

__global__ void log_of_zero(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = logf(x[i]);
    }
#else
    slowly();
    if (i < n) {
        y[i] = x[i] > 0.0f ? logf(x[i]) : -100.0f;
    }
#endif
}
