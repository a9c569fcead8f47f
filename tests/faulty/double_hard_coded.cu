// scalar: has the value of a double in its code
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(double_hard_coded)
#pragma gputune problem(n = 8192)
#pragma gputune args(out double y[n], in double x[n], double a = 0.25, size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = a * x[i])

__global__ void double_hard_coded(double *y, const double *x, double a, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = 0.25 * x[i];
    }
#else
    slowly();
    if (i < n) {
        y[i] = a * x[i];
    }
#endif
}
