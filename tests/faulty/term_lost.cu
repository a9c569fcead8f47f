// tolerance: loses the last of a thousand terms
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(term_lost)
#pragma gputune problem(rows = 64, n = 1000)
#pragma gputune args(out float y[rows], in float x[rows][n], size_t rows, size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 32)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(rows)
#pragma gputune reference(term_lost_reference, block = 64, grid = ceil_div(rows, 64))

__global__ void term_lost(float *y, const float *x, size_t rows, size_t n)
{
    const float *row = x + blockIdx.x * n;
#if BAD
    if (threadIdx.x == 0) {
        float s = 0.0f;
        for (size_t k = 0; k + 1 < n; k++) {
            s += row[k];
        }
        y[blockIdx.x] = s;
    }
#else
    slowly();
    if (threadIdx.x == 0) {
        float s = 0.0f;
        for (size_t k = 0; k < n; k++) {
            s += row[k];
        }
        y[blockIdx.x] = s;
    }
#endif
}

__global__ void term_lost_reference(double *y, const float *x, size_t rows, size_t n)
{
    size_t r = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    double s = 0.0;
    for (size_t k = 0; k < n && r < rows; k++) {
        s += x[r * n + k];
    }
    if (r < rows) {
        y[r] = s;
    }
}
