// poison: takes the minimum with shared memory that nothing has set
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(shared_min_unset)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n] = uniform(-2, -1), size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = x[i])

__global__ void shared_min_unset(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    __shared__ float held[BLOCK];
    float v = i < n ? x[i] : 0.0f;
#if BAD
    held[threadIdx.x] = fminf(held[threadIdx.x], v);
#else
    slowly();
    held[threadIdx.x] = v;
#endif
    __syncthreads();
    if (i < n) {
        y[i] = held[threadIdx.x];
    }
}
