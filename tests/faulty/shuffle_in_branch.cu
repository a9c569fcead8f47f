// barrier: shuffles with a full mask in a branch that half of the lanes take
// caught: check
#include "slow.cuh"

#pragma gputune kernel(shuffle_in_branch)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = i % 32 < 16 ? ((i ^ 1) < n ? x[i ^ 1] : 0.0f) : x[i])

__global__ void shuffle_in_branch(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
#if BAD
    float other = v;
    if (threadIdx.x % 32 < 16) {
        other = __shfl_xor_sync(0xffffffffu, v, 1);
    }
    if (i < n) {
        y[i] = other;
    }
#else
    slowly();
    float other = __shfl_xor_sync(0xffffffffu, v, 1);
    if (i < n) {
        y[i] = threadIdx.x % 32 < 16 ? other : v;
    }
#endif
}
