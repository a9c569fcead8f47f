// y = x * weight / sqrt(mean(x^2) + epsilon) for each row of a matrix
#include "blocks.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#pragma gputune kernel(rmsnorm)
#pragma gputune problem(rows = 16384)
#pragma gputune problem(const columns = 4096) // a compile-time constant, so short rows need no checks
#pragma gputune problem(type T = half, __nv_bfloat16, float)
#pragma gputune args(out T y[rows][columns], in T x[rows][columns], in T weight[columns],          \
                     float epsilon = 1e-5, unsigned int rows)
// KEPT = 1: threads keep their part of a row in registers if the part has up to 32 elements.
// Otherwise they read the row a second time.
#pragma gputune tune(KEPT = 1, 0)
#pragma gputune tune(ROWS = 1, 2, 4, 8) // number of rows of a block
#pragma gputune vector(VEC = 4, 8, 2, 1 : x, y, weight)
#pragma gputune tune(THREADS = 256, 128, 512, 64, 1024, 32) // number of threads that share a row
#pragma gputune tune(WEIGHTS = late, early)    // loads weights late: after the sum of squares; early: together with x
#pragma gputune tune(CACHE = cached, streamed) // whether the result is cached
#pragma gputune default(VEC = 1)
#pragma gputune define(PARTS = ceil_div(columns, THREADS * VEC)) // number of vectors of a thread
#pragma gputune define(FITS = PARTS * VEC <= 32)
#pragma gputune require(columns % VEC == 0)
#pragma gputune require(THREADS == 32 || ROWS == 1)
#pragma gputune require(THREADS <= 256 || THREADS * VEC < 2 * columns)
#pragma gputune require(THREADS >= 256 || PARTS * VEC <= 64)
#pragma gputune require(KEPT || FITS)
#pragma gputune require(WEIGHTS == late || (KEPT && FITS))
#pragma gputune block(THREADS, ROWS)
#pragma gputune grid(ceil_div(rows, ROWS))
#pragma gputune work(bytes = 2 * rows * columns * sizeof(T), flops = 4 * rows * columns)
// Sums are computed in float, and results are rounded to their type once.
#pragma gputune reference(rmsnorm_reference, block = 128, grid = rows,                             \
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

__global__ void rmsnorm(T *__restrict__ y, const T *__restrict__ x, const T *__restrict__ weight,
                        float epsilon, unsigned int rows)
{
    const unsigned int row = blockIdx.x * ROWS + threadIdx.y;
    if (ROWS > 1 && row >= rows) {
        return; // the whole warp
    }
    x += size_t(row) * columns;
    y += size_t(row) * columns;
    const unsigned int first = threadIdx.x * VEC;
    float squares = 0;
    auto add = [&](const gputune_vector<T, VEC> &part) {
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            squares += float(part.data[v]) * float(part.data[v]);
        }
    };
#if KEPT && FITS
    gputune_vector<T, VEC> kept[PARTS], weights[PARTS];
#pragma unroll
    for (int k = 0; k < PARTS; k++) {
        if (is_inside(first, k)) {
            kept[k] = gputune_load<VEC>(x + first + k * STEP);
        }
    }
#if WEIGHTS_early
#pragma unroll
    for (int k = 0; k < PARTS; k++) {
        if (is_inside(first, k)) {
            weights[k] = gputune_load<VEC>(weight + first + k * STEP);
        }
    }
#endif
#pragma unroll
    for (int k = 0; k < PARTS; k++) {
        if (is_inside(first, k)) {
            add(kept[k]);
        }
    }
#else
    for (unsigned int j = first; j < columns; j += STEP) {
        add(gputune_load<VEC>(x + j));
    }
#endif
    squares = gputune_block_reduce<THREADS>(squares, gputune_sum());
    const float factor = rsqrtf(squares / columns + epsilon);
    auto scale = [&](unsigned int j, gputune_vector<T, VEC> part,
                     const gputune_vector<T, VEC> &weights) {
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            part[v] = T(float(part[v]) * factor * float(weights[v]));
        }
        gputune_store<VEC, caching>(y + j, part);
    };
#if KEPT && FITS
#pragma unroll
    for (int k = 0; k < PARTS; k++) {
        if (is_inside(first, k)) {
            scale(first + k * STEP, kept[k],
                  WEIGHTS_early ? weights[k] : gputune_load<VEC>(weight + first + k * STEP));
        }
    }
#else
    for (unsigned int j = first; j < columns; j += STEP) {
        scale(j, gputune_load<VEC>(x + j), gputune_load<VEC>(weight + j));
    }
#endif
}

__global__ void rmsnorm_reference(double *y, const T *x, const T *weight, float epsilon,
                                  unsigned int)
{
    const size_t row = size_t(blockIdx.x) * columns;
    double squares = 0;
    for (unsigned int j = threadIdx.x; j < columns; j += 128) {
        squares += gputune_double(x[row + j]) * gputune_double(x[row + j]);
    }
    squares = gputune_block_reduce<128>(squares, gputune_sum());
    for (unsigned int j = threadIdx.x; j < columns; j += 128) {
        y[row + j] = gputune_double(x[row + j]) * gputune_double(weight[j]) /
                     sqrt(squares / columns + epsilon);
    }
}
