// poison: an unsigned minimum with what the output held before
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(unsigned_min)
#pragma gputune problem(n = 8192)
#pragma gputune args(out unsigned int y[n], in unsigned int x[n] = uniform(0, 1000000), size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = x[i] + 1)

__global__ void unsigned_min(unsigned int *y, const unsigned int *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = min(y[i], x[i] + 1);
    }
#else
    slowly();
    if (i < n) {
        y[i] = x[i] + 1;
    }
#endif
}
