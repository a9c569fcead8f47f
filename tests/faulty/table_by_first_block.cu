// state: has a table that the first launch makes for the scalar it has then
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(table_by_first_block)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], float a = 1.5, size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = a * (float)(i % 7) + x[i])

__device__ float table[65536];
__device__ bool made[65536];

__global__ void table_by_first_block(float *y, const float *x, float a, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        if (!made[i]) {
            table[i] = a * (float)(i % 7);
            made[i] = true;
        }
        y[i] = table[i] + x[i];
    }
#else
    slowly();
    if (i < n) {
        y[i] = a * (float)(i % 7) + x[i];
    }
#endif
}
