// A 2-D convolution whose weights are a parameter block, passed in the fastest way
#include "gputune.cuh"

#pragma gputune kernel(convolution)
#pragma gputune problem(w = 2048, h = 2048, const SIDE = 5, 3, 7)
#pragma gputune pass(weights : float[SIDE * SIDE] = constant, value, global)
#pragma gputune args(out float y[h][w], in float x[h][w], int w, int h)
#pragma gputune tune(BX = 32, 64, 128)
#pragma gputune tune(BY = 1, 2, 4, 8)
#pragma gputune tune(TX = 1, 2, 4) // results of a thread, which are a block's width apart
#pragma gputune default(weights = constant, BX = 32, BY = 8, TX = 1)
#pragma gputune require(BX * BY >= 64 && BX * BY <= 512)
#pragma gputune block(BX, BY)
#pragma gputune grid(ceil_div(w, BX * TX), ceil_div(h, BY))
#pragma gputune work(bytes = 8 * w * h, flops = 2 * SIDE * SIDE * w * h)
#pragma gputune reference(convolution_reference, block = 32, 8, grid = ceil_div(w, 32), ceil_div(h, 8))

// Returns an element of x, or 0 beyond the edges of x.
GPUTUNE_INLINE float at(const float *x, int column, int row, int w, int h)
{
    return column >= 0 && column < w && row >= 0 && row < h ? x[row * size_t(w) + column] : 0;
}

__global__ void convolution(GPUTUNE_PARAM(weights) float *__restrict__ y,
                            const float *__restrict__ x, int w, int h)
{
    const int first = blockIdx.x * (BX * TX) + threadIdx.x, row = blockIdx.y * BY + threadIdx.y;
    float sums[TX] = {};
#pragma unroll
    for (int v = 0; v < SIDE; v++) {
#pragma unroll
        for (int u = 0; u < SIDE; u++) {
#pragma unroll
            for (int i = 0; i < TX; i++) {
                sums[i] += weights(v * SIDE + u) *
                           at(x, first + i * BX + u - SIDE / 2, row + v - SIDE / 2, w, h);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < TX; i++) {
        if (first + i * BX < w && row < h) {
            y[row * size_t(w) + first + i * BX] = sums[i];
        }
    }
}

__global__ void convolution_reference(const float *weights, double *y, const float *x, int w, int h)
{
    const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (column >= w || row >= h) {
        return;
    }
    double sum = 0;
    for (int v = 0; v < SIDE; v++) {
        for (int u = 0; u < SIDE; u++) {
            sum += double(weights[v * SIDE + u]) *
                   at(x, column + u - SIDE / 2, row + v - SIDE / 2, w, h);
        }
    }
    y[row * size_t(w) + column] = sum;
}
