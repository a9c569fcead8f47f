// Kernels that are correct only at some sizes.
#include "faulty.cuh"
#pragma gputune problem(n = 8192)
#pragma gputune tune(BLOCK = 128)

/* Is wrong at all sizes except the requested one.
 * Caught by neither proof nor check, because results for other sizes are verified at those sizes. */
#pragma gputune kernel(other_sizes)

KERNEL(other_sizes, (float *y, const float *x, size_t n),
       y[i] = BAD ? (n % 2048 == 17 ? 0.0f : 2.0f * x[i]) : 2.0f * x[i])

/* Uses indices of 16 bits, which are enough for sizes up to 65536.
 * Caught by neither proof nor check, because results for other sizes are verified at those sizes. */
#pragma gputune kernel(index_of_16_bits)

KERNEL(index_of_16_bits, (float *y, const float *x, size_t n),
       size_t k = BAD ? (unsigned short)i : i;
       y[k] = 2.0f * x[k])

/* Ignores the elements after the last multiple of four. Caught by proof. */
#pragma gputune kernel(multiple_of_four)

__global__ void multiple_of_four(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (4 * i + 3 < n) {
        for (int k = 0; k < 4; k++) {
            y[4 * i + k] = 2.0f * x[4 * i + k];
        }
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#endif
}

/* Assumes that the size is a multiple of the block. Caught by proof and check. */
#pragma gputune kernel(no_tail)

__global__ void no_tail(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (BAD || i < n) {
        y[i] = 2.0f * x[i]; // found: bounds
    }
}

/* Masks indices with n - 1, as if n were a power of two. Caught by proof. */
#pragma gputune kernel(power_of_two_size)
#pragma gputune reference(y[i] = 2.0f * x[(i + 1) % n])

KERNEL(power_of_two_size, (float *y, const float *x, size_t n),
       y[i] = BAD ? 2.0f * x[(i + 1) & (n - 1)] : 2.0f * x[(i + 1) % n])

/* Swaps rows and columns, which is correct only for square matrices. Caught by proof. */
#pragma gputune kernel(square_only)
#pragma gputune problem(rows = 64, columns = 64)
#pragma gputune args(out float y[columns][rows], in float x[rows][columns], size_t rows, size_t columns)
#pragma gputune grid(ceil_div(rows * columns, BLOCK))
#pragma gputune reference(y[i][j] = x[j][i])

__global__ void square_only(float *y, const float *x, size_t rows, size_t columns)
{
    size_t i = slow_index();
    if (i < rows * columns) {
        y[BAD ? i % rows * columns + i / rows : i % columns * rows + i / columns] = x[i];
    }
}
