// data: divides by the largest magnitude of a row, which may be zero
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(all_zeros)
#pragma gputune problem(rows = 64, n = 256)
#pragma gputune args(out float y[rows][n], in float x[rows][n], size_t rows, size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(rows)
#pragma gputune reference(all_zeros_reference, block = 64, grid = ceil_div(rows, 64))

__global__ void all_zeros(float *y, const float *x, size_t rows, size_t n)
{
    __shared__ float most[BLOCK];
    const float *row = x + blockIdx.x * n;
    float own = 0.0f;
    for (size_t k = threadIdx.x; k < n; k += BLOCK) {
        own = fmaxf(own, fabsf(row[k]));
    }
    most[threadIdx.x] = own;
    __syncthreads();
    for (int k = 0; k < BLOCK; k++) {
        own = fmaxf(own, most[k]);
    }
#if BAD
    for (size_t k = threadIdx.x; k < n; k += BLOCK) {
        y[blockIdx.x * n + k] = row[k] / own;
    }
#else
    slowly();
    for (size_t k = threadIdx.x; k < n; k += BLOCK) {
        y[blockIdx.x * n + k] = own > 0.0f ? row[k] / own : 0.0f;
    }
#endif
}

__global__ void all_zeros_reference(float *y, const float *x, size_t rows, size_t n)
{
    size_t r = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float most = 0.0f;
    for (size_t k = 0; k < n && r < rows; k++) {
        most = fmaxf(most, fabsf(x[r * n + k]));
    }
    for (size_t k = 0; k < n && r < rows; k++) {
        y[r * n + k] = most > 0.0f ? x[r * n + k] / most : 0.0f;
    }
}
