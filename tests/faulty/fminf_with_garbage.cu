// poison: takes the minimum with what the output held before; NaN and large numbers do not show it
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(fminf_with_garbage)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

__global__ void fminf_with_garbage(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = fminf(y[i], 2.0f * x[i]);
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#endif
}
