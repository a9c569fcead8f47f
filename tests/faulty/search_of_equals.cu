// data: finds the last of equal keys instead of the first
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(search_of_equals)
#pragma gputune problem(n = 8192)
#pragma gputune args(out int y[n], in float table[64] = sorted(0, 1), in float x[n] = uniform(0, 1), size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(search_of_equals_reference, block = 256, grid = ceil_div(n, 256))

__global__ void search_of_equals(int *y, const float *table, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        size_t at = 0;
        while (at < 64 && table[at] <= x[i]) {
            at++;
        }
        y[i] = (int)at;
    }
#else
    slowly();
    if (i < n) {
        size_t at = 0;
        while (at < 64 && table[at] < x[i]) {
            at++;
        }
        y[i] = (int)at;
    }
#endif
}

__global__ void search_of_equals_reference(int *y, const float *table, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        size_t at = 0;
        while (at < 64 && table[at] < x[i]) {
            at++;
        }
        y[i] = (int)at;
    }
}
