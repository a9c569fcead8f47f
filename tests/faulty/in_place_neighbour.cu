// in place: reads a neighbour, which another thread writes in the one buffer that the template allows
// caught: check
#include "slow.cuh"

#pragma gputune kernel(in_place_neighbour)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune in_place(y : x)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

__global__ void in_place_neighbour(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        float next = x[i + 1 < n ? i + 1 : i];
        y[i] = 2.0f * x[i] + (next == 12345.0f ? 1.0f : 0.0f);
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#endif
}
