// tolerance: adds doubles as floats
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(double_as_float)
#pragma gputune problem(n = 8192)
#pragma gputune args(out double y[n], in double x[n][9], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(double_as_float_reference, block = 256, grid = ceil_div(n, 256))

__global__ void double_as_float(double *y, const double *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        float s = 0.0f;
        for (int k = 0; k < 9; k++) {
            s += (float)x[9 * i + k];
        }
        y[i] = s;
    }
#else
    slowly();
    if (i < n) {
        double s = 0.0;
        for (int k = 0; k < 9; k++) {
            s += x[9 * i + k];
        }
        y[i] = s;
    }
#endif
}

__global__ void double_as_float_reference(double *y, const double *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double s = 0.0;
        for (int k = 8; k >= 0; k--) {
            s += x[9 * i + k];
        }
        y[i] = s;
    }
}
