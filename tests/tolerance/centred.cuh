// Sums of rows whose terms almost cancel, computed in several correct orders or with a fault.
#include "rounding.cuh"

__global__ void centred(float *y, const float *x, int rows, int columns)
{
    int row = blockIdx.x * 64 + threadIdx.x;
    float s[4] = {0, 0, 0, 0};
    if (row >= rows) {
        return;
    }
    for (int i = 0; i < columns; i++) {
#if ORDER_backwards
        s[0] += x[row * columns + columns - 1 - i];
#elif ORDER_fours
        s[i & 3] += x[row * columns + i];
#elif FAULT_off_by_one
        s[0] += i == 0 ? 0 : x[row * columns + i];
#elif FAULT_half
        s[0] = rounded_to_half(s[0] + x[row * columns + i]);
#else
        s[0] += x[row * columns + i];
#endif
    }
    y[row] = s[0] + s[1] + s[2] + s[3];
}

__global__ void centred_reference(double *y, const float *x, int rows, int columns)
{
    int row = blockIdx.x * 64 + threadIdx.x;
    double s = 0;
    if (row < rows) {
        for (int i = 0; i < columns; i++) {
            s += x[row * columns + i];
        }
        y[row] = s;
    }
}
