// Sums of N positive floats, added in correct orders or with a fault; the reference adds doubles.
#pragma gputune kernel(positive_sum)
#pragma gputune problem(const N = 1000000)
#pragma gputune args(out float total[1], in float x[N] = uniform(0, 1))
#pragma gputune clear(total)
#pragma gputune tune(ORDER = tree, warps)
#pragma gputune tune(FAULT = none, warp, tail, half)
#pragma gputune default(ORDER = tree, FAULT = none)
#pragma gputune require(FAULT == none || ORDER == tree)
#pragma gputune block(256)
#pragma gputune grid(FAULT == half ? 1 : ORDER == warps || FAULT == warp ? ceil_div(N, 256) : ceil_div(N, 256 * 32))
#pragma gputune reference(positive_sum_reference, block = 1, grid = 1)
#include "sums.cuh"

__global__ void positive_sum(float *total, const float *x)
{
    add_up(total, x, N);
}

__global__ void positive_sum_reference(double *total, const float *x)
{
    double s = 0;
    for (size_t i = 0; i < N; i++) {
        s += x[i];
    }
    total[0] = s;
}
