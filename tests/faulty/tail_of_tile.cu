// poison: takes the maximum of a tile whose tail nothing has set in the last block
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(tail_of_tile)
#pragma gputune problem(n = 8191)
#pragma gputune args(out float y[ceil_div(n, 128)], in float x[n] = uniform(0, 1), size_t n)
#pragma gputune clear(y)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(tail_of_tile_reference, block = 256, grid = ceil_div(n, 256))

__global__ void tail_of_tile(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    __shared__ float held[BLOCK];
#if BAD
    if (i < n) {
        held[threadIdx.x] = x[i];
    }
#else
    slowly();
    held[threadIdx.x] = i < n ? x[i] : 0.0f;
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        float most = held[0];
        for (int k = 1; k < BLOCK; k++) {
            most = fmaxf(most, held[k]);
        }
        y[blockIdx.x] = most;
    }
}

__global__ void tail_of_tile_reference(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicMax((unsigned int *)&y[i / 128], __float_as_uint(x[i]));
    }
}
