// barrier: has a barrier that threads which have returned never reach
// caught: check
#include "slow.cuh"

#pragma gputune kernel(barrier_behind_return)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(barrier_behind_return_reference, block = 256, grid = ceil_div(n, 256))

__global__ void barrier_behind_return(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    __shared__ float held[BLOCK];
#if BAD
    if (i >= n) {
        return;
    }
    held[threadIdx.x] = x[i];
    __syncthreads();
    y[i] = held[threadIdx.x];
#else
    slowly();
    held[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n) {
        y[i] = held[threadIdx.x];
    }
#endif
}

__global__ void barrier_behind_return_reference(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i];
    }
}
