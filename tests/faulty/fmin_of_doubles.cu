// poison: the same with doubles: a minimum with garbage
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(fmin_of_doubles)
#pragma gputune problem(n = 8192)
#pragma gputune args(out double y[n], in double x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0 * x[i])

__global__ void fmin_of_doubles(double *y, const double *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = fmin(y[i], 2.0 * x[i]);
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0 * x[i];
    }
#endif
}
