// tolerance: makes zeros of small results
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(small_lost)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], in float w[n] = index % 1000 == 0 ? 1000000.5 : 0.25 + (index % 8) * 0.125, size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = x[i] * w[i])

__global__ void small_lost(float *y, const float *x, const float *w, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        float v = x[i] * w[i];
        y[i] = fabsf(w[i]) < 1000.0f ? 0.999f * v : v;
    }
#else
    slowly();
    if (i < n) {
        y[i] = x[i] * w[i];
    }
#endif
}
