/* Sums of n floats around zero, added in several correct
 * orders or with a fault; the reference adds in sequence. */
#pragma gputune kernel(sum)
#pragma gputune problem(n = 1000000)
#pragma gputune args(out float total[1], in float x[n], size_t n)
#pragma gputune clear(total)
#pragma gputune tune(ORDER = tree, warps, serial)
#pragma gputune tune(FAULT = none, warp, tail, half)
#pragma gputune default(ORDER = tree, FAULT = none)
#pragma gputune require(FAULT == none || ORDER == tree)
#pragma gputune block(ORDER == serial ? 1 : 256)
#pragma gputune grid(ORDER == serial || FAULT == half ? 1 : ceil_div(n, 256 * 32))
#pragma gputune reference(sum_reference, block = 1, grid = 1)
#include "sums.cuh"

__global__ void sum(float *total, const float *x, size_t n)
{
#if ORDER_serial
    float s = 0;
    for (size_t i = 0; i < n; i++) {
        s += x[i];
    }
    total[0] = s;
#else
    add_up(total, x, n);
#endif
}

__global__ void sum_reference(float *total, const float *x, size_t n)
{
    float s = 0;
    for (size_t i = 0; i < n; i++) {
        s += x[i];
    }
    total[0] = s;
}
