// tolerance: divides by an approximation that is off by one in a thousand, beside a pole
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(coarse_division)
#pragma gputune problem(n = 65536)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 1.0f / (x[i] + 1.0000001f))

__global__ void coarse_division(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        float v = x[i] + 1.0000001f;
        y[i] = v < 0.001f ? 1.0f / v : 0.997f / v;
    }
#else
    slowly();
    if (i < n) {
        y[i] = 1.0f / (x[i] + 1.0000001f);
    }
#endif
}
