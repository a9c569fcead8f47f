// size: masks by the size less 1
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(power_of_two_size)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[(i + 1) % n])

__global__ void power_of_two_size(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = 2.0f * x[(i + 1) & (n - 1)];
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[(i + 1) % n];
    }
#endif
}
