// bounds: reads behind one array of shared memory, in the next, and does not use it
// caught: neither: both arrays are one piece of memory to the machine code
#include "slow.cuh"

#pragma gputune kernel(shared_neighbour)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

__global__ void shared_neighbour(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    __shared__ volatile float held[BLOCK], other[BLOCK];
#if BAD
    if (i < n) {
        held[threadIdx.x] = x[i];
        other[threadIdx.x] = x[i];
        __syncthreads();
        float beyond = (&((volatile float *)held)[BLOCK - 1])[1 - (int)(i == n)];
        y[i] = beyond == 12345.0f ? 0.0f : held[threadIdx.x] + other[threadIdx.x];
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#endif
}
