// unset: adds up an array of its own of which it has set a part
// caught: check
#include "slow.cuh"

#pragma gputune kernel(local_unset)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

__global__ void local_unset(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        volatile float own[8];
        for (int k = 0; k < 4; k++) {
            own[k + n % 2] = x[i];
        }
        float s = 0.0f;
        for (int k = 0; k < 5; k++) {
            s += own[k];
        }
        y[i] = s * 0.5f;
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#endif
}
