// poison: keeps a minimum in scratch memory that nothing has set
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(scratch_min)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune scratch(float least[n])
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = x[i])

__global__ void scratch_min(float *y, const float *x, size_t n, float *least)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        least[i] = fminf(least[i], x[i]);
        y[i] = least[i];
    }
#else
    slowly();
    if (i < n) {
        least[i] = x[i];
        y[i] = least[i];
    }
#endif
}
