// alignment: reads two at once at odd places
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(two_shorts)
#pragma gputune problem(n = 8192)
#pragma gputune args(out short y[n], in short x[n] = uniform(-1000, 1000), size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = x[i])

__global__ void two_shorts(short *y, const short *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        if (i + 2 < n) {
            unsigned int v = *(const volatile unsigned int *)(x + i);
            y[i] = (short)v;
        } else {
            y[i] = x[i];
        }
    }
#else
    slowly();
    if (i < n) {
        y[i] = x[i];
    }
#endif
}
