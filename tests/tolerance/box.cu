// Mean of 15 x 15 neighbours, added in several correct orders or with a fault; edges are repeated.
#pragma gputune kernel(box)
#pragma gputune problem(w = 96, h = 64)
#pragma gputune args(out float y[h][w], in float x[h][w], int w, int h)
#pragma gputune tune(ORDER = rows, columns, strips)
#pragma gputune tune(FAULT = none, off_by_one, element, half)
#pragma gputune default(ORDER = rows, FAULT = none)
#pragma gputune require(FAULT == none || ORDER == rows)
#pragma gputune block(128)
#pragma gputune grid(ceil_div(w * h, 128))
#pragma gputune reference(box_reference, block = 128, grid = ceil_div(w * h, 128))
#include "rounding.cuh"

static __device__ float at(const float *x, int row, int column, int w, int h)
{
    row = row < 0 ? 0 : row >= h ? h - 1 : row;
    column = column < 0 ? 0 : column >= w ? w - 1 : column;
    return x[row * w + column];
}

__global__ void box(float *y, const float *x, int w, int h)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    float s = 0;
    if (i >= w * h) {
        return;
    }
    for (int a = -7; a <= 7; a++) {
        float strip = 0;
        for (int b = -7; b <= 7; b++) {
#if ORDER_columns
            s += at(x, i / w + b, i % w + a, w, h);
#elif ORDER_strips
            strip += at(x, i / w + a, i % w - b, w, h);
#elif FAULT_off_by_one
            s += at(x, i / w + a, i % w + b + (b == 7), w, h);
#elif FAULT_half
            s = rounded_to_half(s + at(x, i / w + a, i % w + b, w, h));
#else
            s += at(x, i / w + a, i % w + b, w, h);
#endif
        }
        s += strip;
    }
#if FAULT_element
    s = i == 1234 ? s * 1.001f : s;
#endif
#if ORDER_rows
    y[i] = s / 225;
#else
    y[i] = s * (1.0f / 225);
#endif
}

__global__ void box_reference(float *y, const float *x, int w, int h)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    float s = 0;
    if (i < w * h) {
        for (int a = -7; a <= 7; a++) {
            for (int b = -7; b <= 7; b++) {
                s += at(x, i / w + a, i % w + b, w, h);
            }
        }
        y[i] = s / 225;
    }
}
