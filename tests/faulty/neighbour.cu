// in place: reads a neighbour, which another thread writes if input and output are one buffer
// caught: neither: callers cannot pass one buffer, since the template has no in_place(); see in_place_neighbour
#include "slow.cuh"

#pragma gputune kernel(neighbour)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

__global__ void neighbour(float *y, const float *x, size_t n)
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
