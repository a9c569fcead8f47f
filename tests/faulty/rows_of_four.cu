// alignment: reads four at once from rows whose length four need not divide
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(rows_of_four)
#pragma gputune problem(rows = 32, n = 256)
#pragma gputune args(out float y[rows][n], in float x[rows][n], size_t rows, size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK), rows)
#pragma gputune reference(rows_of_four_reference, block = 256, grid = ceil_div(n, 256))

__global__ void rows_of_four(float *y, const float *x, size_t rows, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n / 4) {
        float4 v = ((const float4 *)(x + blockIdx.y * n))[i];
        ((float4 *)(y + blockIdx.y * n))[i] = make_float4(2.0f * v.x, 2.0f * v.y, 2.0f * v.z, 2.0f * v.w);
    }
    for (size_t k = n / 4 * 4 + i; k < n; k += n) {
        y[blockIdx.y * n + k] = 2.0f * x[blockIdx.y * n + k];
    }
#else
    slowly();
    if (i < n) {
        y[blockIdx.y * n + i] = 2.0f * x[blockIdx.y * n + i];
    }
#endif
}

__global__ void rows_of_four_reference(float *y, const float *x, size_t rows, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (size_t k = i; k < rows * n; k += n) {
            y[k] = 2.0f * x[k];
        }
    }
}
