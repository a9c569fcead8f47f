// race: reads what a later warp writes to shared memory, without a barrier
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(later_warp)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(later_warp_reference, block = 256, grid = ceil_div(n, 256))

__global__ void later_warp(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    __shared__ float held[BLOCK];
#if BAD
    held[threadIdx.x] = v;
    if (i < n) {
        y[i] = ((volatile float *)held)[(threadIdx.x + 32) % BLOCK];
    }
#else
    slowly();
    held[threadIdx.x] = v;
    __syncthreads();
    if (i < n) {
        y[i] = held[(threadIdx.x + 32) % BLOCK];
    }
#endif
}

__global__ void later_warp_reference(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        size_t at = i - i % 128 + (i + 32) % 128;
        y[i] = at < n ? x[at] : 0.0f;
    }
}
