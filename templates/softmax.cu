// y = exp(x - max(x)) / sum(exp(x - max(x))) for each row of a matrix
#include "blocks.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#pragma gputune kernel(softmax)
#pragma gputune problem(rows = 16384, columns = 4096)
#pragma gputune problem(type T = float, half, __nv_bfloat16)
#pragma gputune args(out T y[rows][columns], in T x[rows][columns] = uniform(-8, 8),               \
                     unsigned int rows, unsigned int columns)
#pragma gputune vector(VEC = 1, 2, 4, 8 : x, y)
#pragma gputune tune(THREADS = 32, 64, 128, 256, 512, 1024) // of a row
#pragma gputune tune(ROWS = 1, 2, 4, 8)                     // of a block
#pragma gputune tune(KEPT = 0, 1, 2, 4, 8) // vectors that a thread keeps; 0: it reads them again
#pragma gputune tune(CACHE = cached, streamed) // whether the caches keep the result
#pragma gputune default(VEC = 1, THREADS = 256, ROWS = 1, KEPT = 0, CACHE = cached)
#pragma gputune require(columns % VEC == 0)
#pragma gputune require(THREADS == 32 || ROWS == 1)
#pragma gputune require(THREADS <= 256 || THREADS * VEC < 2 * columns)
#pragma gputune require(KEPT == 0 || KEPT * VEC <= 32)
#pragma gputune require(KEPT == 0 || THREADS * VEC * KEPT >= columns)
#pragma gputune require(KEPT <= 1 || THREADS * VEC * KEPT < 2 * columns)
#pragma gputune block(THREADS, ROWS)
#pragma gputune grid(ceil_div(rows, ROWS))
#pragma gputune work(bytes = 2 * rows * columns * sizeof(T), flops = 5 * rows * columns)
#pragma gputune reference(softmax_reference, block = 128, grid = rows)

#if CACHE_streamed
typedef gputune_streamed caching;
#else
typedef gputune_cached caching;
#endif

// exp(x - top), by the exponential function of base 2, which the GPU has.
GPUTUNE_INLINE float above(float x, float top)
{
    return exp2f((x - top) * float(M_LOG2E));
}

__global__ void softmax(T *__restrict__ y, const T *__restrict__ x, unsigned int rows,
                        unsigned int columns)
{
    const unsigned int row = blockIdx.x * ROWS + threadIdx.y;
    if (row >= rows) {
        return; // a whole warp, where a block has several rows
    }
    x += size_t(row) * columns;
    y += size_t(row) * columns;
    const unsigned int first = threadIdx.x * VEC, step = THREADS * VEC;
    float top = -3.402823466e38f, sum = 0;
#if KEPT
    float kept[KEPT][VEC];
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        const bool inside = first + k * step < columns;
        gputune_vector<T, VEC> part;
        if (inside) {
            part = gputune_load<VEC>(x + first + k * step);
        }
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            kept[k][v] = inside ? float(part[v]) : -INFINITY;
            top = fmaxf(top, kept[k][v]);
        }
    }
    top = gputune_block_reduce<THREADS>(top, gputune_max());
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            kept[k][v] = above(kept[k][v], top);
            sum += kept[k][v];
        }
    }
#else
    for (unsigned int j = first; j < columns; j += step) {
        const auto part = gputune_load<VEC>(x + j);
        float higher = top;
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            higher = fmaxf(higher, float(part[v]));
        }
        sum *= above(top, higher); // what was added was too much by this factor
        top = higher;
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            sum += above(float(part[v]), top);
        }
    }
    const float mine = top;
    top = gputune_block_reduce<THREADS>(top, gputune_max());
    sum *= above(mine, top);
#endif
    const float factor = 1 / gputune_block_reduce<THREADS>(sum, gputune_sum());
#if KEPT
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        if (first + k * step < columns) {
            gputune_vector<T, VEC> part;
#pragma unroll
            for (int v = 0; v < VEC; v++) {
                part[v] = T(kept[k][v] * factor);
            }
            gputune_store<VEC, caching>(y + first + k * step, part);
        }
    }
#else
    for (unsigned int j = first; j < columns; j += step) {
        auto part = gputune_load<VEC>(x + j);
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            part[v] = T(above(float(part[v]), top) * factor);
        }
        gputune_store<VEC, caching>(y + j, part);
    }
#endif
}

__global__ void softmax_reference(double *y, const T *x, unsigned int, unsigned int columns)
{
    const size_t row = size_t(blockIdx.x) * columns;
    double top = -INFINITY, sum = 0;
    for (unsigned int j = threadIdx.x; j < columns; j += 128) {
        top = fmax(top, gputune_double(x[row + j]));
    }
    top = gputune_block_reduce<128>(top, gputune_max());
    for (unsigned int j = threadIdx.x; j < columns; j += 128) {
        sum += exp(gputune_double(x[row + j]) - top);
    }
    sum = gputune_block_reduce<128>(sum, gputune_sum());
    for (unsigned int j = threadIdx.x; j < columns; j += 128) {
        y[row + j] = exp(gputune_double(x[row + j]) - top) / sum;
    }
}
