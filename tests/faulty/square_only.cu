// size: takes rows for columns: right where there are as many
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(square_only)
#pragma gputune problem(rows = 64, columns = 64)
#pragma gputune args(out float y[columns][rows], in float x[rows][columns], size_t rows, size_t columns)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(rows * columns, BLOCK))
#pragma gputune reference(square_only_reference, block = 256, grid = ceil_div(rows * columns, 256))

__global__ void square_only(float *y, const float *x, size_t rows, size_t columns)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < rows * columns) {
        y[i % rows * columns + i / rows] = x[i];
    }
#else
    slowly();
    if (i < rows * columns) {
        y[i % columns * rows + i / columns] = x[i];
    }
#endif
}

__global__ void square_only_reference(float *y, const float *x, size_t rows, size_t columns)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) {
        y[i % columns * rows + i / columns] = x[i];
    }
}
