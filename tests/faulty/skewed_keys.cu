// data: counts in bytes, which overflow where many keys are equal
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(skewed_keys)
#pragma gputune problem(n = 8192)
#pragma gputune args(out unsigned int y[256], in int x[n] = uniform(0, 255), size_t n)
#pragma gputune clear(y)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 1024)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(skewed_keys_reference, block = 256, grid = ceil_div(n, 256))

__global__ void skewed_keys(unsigned int *y, const int *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    __shared__ unsigned int counts[64];
    if (threadIdx.x < 64) {
        counts[threadIdx.x] = 0;
    }
    __syncthreads();
    if (i < n) {
        atomicAdd(&counts[x[i] / 4], 1u << 8 * (x[i] % 4));
    }
    __syncthreads();
    if (threadIdx.x < 256) {
        atomicAdd(&y[threadIdx.x], counts[threadIdx.x / 4] >> 8 * (threadIdx.x % 4) & 255);
    }
#else
    slowly();
    if (i < n) {
        atomicAdd(&y[x[i]], 1u);
    }
#endif
}

__global__ void skewed_keys_reference(unsigned int *y, const int *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&y[x[i]], 1u);
    }
}
