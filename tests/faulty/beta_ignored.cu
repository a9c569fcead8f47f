// scalar: ignores beta, which is 1 in the template
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(beta_ignored)
#pragma gputune problem(n = 8192)
#pragma gputune args(inout float y[n], in float x[n], float alpha = 2, float beta = 1, size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = alpha * x[i] + beta * y[i])

__global__ void beta_ignored(float *y, const float *x, float alpha, float beta, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = alpha * x[i] + y[i];
    }
#else
    slowly();
    if (i < n) {
        y[i] = alpha * x[i] + beta * y[i];
    }
#endif
}
