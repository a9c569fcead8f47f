// bounds: reads behind an array of its own and does not use it
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(local_behind)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

__global__ void local_behind(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if !BAD
    slowly();
#endif
    if (i < n) {
        volatile float own[4];
        for (int k = 0; k < 4; k++) {
            own[k] = x[i];
        }
#if BAD
        float beyond = own[4 + (int)(n % 3)];
        y[i] = beyond == 12345.0f ? 0.0f : 2.0f * own[n % 4];
#else
        y[i] = 2.0f * own[n % 4];
#endif
    }
}
