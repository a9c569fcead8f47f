// scalar: takes the magnitude of a
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(a_is_positive)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], float a = 1.5, size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = a * x[i])

__global__ void a_is_positive(float *y, const float *x, float a, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = fabsf(a) * x[i];
    }
#else
    slowly();
    if (i < n) {
        y[i] = a * x[i];
    }
#endif
}
