// data: takes integers through float, which loses those above 2^24
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(beyond_2_24)
#pragma gputune problem(n = 8192)
#pragma gputune args(out int y[n], in int x[n] = uniform(0, 16777217), size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = x[i])

__global__ void beyond_2_24(int *y, const int *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = (int)(float)x[i];
    }
#else
    slowly();
    if (i < n) {
        y[i] = x[i];
    }
#endif
}
