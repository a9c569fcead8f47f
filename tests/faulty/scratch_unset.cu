// unset: looks at scratch memory that nothing has set, with next to no effect
// caught: check
#include "slow.cuh"

#pragma gputune kernel(scratch_unset)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune scratch(float kept[n])
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

__global__ void scratch_unset(float *y, const float *x, size_t n, float *kept)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = kept[i] == 12345.0f ? 0.0f : 2.0f * x[i];
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#endif
}
