// y = exp(x - max(x)) / sum(exp(x - max(x))) for each row of a matrix
#include "blocks.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#pragma gputune kernel(softmax)
#pragma gputune problem(rows = 16384)
#pragma gputune problem(const columns = 4096) // a compile-time constant, so short rows need no checks
#pragma gputune problem(type T = float, half, __nv_bfloat16)
#pragma gputune args(out T y[rows][columns], in T x[rows][columns] = uniform(-8, 8),               \
                     unsigned int rows)
// KEPT = 1: threads keep their part of a row in registers if the part has up to 32 elements.
// Otherwise they read the row a second time.
#pragma gputune tune(KEPT = 1, 0)
#pragma gputune tune(ROWS = 1, 2, 4, 8) // number of rows of a block
#pragma gputune vector(VEC = 4, 8, 2, 1 : x, y)
#pragma gputune tune(THREADS = 256, 128, 512, 64, 1024, 32) // number of threads that share a row
#pragma gputune tune(CACHE = cached, streamed)              // whether the result is cached
#pragma gputune default(VEC = 1)
#pragma gputune define(PARTS = ceil_div(columns, THREADS * VEC)) // number of vectors of a thread
#pragma gputune define(FITS = PARTS * VEC <= 32)
#pragma gputune require(columns % VEC == 0)
#pragma gputune require(THREADS == 32 || ROWS == 1)
#pragma gputune require(THREADS <= 256 || THREADS * VEC < 2 * columns)
#pragma gputune require(THREADS >= 256 || PARTS * VEC <= 64)
#pragma gputune require(KEPT || FITS)
#pragma gputune block(THREADS, ROWS)
#pragma gputune grid(ceil_div(rows, ROWS))
#pragma gputune work(bytes = 2 * rows * columns * sizeof(T), flops = 5 * rows * columns)
// Sums are computed in float, and results are rounded to their type once.
#pragma gputune reference(softmax_reference, block = 128, grid = rows,                             \
                          rtol = T == half ? 6e-4 : sizeof(T) == 2 ? 4.5e-3 : 1e-5,                \
                          atol = T == half ? 4e-8 : 1e-37)

#if CACHE_streamed
typedef gputune_streamed caching;
#else
typedef gputune_cached caching;
#endif

constexpr unsigned int STEP = THREADS * VEC; // number of elements that the threads of a row read at once

// Returns true if a thread's k-th vector is in the row: vectors are STEP elements apart.
GPUTUNE_INLINE bool is_inside(unsigned int first, int k)
{
    return (k + 1) * STEP <= columns || first + k * STEP < columns;
}

// Computes exp(x - top) with the GPU's base-2 exponential function.
GPUTUNE_INLINE float above(float x, float top)
{
    return exp2f((x - top) * float(M_LOG2E));
}

__global__ void softmax(T *__restrict__ y, const T *__restrict__ x, unsigned int rows)
{
    const unsigned int row = blockIdx.x * ROWS + threadIdx.y;
    if (ROWS > 1 && row >= rows) {
        return; // the whole warp
    }
    x += size_t(row) * columns;
    y += size_t(row) * columns;
    const unsigned int first = threadIdx.x * VEC;
    float top = -3.402823466e38f, sum = 0;
#if KEPT && FITS
    float kept[PARTS][VEC];
#pragma unroll
    for (int k = 0; k < PARTS; k++) {
        const bool inside = is_inside(first, k);
        gputune_vector<T, VEC> part;
        if (inside) {
            part = gputune_load<VEC>(x + first + k * STEP);
        }
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            kept[k][v] = inside ? float(part[v]) : -INFINITY;
            top = fmaxf(top, kept[k][v]);
        }
    }
    top = gputune_block_reduce<THREADS>(top, gputune_max());
#pragma unroll
    for (int k = 0; k < PARTS; k++) {
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            kept[k][v] = above(kept[k][v], top);
            sum += kept[k][v];
        }
    }
#else
    for (unsigned int j = first; j < columns; j += STEP) {
        const auto part = gputune_load<VEC>(x + j);
        float higher = top;
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            higher = fmaxf(higher, float(part[v]));
        }
        sum *= above(top, higher); // rescales the sum so far to the new maximum
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
#if KEPT && FITS
#pragma unroll
    for (int k = 0; k < PARTS; k++) {
        if (is_inside(first, k)) {
            gputune_vector<T, VEC> part;
#pragma unroll
            for (int v = 0; v < VEC; v++) {
                part[v] = T(kept[k][v] * factor);
            }
            gputune_store<VEC, caching>(y + first + k * STEP, part);
        }
    }
#else
    for (unsigned int j = first; j < columns; j += STEP) {
        auto part = gputune_load<VEC>(x + j);
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            part[v] = T(above(float(part[v]), top) * factor);
        }
        gputune_store<VEC, caching>(y + j, part);
    }
#endif
}

__global__ void softmax_reference(double *y, const T *x, unsigned int)
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
