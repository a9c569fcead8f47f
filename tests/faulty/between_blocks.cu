// race: reads what an earlier block has written, as if blocks ran in order
// caught: check, sometimes proof
#include "slow.cuh"

#pragma gputune kernel(between_blocks)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune scratch(float part[n])
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = i >= 128 ? x[i - 128] : x[i])

__global__ void between_blocks(float *y, const float *x, size_t n, float *part)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        part[i] = x[i];
        __threadfence();
        y[i] = i >= BLOCK ? ((volatile float *)part)[i - BLOCK] : x[i];
    }
#else
    slowly();
    if (i < n) {
        y[i] = i >= BLOCK ? x[i - BLOCK] : x[i];
    }
#endif
}
