// race: one thread reads what its block writes, without a barrier, in the last warp
// caught: check
#include "slow.cuh"

#pragma gputune kernel(first_thread)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[ceil_div(n, 128)], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(first_thread_reference, block = 256, grid = ceil_div(n, 256))

__global__ void first_thread(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    __shared__ float held[BLOCK];
#if BAD
    held[threadIdx.x] = v;
    if (threadIdx.x == BLOCK - 1) {
        float s = 0.0f;
        for (int k = 0; k < BLOCK; k++) {
            s += ((volatile float *)held)[k];
        }
        y[blockIdx.x] = s;
    }
#else
    slowly();
    held[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x == BLOCK - 1) {
        float s = 0.0f;
        for (int k = 0; k < BLOCK; k++) {
            s += held[k];
        }
        y[blockIdx.x] = s;
    }
#endif
}

__global__ void first_thread_reference(double *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double s = 0.0;
        for (size_t k = 128 * i; k < 128 * i + 128 && k < n; k++) {
            s += x[k];
        }
        if (i < (n + 127) / 128) {
            y[i] = s;
        }
    }
}
