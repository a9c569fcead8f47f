// y[j][i] = x[i][j]: tiles pass through shared memory, so reads and writes are both
// contiguous
#include "gputune.cuh"

#pragma gputune kernel(transpose)
#pragma gputune problem(rows = 16384, columns = 16384)
#pragma gputune problem(type T = float, double, int, short, char)
#pragma gputune args(out T y[columns][rows], in T x[rows][columns] = uniform(-100, 100),           \
                     unsigned int rows, unsigned int columns)
#pragma gputune vector(VEC = 1, 2, 4 : x, y)
#pragma gputune tune(TILE = 32, 64, 128)
#pragma gputune tune(BLOCK = 64, 128, 256, 512)
#pragma gputune tune(CACHE = cached, streamed) // whether data that is used once is cached
#pragma gputune tune(ORDER = rows_first, columns_first) // of tiles
#pragma gputune default(VEC = 1, TILE = 32, BLOCK = 256, CACHE = cached, ORDER = rows_first)
#pragma gputune require(rows % VEC == 0 && columns % VEC == 0)
#pragma gputune require(TILE * TILE >= BLOCK * VEC)
#pragma gputune require(TILE *(TILE + 1) * sizeof(T) <= shared_optin)
#pragma gputune block(BLOCK)
#pragma gputune shared(TILE *(TILE + 1) * sizeof(T))
#pragma gputune grid(ceil_div(rows, TILE) * ceil_div(columns, TILE))
#pragma gputune work(bytes = 2 * rows * columns * sizeof(T))
#pragma gputune reference(y[j][i] = x[i][j], rtol = 0)

#if CACHE_streamed
typedef gputune_streamed caching;
#else
typedef gputune_cached caching;
#endif

extern __shared__ unsigned char shared[];

__global__ void transpose(T *__restrict__ y, const T *__restrict__ x, unsigned int rows,
                          unsigned int columns)
{
    T(*tile)
    [TILE + 1] =
        reinterpret_cast<T(*)[TILE + 1]>(shared); // the elements of a column are in different banks
    const unsigned int wide = (columns + TILE - 1) / TILE, high = (rows + TILE - 1) / TILE;
    const unsigned int row = (ORDER_rows_first ? blockIdx.x / wide : blockIdx.x % high) * TILE;
    const unsigned int column = (ORDER_rows_first ? blockIdx.x % wide : blockIdx.x / high) * TILE;
#pragma unroll
    for (unsigned int at = threadIdx.x * VEC; at < TILE * TILE; at += BLOCK * VEC) {
        const unsigned int i = at / TILE, j = at % TILE;
        if (row + i < rows && column + j < columns) {
            auto part = gputune_load<VEC, caching>(x + size_t(row + i) * columns + column + j);
#pragma unroll
            for (int v = 0; v < VEC; v++) {
                tile[i][j + v] = part[v];
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (unsigned int at = threadIdx.x * VEC; at < TILE * TILE; at += BLOCK * VEC) {
        const unsigned int j = at / TILE, i = at % TILE;
        if (row + i < rows && column + j < columns) {
            gputune_vector<T, VEC> part;
#pragma unroll
            for (int v = 0; v < VEC; v++) {
                part[v] = tile[i + v][j];
            }
            gputune_store<VEC, caching>(y + size_t(column + j) * rows + row + i, part);
        }
    }
}
