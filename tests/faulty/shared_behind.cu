// bounds: reads behind its shared memory and does not use it
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(shared_behind)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

__global__ void shared_behind(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    __shared__ float held[BLOCK];
#if BAD
    if (i < n) {
        held[threadIdx.x] = x[i];
        float beyond = ((volatile float *)held)[threadIdx.x + 4096];
        y[i] = beyond == 12345.0f ? 0.0f : 2.0f * x[i];
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#endif
}
