// race: copies into shared memory asynchronously and waits for no copy before its barrier
// caught: check
#include "slow.cuh"

#pragma gputune kernel(copy_not_awaited)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune require(cc >= 80)
#pragma gputune reference(copy_not_awaited_reference, block = 256, grid = ceil_div(n, 256))

__global__ void copy_not_awaited(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    __shared__ float held[BLOCK];
    unsigned int to = (unsigned int)__cvta_generic_to_shared(&held[threadIdx.x]);
    if (i < n) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x + i) : "memory");
    } else {
        held[threadIdx.x] = 0.0f;
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
#if !BAD
    slowly();
    asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
    __syncthreads();
    if (i < n) {
        y[i] = held[BLOCK - 1 - threadIdx.x];
    }
}

__global__ void copy_not_awaited_reference(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        size_t at = i - i % 128 + 127 - i % 128;
        y[i] = at < n ? x[at] : 0.0f;
    }
}
