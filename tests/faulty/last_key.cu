// data: loses keys that are the largest of the declared range
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(last_key)
#pragma gputune problem(n = 8192)
#pragma gputune args(out int y[n], in int x[n] = uniform(0, 1048575), size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = x[i] + 1)

__global__ void last_key(int *y, const int *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        if (x[i] != 1048575) {
            y[i] = x[i] + 1;
        } else {
            y[i] = 0;
        }
    }
#else
    slowly();
    if (i < n) {
        y[i] = x[i] + 1;
    }
#endif
}
