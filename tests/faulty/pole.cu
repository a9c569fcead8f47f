// tolerance: is off by a few per cent away from a pole
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(pole)
#pragma gputune problem(n = 65536)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 1.0f / (x[i] + 1.00001f))

__global__ void pole(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        float v = x[i] + 1.00001f;
        y[i] = v < 0.003f ? 1.0f / v : 0.992f / v;
    }
#else
    slowly();
    if (i < n) {
        y[i] = 1.0f / (x[i] + 1.00001f);
    }
#endif
}
