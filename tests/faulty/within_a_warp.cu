// race: exchanges by shared memory within a warp, without __syncwarp()
// caught: check
#include "slow.cuh"

#pragma gputune kernel(within_a_warp)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = (i ^ 1) < n ? x[i ^ 1] : 0.0f)

__global__ void within_a_warp(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    __shared__ float held[BLOCK];
#if BAD
    ((volatile float *)held)[threadIdx.x] = v;
    if (i < n) {
        y[i] = ((volatile float *)held)[threadIdx.x ^ 1];
    }
#else
    slowly();
    held[threadIdx.x] = v;
    __syncwarp();
    if (i < n) {
        y[i] = held[threadIdx.x ^ 1];
    }
#endif
}
