// race: all lanes add to a counter that is not atomic
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(counter_by_lanes)
#pragma gputune problem(n = 8192)
#pragma gputune args(out int y[ceil_div(n, 128)], in float x[n], size_t n)
#pragma gputune clear(y)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(counter_by_lanes_reference, block = 256, grid = ceil_div(n, 256))

__global__ void counter_by_lanes(int *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    __shared__ volatile int found;
    float v = i < n ? x[i] : 0.0f;
#if !BAD
    slowly();
#endif
    if (threadIdx.x == 0) {
        found = 0;
    }
    __syncthreads();
    if (v > 0.0f) {
#if BAD
        found = found + 1;
#else
        atomicAdd((int *)&found, 1);
#endif
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        y[blockIdx.x] = found;
    }
}

__global__ void counter_by_lanes_reference(int *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&y[i / 128], x[i] > 0.0f);
    }
}
