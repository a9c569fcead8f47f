// state: leaves a counter in scratch memory, zero at first, where it ended
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(counter_not_zero)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[1], in float x[n], size_t n)
#pragma gputune scratch(float part[grid_x], unsigned int done[1] = zero)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(counter_not_zero_reference, block = 1, grid = 1)

__global__ void counter_not_zero(float *y, const float *x, size_t n, float *part,
                                 unsigned int *done)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if !BAD
    slowly();
#endif
    __shared__ float sums[BLOCK];
    __shared__ bool last;
    sums[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
        float s = 0.0f;
        for (int k = 0; k < BLOCK; k++) {
            s += sums[k];
        }
        part[blockIdx.x] = s;
        __threadfence();
#if BAD
        last = atomicAdd(done, 1u) == gridDim.x - 1;
#else
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
#endif
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float s = 0.0f;
        for (unsigned int k = 0; k < gridDim.x; k++) {
            s += ((volatile float *)part)[k];
        }
        y[0] = s;
    }
}

__global__ void counter_not_zero_reference(double *y, const float *x, size_t n)
{
    double s = 0.0;
    for (size_t k = 0; k < n; k++) {
        s += x[k];
    }
    y[0] = s;
}
