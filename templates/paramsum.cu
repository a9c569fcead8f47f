// The sum of a parameter block, by one thread: measures the cost of passing a large block
#include "gputune.cuh"

#pragma gputune kernel(paramsum)
#pragma gputune problem(const COUNT = 8000)
#pragma gputune pass(values : int[COUNT] = value, split, constant, global : uniform(-1000, 1000))
#pragma gputune args(out int sum[1])
#pragma gputune tune(UNROLL = 1, 2, 4, 8, 16)
#pragma gputune tune(SUMS = 1, 4) // independent partial sums
#pragma gputune default(values = split, UNROLL = 16, SUMS = 4)
#pragma gputune block(1)
#pragma gputune grid(1)
#pragma gputune work(bytes = 4 * COUNT, flops = COUNT)
#pragma gputune reference(paramsum_reference, block = 1, grid = 1)

__global__ void paramsum(GPUTUNE_PARAM(values) int *sum)
{
    int part[SUMS] = {};
    auto add = [&](int from, int to) {
        int i = from;
#pragma unroll UNROLL
        for (; i + SUMS <= to; i += SUMS) {
#pragma unroll
            for (int s = 0; s < SUMS; s++) {
                part[s] += values(i + s);
            }
        }
        for (; i < to; i++) {
            part[0] += values(i);
        }
    };
    add(0, GPUTUNE_FIRST(values));
    add(GPUTUNE_FIRST(values), COUNT);
    int total = 0;
#pragma unroll
    for (int s = 0; s < SUMS; s++) {
        total += part[s];
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *sum = total;
    }
}

__global__ void paramsum_reference(const int *values, int *sum)
{
    int total = 0;
    for (int i = 0; i < COUNT; i++) {
        total += values[i];
    }
    *sum = total;
}
