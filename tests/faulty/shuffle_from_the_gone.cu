// barrier: takes a value from lanes that have returned
// caught: check
#include "slow.cuh"

#pragma gputune kernel(shuffle_from_the_gone)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = i + 1 < n && i % 32 != 31 ? x[i + 1] : x[i])

__global__ void shuffle_from_the_gone(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i >= n) {
        return;
    }
    float other = __shfl_down_sync(0xffffffffu, x[i], 1);
    y[i] = i + 1 < n && threadIdx.x % 32 != 31 ? other : x[i];
#else
    slowly();
    float own = i < n ? x[i] : 0.0f;
    float other = __shfl_down_sync(0xffffffffu, own, 1);
    if (i < n) {
        y[i] = i + 1 < n && threadIdx.x % 32 != 31 ? other : x[i];
    }
#endif
}
