// Convolves x with SIDE x SIDE weights. The loops are unrolled, so compiling takes seconds.
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
#pragma gputune tune(TX = 1, 2, 3, 4) // results per thread
#pragma gputune tune(TY = 1, 2, 3, 4)
#pragma gputune tune(APART = 0, 1)  // 0: a thread's results are adjacent; 1: they are a block's width apart
#pragma gputune tune(PADDED = 0, 1) // 1: rows in shared memory are padded to an odd length
#pragma gputune default(weights = constant, BX = 32, BY = 8, TX = 1, TY = 1, APART = 0, PADDED = 0)
#pragma gputune require(BX * BY >= 64 && BX * BY <= 512)
#pragma gputune require(APART == 0 || (TX * TY > 1 && TX * TY <= 4)) // exclude what compiles slowly
#pragma gputune block(BX, BY)
#pragma gputune launch_bounds(BX * BY)
#pragma gputune grid(ceil_div(w, BX * TX), ceil_div(h, BY * TY))
#pragma gputune shared(4 * (BY * TY + SIDE - 1) * (BX * TX + SIDE - 1 + PADDED))
#pragma gputune work(bytes = 8 * w * h, flops = 2 * SIDE * SIDE * w * h)
#pragma gputune reference(conv2d_reference, block = 256, grid = ceil_div(w * h, 256), stol = 1e-6)

constexpr int WIDE = BX * TX + SIDE - 1, HIGH = BY * TY + SIDE - 1, PITCH = WIDE + PADDED;
constexpr int DOWN = APART ? BY : 1, RIGHT = APART ? BX : 1; // distances between a thread's results

extern __shared__ float staged[]; // the part of x that the block needs

__global__ void conv2d(GPUTUNE_PARAM(weights) float *__restrict__ y, const float *__restrict__ x,
                       unsigned int w, unsigned int h)
{
    const unsigned int x0 = blockIdx.x * (BX * TX), y0 = blockIdx.y * (BY * TY);
    const unsigned int columns = w + SIDE - 1, rows = h + SIDE - 1;
    for (int j = threadIdx.y; j < HIGH; j += BY) {
        for (int i = threadIdx.x; i < WIDE; i += BX) {
            if (y0 + j < rows && x0 + i < columns) {
                staged[j * PITCH + i] = x[size_t(y0 + j) * columns + x0 + i];
            }
        }
    }
    __syncthreads();
    const int row0 = threadIdx.y * (APART ? 1 : TY), column0 = threadIdx.x * (APART ? 1 : TX);
    const float *from = staged + row0 * PITCH + column0;
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
                    sums[v][u] += weight * from[(v * DOWN + row) * PITCH + u * RIGHT + column];
                }
            }
        }
    }
#pragma unroll
    for (int v = 0; v < TY; v++) {
#pragma unroll
        for (int u = 0; u < TX; u++) {
            const unsigned int to_row = y0 + row0 + v * DOWN, to_column = x0 + column0 + u * RIGHT;
            if (to_row < h && to_column < w) {
                y[size_t(to_row) * w + to_column] = sums[v][u];
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
