// Softmax of rows of halves: several correct methods, and one method with various faults.
#pragma gputune kernel(softmax)
#pragma gputune problem(rows = 48, columns = 512)
#pragma gputune args(out half y[rows][columns], in half x[rows][columns] = uniform(-4, 4), \
                     int rows, int columns)
#pragma gputune tune(WAY = exact, fast, product, stored)
#pragma gputune tune(FAULT = none, off_by_one, lane, half)
#pragma gputune default(WAY = exact, FAULT = none)
#pragma gputune require(FAULT == none || WAY == exact)
#pragma gputune block(32)
#pragma gputune grid(rows)
#pragma gputune reference(softmax_reference, block = 64, grid = ceil_div(rows, 64))
#include "rounding.cuh"

static __device__ float power(float value)
{
#if WAY_fast
    return __expf(value);
#elif WAY_stored
    return rounded_to_half(expf(value));
#else
    return expf(value);
#endif
}

__global__ void softmax(unsigned short *y, const unsigned short *x, int rows, int columns)
{
    const unsigned short *row = x + (size_t)blockIdx.x * columns;
    float top = -1e30f, s = 0;
    int end = columns;
#if FAULT_off_by_one
    end--;
#endif
    for (int i = threadIdx.x; i < columns; i += 32) {
        top = fmaxf(top, half_value(row[i]));
    }
    for (int step = 16; step > 0; step /= 2) {
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
    }
#if FAULT_half
    for (int i = 0; i < end && threadIdx.x == 0; i++) {
        s = rounded_to_half(s + power(half_value(row[i]) - top));
    }
#else
    for (int i = threadIdx.x; i < end; i += 32) {
        s += power(half_value(row[i]) - top);
    }
#endif
#if FAULT_lane
    s = threadIdx.x == 9 ? 0 : s;
#endif
    for (int step = 16; step > 0; step /= 2) {
        s += __shfl_xor_sync(0xffffffffu, s, step);
    }
    for (int i = threadIdx.x; i < columns; i += 32) {
        float e = power(half_value(row[i]) - top);
#if WAY_product
        y[(size_t)blockIdx.x * columns + i] = half_bits(e * (1 / s));
#else
        y[(size_t)blockIdx.x * columns + i] = half_bits(e / s);
#endif
    }
}

__global__ void softmax_reference(unsigned short *y, const unsigned short *x, int rows, int columns)
{
    int r = blockIdx.x * 64 + threadIdx.x;
    float top = -1e30f, s = 0;
    if (r >= rows) {
        return;
    }
    for (int i = 0; i < columns; i++) {
        top = fmaxf(top, half_value(x[r * columns + i]));
    }
    for (int i = 0; i < columns; i++) {
        s += expf(half_value(x[r * columns + i]) - top);
    }
    for (int i = 0; i < columns; i++) {
        y[r * columns + i] = half_bits(expf(half_value(x[r * columns + i]) - top) / s);
    }
}
