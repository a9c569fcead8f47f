// y = A x for a sparse matrix in CSR format: a few threads for each row
#include "gputune.cuh"

#pragma gputune kernel(spmv)
#pragma gputune problem(rows = 100000, columns = 100000, nonzeros = 1600000)
#pragma gputune args(out float y[rows], in float x[columns], in int row[rows + 1] = prefix(nonzeros), \
                     in int column[nonzeros] = uniform(0, columns - 1), in float value[nonzeros], int rows)
#pragma gputune tune(BLOCK = 64, 128, 256)
#pragma gputune tune(LANES = 1, 2, 4, 8, 16, 32) // threads per row
#pragma gputune tune(READ_ONLY = 0, 1) // loads x through the read-only cache
#pragma gputune default(BLOCK = 128, LANES = 1)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(rows * LANES, BLOCK))
#pragma gputune work(bytes = 8 * nonzeros + 8 * rows + 4 * columns, flops = 2 * nonzeros)
#pragma gputune reference(spmv_reference, block = 128, grid = ceil_div(rows, 128))

__global__ void spmv(float *y, const float *x, const int *row, const int *column,
                     const float *value, int rows)
{
    const int mine = (blockIdx.x * BLOCK + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    float sum = 0;
    for (int i = mine < rows ? row[mine] + lane : 0; mine < rows && i < row[mine + 1]; i += LANES) {
        sum += value[i] * (READ_ONLY ? __ldg(&x[column[i]]) : x[column[i]]);
    }
    for (int step = LANES / 2; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, step, LANES);
    }
    if (mine < rows && lane == 0) {
        y[mine] = sum;
    }
}

__global__ void spmv_reference(double *y, const float *x, const int *row, const int *column,
                               const float *value, int rows)
{
    const int mine = blockIdx.x * blockDim.x + threadIdx.x;
    if (mine < rows) {
        double sum = 0;
        for (int i = row[mine]; i < row[mine + 1]; i++) {
            sum += double(value[i]) * x[column[i]];
        }
        y[mine] = sum;
    }
}
