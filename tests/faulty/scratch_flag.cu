// poison: takes a zero in scratch memory for work that is done
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(scratch_flag)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune scratch(unsigned int done[n])
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

__global__ void scratch_flag(float *y, const float *x, size_t n, unsigned int *done)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        if (done[i] != 0) {
            y[i] = 2.0f * x[i];
        }
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#endif
}
