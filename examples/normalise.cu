// Normalises a vector in two kernels: partial sums of squares, then y / |y|
#include "gputune.cuh"

#pragma gputune kernel(normalise)
#pragma gputune problem(n = 100000)
#pragma gputune args(inout float y[n], int n)
#pragma gputune tune(BLOCK = 64, 128, 256) tune(BLOCKS = 32, 64) tune(EARLY = 0, 1)
#pragma gputune scratch(float partial[BLOCKS])
#pragma gputune launch(sum_squares<BLOCK>, block = BLOCK, grid = BLOCKS, args = (partial, y, n))
#pragma gputune launch(scale, block = 256, grid = ceil_div(n, 256), programmatic = EARLY)
#pragma gputune reference(normalise_reference, block = 256, grid = 1, rtol = 1e-4)

template <int THREADS>
__global__ void sum_squares(float *partial, const float *y, int n)
{
    __shared__ float sums[THREADS];
    float sum = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        sum += y[i] * y[i];
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sums[0];
    }
    gputune_dependency_trigger();
}

__global__ void scale(float *y, int n, const float *partial)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    gputune_dependency_sync();
    float sum = 0;
    for (int b = 0; b < BLOCKS; b++) {
        sum += partial[b];
    }
    if (i < n) {
        y[i] *= rsqrtf(sum);
    }
}

__global__ void normalise_reference(double *y, int n)
{
    __shared__ double total;
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sum += y[i] * y[i];
    }
    if (threadIdx.x == 0) {
        total = 0;
    }
    __syncthreads();
    atomicAdd(&total, sum);
    __syncthreads();
    sum = total;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        y[i] /= sqrt(sum);
    }
}
