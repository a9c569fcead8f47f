// C = A B in single precision: tiles in shared memory, several results per thread
#include "gputune.cuh"

#pragma gputune kernel(matmul)
#pragma gputune problem(m = 1024, n = 1024, k = 1024)
#pragma gputune args(out float c[m][n], in float a[m][k], in float b[k][n], int m, int n, int k)
#pragma gputune tune(TILE = 16, 32, 64)
#pragma gputune tune(DEPTH = 8, 16)
#pragma gputune tune(ROWS = 1, 2, 4, 8) // rows and columns of results per thread
#pragma gputune tune(COLUMNS = 1, 2, 4, 8)
#pragma gputune default(TILE = 32, DEPTH = 16, ROWS = 4)
#pragma gputune require(block_x * block_y >= 64 && block_x * block_y <= 1024)
#pragma gputune block(TILE / COLUMNS, TILE / ROWS)
#pragma gputune grid(ceil_div(n, TILE), ceil_div(m, TILE))
#pragma gputune work(bytes = 4 * (m * k + k * n + m * n), flops = 2 * m * n * k)
#pragma gputune reference(matmul_reference, block = 16, 16, grid = ceil_div(n, 16), ceil_div(m, 16))

__global__ void matmul(float *c, const float *a, const float *b, int m, int n, int k)
{
    __shared__ float a_tile[TILE][DEPTH], b_tile[DEPTH][TILE];
    const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    const int across = TILE / COLUMNS, threads = across * (TILE / ROWS);
    const int thread = threadIdx.y * across + threadIdx.x;
    float sums[ROWS][COLUMNS] = {};
    for (int begin = 0; begin < k; begin += DEPTH) {
        for (int i = thread; i < TILE * DEPTH; i += threads) {
            const int row = row0 + i / DEPTH, depth = begin + i % DEPTH;
            a_tile[i / DEPTH][i % DEPTH] = row < m && depth < k ? a[row * size_t(k) + depth] : 0;
        }
        for (int i = thread; i < DEPTH * TILE; i += threads) {
            const int depth = begin + i / TILE, column = column0 + i % TILE;
            b_tile[i / TILE][i % TILE] = depth < k && column < n ? b[depth * size_t(n) + column] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int depth = 0; depth < DEPTH; depth++) {
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
#pragma unroll
                for (int j = 0; j < COLUMNS; j++) {
                    sums[i][j] += a_tile[threadIdx.y * ROWS + i][depth] *
                                  b_tile[depth][threadIdx.x + j * across];
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) {
            const int row = row0 + threadIdx.y * ROWS + i;
            const int column = column0 + threadIdx.x + j * across;
            if (row < m && column < n) {
                c[row * size_t(n) + column] = sums[i][j];
            }
        }
    }
}

__global__ void matmul_reference(double *c, const float *a, const float *b, int m, int n, int k)
{
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    if (row < m && column < n) {
        double sum = 0;
        for (int i = 0; i < k; i++) {
            sum += double(a[row * size_t(k) + i]) * b[i * size_t(n) + column];
        }
        c[row * size_t(n) + column] = sum;
    }
}
