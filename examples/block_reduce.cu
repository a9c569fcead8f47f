// Sums of rows with CUB's block reduction, whose algorithm is an axis
#include <cub/block/block_reduce.cuh>

#pragma gputune kernel(row_sums)
#pragma gputune problem(rows = 4096, columns = 1024)
#pragma gputune args(out float sums[rows], in float x[rows][columns], int columns, int rows)
#pragma gputune tune(BLOCK = 64, 128, 256)
#pragma gputune tune(ITEMS = 1, 2, 4)
#pragma gputune tune(ALGORITHM = BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS)
#pragma gputune default(BLOCK = 128, ITEMS = 1, ALGORITHM = BLOCK_REDUCE_WARP_REDUCTIONS)
#pragma gputune block(BLOCK)
#pragma gputune grid(rows)
#pragma gputune work(bytes = 4 * rows * columns, flops = rows * columns)
#pragma gputune reference(row_sums_reference, block = 64, grid = ceil_div(rows, 64))

constexpr cub::BlockReduceAlgorithm algorithm =
    ALGORITHM_BLOCK_REDUCE_RAKING ? cub::BLOCK_REDUCE_RAKING : cub::BLOCK_REDUCE_WARP_REDUCTIONS;

__global__ void row_sums(float *sums, const float *x, int columns, int rows)
{
    using reduce = cub::BlockReduce<float, BLOCK, algorithm>;
    __shared__ typename reduce::TempStorage storage;
    const float *row = x + blockIdx.x * size_t(columns);
    float mine[ITEMS] = {};
    for (int begin = threadIdx.x; begin < columns; begin += BLOCK * ITEMS) {
        for (int i = 0; i < ITEMS; i++) {
            mine[i] += begin + i * BLOCK < columns ? row[begin + i * BLOCK] : 0;
        }
    }
    const float sum = reduce(storage).Sum(mine);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}

__global__ void row_sums_reference(double *sums, const float *x, int columns, int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        sums[row] = 0;
        for (int i = 0; i < columns; i++) {
            sums[row] += x[row * size_t(columns) + i];
        }
    }
}
