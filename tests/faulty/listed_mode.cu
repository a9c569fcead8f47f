// scalar: is wrong for one of the modes that the template lists
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(listed_mode)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], int mode = 0, size_t n)
#pragma gputune prove(mode = 0, 1, 2)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = mode == 0 ? x[i] : mode == 1 ? -x[i] : fabsf(x[i]))

__global__ void listed_mode(float *y, const float *x, int mode, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = mode == 0 ? x[i] : mode == 1 ? -x[i] : x[i] * x[i];
    }
#else
    slowly();
    if (i < n) {
        y[i] = mode == 0 ? x[i] : mode == 1 ? -x[i] : fabsf(x[i]);
    }
#endif
}
