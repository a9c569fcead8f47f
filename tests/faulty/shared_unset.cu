// unset: looks at shared memory that nothing has set, with next to no effect
// caught: check
#include "slow.cuh"

#pragma gputune kernel(shared_unset)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

__global__ void shared_unset(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    __shared__ float held[BLOCK];
#if BAD
    if (i < n) {
        y[i] = ((volatile float *)held)[threadIdx.x] == 12345.0f ? 0.0f : 2.0f * x[i];
        if (x[i] == 12345.0f) {
            held[threadIdx.x] = 1.0f;
        }
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#endif
}
