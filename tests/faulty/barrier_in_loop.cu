// barrier: has a barrier in a loop that ends at another turn for each half of a warp
// caught: check
#include "slow.cuh"

#pragma gputune kernel(barrier_in_loop)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = x[i])

__global__ void barrier_in_loop(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    __shared__ float held[BLOCK];
    held[threadIdx.x] = v;
#if BAD
    for (int turn = 0; turn < 1 + (int)(threadIdx.x % 32 / 16); turn++) {
        __syncthreads();
    }
    if (i < n) {
        y[i] = held[threadIdx.x];
    }
#else
    slowly();
    __syncthreads();
    if (i < n) {
        y[i] = held[threadIdx.x];
    }
#endif
}
