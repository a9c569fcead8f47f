// barrier: has a barrier in each of two branches that a warp takes both
// caught: check
#include "slow.cuh"

#pragma gputune kernel(barrier_in_branches)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n] = uniform(1, 2), size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(barrier_in_branches_reference, block = 256, grid = ceil_div(n, 256))

__global__ void barrier_in_branches(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    __shared__ float held[BLOCK];
    held[threadIdx.x] = v;
#if BAD
    if (threadIdx.x % 2) {
        __syncthreads();
        v += 1.0f;
    } else {
        __syncthreads();
        v += 2.0f;
    }
    if (i < n) {
        y[i] = held[BLOCK - 1 - threadIdx.x] + v * 0.0f;
    }
#else
    slowly();
    __syncthreads();
    if (i < n) {
        y[i] = held[BLOCK - 1 - threadIdx.x];
    }
#endif
}

__global__ void barrier_in_branches_reference(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        size_t at = i - i % 128 + 127 - i % 128;
        y[i] = at < n ? x[at] : 0.0f;
    }
}
