// race: reads what an earlier warp has written to shared memory, without a barrier
// caught: check
#include "slow.cuh"

#pragma gputune kernel(earlier_warp)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = i % 128 >= 32 ? x[i - 32] : x[i])

__global__ void earlier_warp(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    __shared__ float held[BLOCK];
#if BAD
    held[threadIdx.x] = v;
    if (i < n) {
        y[i] = threadIdx.x >= 32 ? ((volatile float *)held)[threadIdx.x - 32] : v;
    }
#else
    slowly();
    held[threadIdx.x] = v;
    __syncthreads();
    if (i < n) {
        y[i] = threadIdx.x >= 32 ? held[threadIdx.x - 32] : v;
    }
#endif
}
