// state: keeps its results by the address of the input
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(cached_by_address)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

__device__ const float *kept_of[65536];
__device__ float kept[65536];

__global__ void cached_by_address(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        bool known = kept_of[i] == x;
        kept[i] = known ? kept[i] : 2.0f * x[i];
        kept_of[i] = x;
        y[i] = kept[i];
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#endif
}
