// Softmax of each row of a matrix in half precision, summed in single precision
#include "gputune.cuh"
#include <cuda_fp16.h>
#include <math.h>

#pragma gputune kernel(softmax)
#pragma gputune problem(rows = 4096, columns = 1024)
#pragma gputune args(out half y[rows][columns], in half x[rows][columns] = uniform(-4, 4), int rows, int columns)
#pragma gputune tune(BLOCK = 32, 64, 128, 256) // threads per row
#pragma gputune tune(FAST = 0, 1)
#pragma gputune default(BLOCK = 128, FAST = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(rows)
#pragma gputune work(bytes = 4 * rows * columns)
#pragma gputune reference(softmax_reference, block = 64, grid = ceil_div(rows, 64))

struct maximum {
    GPUTUNE_INLINE float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct sum {
    GPUTUNE_INLINE float operator()(float a, float b) const { return a + b; }
};

// Reduces the values of the block's threads, and returns the result in every thread.
template <typename F> GPUTUNE_INLINE float block_reduce(float value, F combine)
{
    __shared__ float warps[BLOCK / 32];
    for (int step = 16; step > 0; step /= 2) {
        value = combine(value, __shfl_xor_sync(0xffffffffu, value, step));
    }
    __syncthreads();
    warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = warps[0];
    for (int i = 1; i < BLOCK / 32; i++) {
        value = combine(value, warps[i]);
    }
    return value;
}

GPUTUNE_INLINE float power(float x)
{
    return FAST ? __expf(x) : expf(x);
}

__global__ void softmax(half *y, const half *x, int rows, int columns)
{
    const size_t row = blockIdx.x * size_t(columns);
    float top = -INFINITY, total = 0;
    for (int i = threadIdx.x; i < columns; i += BLOCK) {
        top = fmaxf(top, __half2float(x[row + i]));
    }
    top = block_reduce(top, maximum());
    for (int i = threadIdx.x; i < columns; i += BLOCK) {
        total += power(__half2float(x[row + i]) - top);
    }
    total = block_reduce(total, sum());
    for (int i = threadIdx.x; i < columns; i += BLOCK) {
        y[row + i] = __float2half(power(__half2float(x[row + i]) - top) / total);
    }
}

__global__ void softmax_reference(double *y, const half *x, int rows, int columns)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) {
        return;
    }
    const size_t begin = row * size_t(columns);
    double top = -INFINITY, total = 0;
    for (int i = 0; i < columns; i++) {
        top = fmax(top, double(__half2float(x[begin + i])));
    }
    for (int i = 0; i < columns; i++) {
        total += exp(double(__half2float(x[begin + i])) - top);
    }
    for (int i = 0; i < columns; i++) {
        y[begin + i] = exp(double(__half2float(x[begin + i])) - top) / total;
    }
}
