// scalar: squares instead of raising to a power, which is 2 in the template
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(power_of_two)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n] = uniform(0.5, 2), float p = 2, size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = powf(x[i], p))

__global__ void power_of_two(float *y, const float *x, float p, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = x[i] * x[i];
    }
#else
    slowly();
    if (i < n) {
        y[i] = powf(x[i], p);
    }
#endif
}
