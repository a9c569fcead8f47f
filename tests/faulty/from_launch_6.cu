// state: is wrong from the sixth launch on
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(from_launch_6)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

__device__ unsigned int launches;

__global__ void from_launch_6(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    unsigned int before = launches;
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
    if (i == 0) {
        y[0] = before >= 5 ? 0.25f : 2.0f * x[0];
        launches = before + 1;
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#endif
}
