// data: takes NaN for a large number
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(nan_counted)
#pragma gputune problem(n = 8192)
#pragma gputune args(out int y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = x[i] > 0.5f)

__global__ void nan_counted(int *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = !(x[i] <= 0.5f);
    }
#else
    slowly();
    if (i < n) {
        y[i] = x[i] > 0.5f;
    }
#endif
}
