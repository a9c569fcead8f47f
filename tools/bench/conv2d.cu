// y = x convolved with SIDE x SIDE weights, all products unrolled: variants that take seconds to compile
#include "gputune.cuh"

#pragma gputune kernel(conv2d)
#pragma gputune problem(w = 4096)
#pragma gputune problem(h = 4096)
#pragma gputune problem(const SIDE = 15)
#pragma gputune pass(weights : float[SIDE * SIDE] = constant, value, global)
#pragma gputune args(out float y[h * w], in float x[(h + SIDE - 1) * (w + SIDE - 1)], \
                     unsigned int w, unsigned int h)
#pragma gputune tune(BX = 16, 32, 64, 128)
#pragma gputune tune(BY = 1, 2, 4, 8, 16)
#pragma gputune tune(TX = 1, 2, 3, 4) // a thread's results
#pragma gputune tune(TY = 1, 2, 3, 4)
#pragma gputune tune(X_IN = shared, l1)
#pragma gputune tune(PADDED = 0, 1) // an odd number of columns in shared memory
#pragma gputune default(weights = constant, BX = 32, BY = 8, TX = 1, TY = 1, X_IN = shared, PADDED = 0)
#pragma gputune require(BX * BY >= 64 && BX * BY <= 512)
#pragma gputune require(X_IN == shared || PADDED == 0)
#pragma gputune block(BX, BY)
#pragma gputune launch_bounds(BX * BY)
#pragma gputune grid(ceil_div(w, BX * TX), ceil_div(h, BY * TY))
#pragma gputune shared(X_IN == shared ? 4 * (BY * TY + SIDE - 1) * (BX * TX + SIDE - 1 + PADDED) : 0)
#pragma gputune work(bytes = 8 * w * h, flops = 2 * SIDE * SIDE * w * h)
#pragma gputune reference(conv2d_reference, block = 256, grid = ceil_div(w * h, 256), stol = 1e-6)

constexpr int WIDE = BX * TX + SIDE - 1, HIGH = BY * TY + SIDE - 1, PITCH = WIDE + PADDED;

#if X_IN_shared
extern __shared__ float staged[]; // the block's part of x
#endif

__global__ void conv2d(GPUTUNE_PARAM(weights) float *__restrict__ y, const float *__restrict__ x,
                       unsigned int w, unsigned int h)
{
    const unsigned int x0 = blockIdx.x * (BX * TX), y0 = blockIdx.y * (BY * TY);
    const unsigned int columns = w + SIDE - 1, rows = h + SIDE - 1;
    // beyond the edge stands the last cell again, for results that nobody takes
    const auto cell = [=](unsigned int row, unsigned int column) {
        return x[size_t(min(y0 + row, rows - 1)) * columns + min(x0 + column, columns - 1)];
    };
#if X_IN_shared
    for (int j = threadIdx.y; j < HIGH; j += BY) {
        for (int i = threadIdx.x; i < WIDE; i += BX) {
            staged[j * PITCH + i] = cell(j, i);
        }
    }
    __syncthreads();
    const auto at = [](int row, int column) { return staged[row * PITCH + column]; };
#else
    const auto at = cell;
#endif
    float sums[TY][TX] = {};
#pragma unroll
    for (int row = 0; row < SIDE; row++) {
#pragma unroll
        for (int column = 0; column < SIDE; column++) {
            const float weight = weights(row * SIDE + column);
#pragma unroll
            for (int v = 0; v < TY; v++) {
#pragma unroll
                for (int u = 0; u < TX; u++) {
                    sums[v][u] +=
                        weight * at(threadIdx.y + v * BY + row, threadIdx.x + u * BX + column);
                }
            }
        }
    }
#pragma unroll
    for (int v = 0; v < TY; v++) {
#pragma unroll
        for (int u = 0; u < TX; u++) {
            const unsigned int row = y0 + threadIdx.y + v * BY, column = x0 + threadIdx.x + u * BX;
            if (row < h && column < w) {
                y[size_t(row) * w + column] = sums[v][u];
            }
        }
    }
}

__global__ void conv2d_reference(const float *weights, double *y, const float *x, unsigned int w,
                                 unsigned int h, double *scale)
{
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= size_t(w) * h) {
        return;
    }
    double sum = 0, size = 0;
    for (unsigned int row = 0; row < SIDE; row++) {
        for (unsigned int column = 0; column < SIDE; column++) {
            const double term = double(weights[row * SIDE + column]) *
                                x[(i / w + row) * (w + SIDE - 1) + i % w + column];
            sum += term;
            size += fabs(term);
        }
    }
    y[i] = sum;
    scale[i] = size;
}
