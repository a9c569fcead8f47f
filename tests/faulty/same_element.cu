// race: two blocks write the same element, and the later one is taken to win
// caught: check
#include "slow.cuh"

#pragma gputune kernel(same_element)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[ceil_div(n, 2)], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(same_element_reference, block = 256, grid = ceil_div(n, 256))

__global__ void same_element(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        y[i / 2] = 2.0f * x[i];
    }
#else
    slowly();
    if (i < n) {
        if (i % 2 == 1 || i == n - 1) {
            y[i / 2] = 2.0f * x[i];
        }
    }
#endif
}

__global__ void same_element_reference(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (i % 2 == 1 || i == n - 1) {
            y[i / 2] = 2.0f * x[i];
        }
    }
}
