// scalar: ignores a member of a struct that comes by value
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(struct_hard_coded)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], params p = {2, 0.5}, size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = p.scale * x[i] + p.shift)

struct params {
    float scale, shift;
};

__global__ void struct_hard_coded(float *y, const float *x, params p, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i] = p.scale * x[i] + 0.5f;
    }
#else
    slowly();
    if (i < n) {
        y[i] = p.scale * x[i] + p.shift;
    }
#endif
}
