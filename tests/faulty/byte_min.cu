// poison: a minimum of bytes with what the output held before
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(byte_min)
#pragma gputune problem(n = 8192)
#pragma gputune args(out unsigned char y[n], in unsigned char x[n] = uniform(0, 100), size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = x[i])

__global__ void byte_min(unsigned char *y, const unsigned char *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = y[i] < x[i] ? y[i] : x[i];
    }
#else
    slowly();
    if (i < n) {
        y[i] = x[i];
    }
#endif
}
