// scalar: ignores the flag, which is 0 in the template
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(flag_ignored)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], int flag = 0, size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = flag ? -x[i] : x[i])

__global__ void flag_ignored(float *y, const float *x, int flag, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = x[i];
    }
#else
    slowly();
    if (i < n) {
        y[i] = flag ? -x[i] : x[i];
    }
#endif
}
