// A matrix-vector product whose terms cancel, computed in several correct orders or with a fault.
#pragma gputune kernel(dot)
#pragma gputune problem(rows = 256, columns = 1024)
#pragma gputune args(out float y[rows], in float a[rows][columns], in float x[columns], int rows, \
                     int columns)
#pragma gputune tune(ORDER = serial, fours, warps, rounded)
#pragma gputune tune(FAULT = none, off_by_one, lane, half)
#pragma gputune default(ORDER = serial, FAULT = none)
#pragma gputune require(FAULT == none || ORDER == warps)
#pragma gputune block(ORDER == warps ? 32 : 64)
#pragma gputune grid(ORDER == warps ? rows : ceil_div(rows, 64))
#pragma gputune reference(dot_reference, block = 64, grid = ceil_div(rows, 64))
#include "rounding.cuh"

__global__ void dot(float *y, const float *a, const float *x, int rows, int columns)
{
#if ORDER_warps
    int row = blockIdx.x, end = columns;
    float s = 0;
#if FAULT_off_by_one
    end--;
#endif
    for (int i = threadIdx.x; i < end; i += 32) {
#if FAULT_half
        s = rounded_to_half(s + a[row * columns + i] * x[i]);
#else
        s += a[row * columns + i] * x[i];
#endif
    }
#if FAULT_lane
    s = threadIdx.x == 9 ? 0 : s;
#endif
    for (int step = 16; step > 0; step /= 2) {
        s += __shfl_xor_sync(0xffffffffu, s, step);
    }
    if (threadIdx.x == 0) {
        y[row] = s;
    }
#else
    int row = blockIdx.x * 64 + threadIdx.x;
    float s[4] = {0, 0, 0, 0};
    if (row >= rows) {
        return;
    }
    for (int i = 0; i < columns; i++) {
#if ORDER_fours
        s[i & 3] += a[row * columns + i] * x[i];
#elif ORDER_rounded
        s[0] += __fmul_rn(a[row * columns + i], x[i]);
#else
        s[0] += a[row * columns + i] * x[i];
#endif
    }
    y[row] = s[0] + s[1] + s[2] + s[3];
#endif
}

__global__ void dot_reference(float *y, const float *a, const float *x, int rows, int columns)
{
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) {
        for (int i = 0; i < columns; i++) {
            s += a[row * columns + i] * x[i];
        }
        y[row] = s;
    }
}
