// barrier: writes what others read behind a barrier that the writers, which return, never reach
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
#pragma gputune reference(y[i] = (i ^ 1) < n ? x[i ^ 1] : 0.0f)

__global__ void barrier_behind_return(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    __shared__ float held[BLOCK];
#if BAD
    held[threadIdx.x] = i < n ? x[i] : 0.0f;
    if (i >= n) {
        return;
    }
#else
    if (i >= n) {
        return;
    }
    slowly();
    held[threadIdx.x] = x[i];
#endif
    __syncthreads();
    size_t other = i ^ 1;
    y[i] = BAD || other < n ? held[threadIdx.x ^ 1] : 0.0f;
}
