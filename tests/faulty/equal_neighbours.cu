// data: takes it that neighbours differ
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(equal_neighbours)
#pragma gputune problem(n = 8192)
#pragma gputune args(out int y[n], in int x[n] = uniform(0, 1000000000), size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = i == 0 || x[i] != x[i - 1])

__global__ void equal_neighbours(int *y, const int *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = i == 0 || x[i] != x[i - 1] || i > 0;
    }
#else
    slowly();
    if (i < n) {
        y[i] = i == 0 || x[i] != x[i - 1];
    }
#endif
}
