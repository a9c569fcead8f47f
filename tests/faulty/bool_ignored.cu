// scalar: ignores a bool, which is false in the template
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(bool_ignored)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], bool negate = 0, size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = negate ? -x[i] : x[i])

__global__ void bool_ignored(float *y, const float *x, bool negate, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = x[i];
    }
#else
    slowly();
    if (i < n) {
        y[i] = negate ? -x[i] : x[i];
    }
#endif
}
