// y = A x for a row-major matrix, which is read once
#include "blocks.cuh"

#pragma gputune kernel(gemv)
#pragma gputune problem(rows = 16384, columns = 16384)
#pragma gputune problem(type T = float, double)
// USED = again: the matrix is read in every launch. A plan may then reserve a part of the L2 cache
// for it as long as the plan exists. Other kernels have less L2 cache.
#pragma gputune problem(type USED = once, again)
#pragma gputune args(out T y[rows], in T a[rows][columns], in T x[columns], unsigned int rows,     \
                     unsigned int columns)
#pragma gputune vector(VEC = 1, 2, 4 : a, x)
#pragma gputune tune(THREADS = 32, 64, 128, 256, 512) // number of threads that compute a row together
#pragma gputune tune(ROWS_OF_BLOCK = 1, 2, 4, 8)
#pragma gputune tune(ROWS_OF_THREAD = 1, 2, 4) // number of rows of a thread; the rows share loads of x
#pragma gputune tune(UNROLL = 1, 2, 4)
#pragma gputune tune(CACHE = streamed, cached) // for the matrix
#pragma gputune l2_persist(PERSIST = 0, 50, 100 : a) // L2 set-aside for a, in per cent of the maximum
#pragma gputune default(VEC = 1, THREADS = 128, ROWS_OF_BLOCK = 1, ROWS_OF_THREAD = 1, UNROLL = 1)
#pragma gputune require(columns % VEC == 0)
#pragma gputune require(PERSIST == 0 || USED == again)
#pragma gputune require(THREADS == 32 || ROWS_OF_BLOCK == 1)
#pragma gputune require(VEC * UNROLL * ROWS_OF_THREAD * sizeof(T) <= 128)
#pragma gputune block(THREADS, ROWS_OF_BLOCK)
#pragma gputune grid(ceil_div(rows, ROWS_OF_BLOCK * ROWS_OF_THREAD))
#pragma gputune work(bytes = (rows * columns + rows + columns) * sizeof(T),                        \
                     flops = 2 * rows * columns)
#pragma gputune reference(gemv_reference, block = 256, grid = rows)

#if CACHE_streamed
typedef gputune_streamed caching;
#else
typedef gputune_cached caching;
#endif

__global__ void gemv(T *__restrict__ y, const T *__restrict__ a, const T *__restrict__ x,
                     unsigned int rows, unsigned int columns)
{
    const unsigned int first = (blockIdx.x * ROWS_OF_BLOCK + threadIdx.y) * ROWS_OF_THREAD;
    const T *row[ROWS_OF_THREAD];
    T sum[ROWS_OF_THREAD] = {};
#pragma unroll
    for (int r = 0; r < ROWS_OF_THREAD; r++) {
        row[r] = a + size_t(min(first + r, rows - 1)) * columns; // rows after the last repeat the last row
    }
    unsigned int j = threadIdx.x * VEC;
#pragma unroll UNROLL
    for (; j < columns; j += THREADS * VEC) {
        gputune_vector<T, VEC> values[ROWS_OF_THREAD];
#pragma unroll
        for (int r = 0; r < ROWS_OF_THREAD; r++) {
            values[r] = gputune_load<VEC, caching>(row[r] + j);
        }
        auto factors = gputune_load<VEC>(x + j);
#pragma unroll
        for (int r = 0; r < ROWS_OF_THREAD; r++) {
#pragma unroll
            for (int i = 0; i < VEC; i++) {
                sum[r] += values[r][i] * factors[i];
            }
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS_OF_THREAD; r++) {
        if (r && THREADS > 32) {
            __syncthreads();
        }
        sum[r] = gputune_block_reduce<THREADS>(sum[r], gputune_sum());
        if (threadIdx.x == 0 && first + r < rows) {
            y[first + r] = sum[r];
        }
    }
}

__global__ void gemv_reference(double *y, const T *a, const T *x, unsigned int,
                               unsigned int columns)
{
    double sum = 0;
    for (unsigned int j = threadIdx.x; j < columns; j += 256) {
        sum += double(a[size_t(blockIdx.x) * columns + j]) * x[j];
    }
    sum = gputune_block_reduce<256>(sum, gputune_sum());
    if (threadIdx.x == 0) {
        y[blockIdx.x] = sum;
    }
}
