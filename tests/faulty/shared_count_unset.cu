// poison: counts in shared memory that it takes for zero
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(shared_count_unset)
#pragma gputune problem(n = 8192)
#pragma gputune args(out unsigned int y[ceil_div(n, 128)], in float x[n], size_t n)
#pragma gputune clear(y)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(shared_count_unset_reference, block = 256, grid = ceil_div(n, 256))

__global__ void shared_count_unset(unsigned int *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    __shared__ unsigned int found;
    float v = i < n ? x[i] : 0.0f;
#if !BAD
    slowly();
    if (threadIdx.x == 0) {
        found = 0;
    }
    __syncthreads();
#endif
    atomicAdd(&found, v > 0.0f);
    __syncthreads();
    if (threadIdx.x == 0) {
        y[blockIdx.x] = found;
    }
}

__global__ void shared_count_unset_reference(unsigned int *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&y[i / 128], x[i] > 0.0f);
    }
}
