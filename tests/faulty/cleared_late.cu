// race: clears its counts without a barrier before they are used
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(cleared_late)
#pragma gputune problem(n = 8192)
#pragma gputune args(out unsigned int y[256], in int x[n] = uniform(0, 255), size_t n)
#pragma gputune clear(y)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 256)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(cleared_late_reference, block = 256, grid = ceil_div(n, 256))

__global__ void cleared_late(unsigned int *y, const int *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    __shared__ unsigned int counts[256];
#if !BAD
    slowly();
#endif
    counts[threadIdx.x] = 0;
#if !BAD
    __syncthreads();
#endif
    if (i < n) {
        atomicAdd(&counts[x[i]], 1u);
    }
    __syncthreads();
    atomicAdd(&y[threadIdx.x], counts[threadIdx.x]);
}

__global__ void cleared_late_reference(unsigned int *y, const int *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&y[x[i]], 1u);
    }
}
