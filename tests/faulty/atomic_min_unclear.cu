// poison: an atomic minimum on an output that nothing has set
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(atomic_min_unclear)
#pragma gputune problem(n = 8192)
#pragma gputune args(out unsigned int y[n], in unsigned int x[n] = uniform(0, 1000000), size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = x[i] + 1)

__global__ void atomic_min_unclear(unsigned int *y, const unsigned int *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        atomicMin(&y[i], x[i] + 1);
    }
#else
    slowly();
    if (i < n) {
        y[i] = x[i] + 1;
    }
#endif
}
