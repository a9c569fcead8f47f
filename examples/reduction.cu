// The sum of an array in one launch: the block that finishes last adds up the blocks' sums
#include "gputune.cuh"

#pragma gputune kernel(reduction)
#pragma gputune problem(n = 1 << 24)
#pragma gputune args(out float sum[1], in float x[n], size_t n)
#pragma gputune scratch(float partial[max_blocks])
#pragma gputune scratch(unsigned int done[1])
#pragma gputune clear(done)
#pragma gputune vector(VEC = 1, 2, 4 : x)
#pragma gputune tune(BLOCK = 128, 256, 512)
#pragma gputune tune(UNROLL = 1, 2, 4)
#pragma gputune tune(BLOCKS = resident, 32, 64, 128, 256, 512) // resident: as many blocks as fit on the GPU
#pragma gputune tune(SHUFFLE = 1, 0) // 1: sums within warps by shuffles; 0: sums within blocks in shared memory
#pragma gputune default(VEC = 1, BLOCK = 256, UNROLL = 1)
#pragma gputune block(BLOCK)
#pragma gputune grid(min(BLOCKS == resident ? max_blocks : min(BLOCKS, max_blocks), \
                         ceil_div(n, BLOCK * VEC * UNROLL)))
#pragma gputune work(bytes = 4 * n, flops = n)
#pragma gputune reference(reduction_reference, block = 32, grid = 1)

GPUTUNE_INLINE float block_sum(float value)
{
#if SHUFFLE
    __shared__ float warps[32];
    for (int step = 16; step > 0; step /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, step);
    }
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = threadIdx.x < BLOCK / 32 ? warps[threadIdx.x] : 0;
    __syncthreads();
    for (int step = 16; step > 0 && threadIdx.x < 32; step /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, step);
    }
#else
    __shared__ float sums[BLOCK];
    sums[threadIdx.x] = value;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
        __syncthreads();
    }
    value = sums[0];
    __syncthreads();
#endif
    return value; // the sum is valid only in the first thread
}

__global__ void reduction(float *sum, const float *x, size_t n, float *partial, unsigned int *done)
{
    __shared__ bool last;
    float mine = 0;
    gputune_each<VEC, UNROLL>(n, [&](auto part) {
        auto values = part.load(x);
        for (int i = 0; i < part.count; i++) {
            mine += values[i];
        }
    });
    mine = block_sum(mine);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = mine;
        __threadfence();
        last = atomicAdd(done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) {
        return;
    }
    mine = 0;
    for (unsigned int i = threadIdx.x; i < gridDim.x; i += BLOCK) {
        mine += __ldcg(&partial[i]);
    }
    mine = block_sum(mine);
    if (threadIdx.x == 0) {
        *sum = mine;
    }
}

__global__ void reduction_reference(double *sum, const float *x, size_t n)
{
    double mine = 0;
    for (size_t i = threadIdx.x; i < n; i += 32) {
        mine += x[i];
    }
    for (int step = 16; step > 0; step /= 2) {
        mine += __shfl_down_sync(0xffffffffu, mine, step);
    }
    if (threadIdx.x == 0) {
        *sum = mine;
    }
}
