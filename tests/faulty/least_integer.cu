// data: is wrong for the least integer, which has no magnitude
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(least_integer)
#pragma gputune problem(n = 8192)
#pragma gputune args(out int y[n], in int x[n] = uniform(-2147483648, 2147483647), size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = x[i] < 0 ? (int)(-(long long)x[i] / 3) : x[i] / 3)

__global__ void least_integer(int *y, const int *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = abs(x[i]) / 3;
    }
#else
    slowly();
    if (i < n) {
        y[i] = x[i] < 0 ? (int)(-(long long)x[i] / 3) : x[i] / 3;
    }
#endif
}
