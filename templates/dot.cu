// The sum of x[i] * y[i] in one launch
#include "blocks.cuh"

#pragma gputune kernel(dot)
#pragma gputune problem(n = 1 << 26)
#pragma gputune problem(type T = float, double)
// USED = again: x is read in every launch. A plan may then reserve a part of the L2 cache for x as
// long as the plan exists. Other kernels have less L2 cache.
#pragma gputune problem(type USED = once, again)
#pragma gputune args(out T result[1], in T x[n], in T y[n], size_t n)
#pragma gputune scratch(T partial[max_blocks], unsigned int done[1] = zero)
#pragma gputune vector(VEC = 1, 2, 4 : x, y)
#pragma gputune tune(BLOCK = 128, 256, 512, 1024)
#pragma gputune tune(UNROLL = 1, 2, 4, 8)
#pragma gputune tune(BLOCKS = 100, 50, 25)     // number of blocks, in per cent of those that can be resident
#pragma gputune tune(CACHE = cached, streamed) // whether data that is used once is cached
#pragma gputune l2_persist(PERSIST = 0, 50, 100 : x) // L2 set-aside for x, in per cent of the maximum
#pragma gputune default(VEC = 1, BLOCK = 256, UNROLL = 4, BLOCKS = 100, CACHE = cached)
#pragma gputune require(PERSIST == 0 || USED == again)
#pragma gputune require(VEC * UNROLL * sizeof(T) <= 64)
#pragma gputune block(BLOCK)
#pragma gputune grid(min(ceil_div(n, BLOCK * VEC * UNROLL), ceil_div(max_blocks * BLOCKS, 100)))
#pragma gputune work(bytes = 2 * n * sizeof(T), flops = 2 * n)
#pragma gputune reference(dot_reference, block = 1024, grid = 1)

#if CACHE_streamed
typedef gputune_streamed caching;
#else
typedef gputune_cached caching;
#endif

__global__ void dot(T *result, const T *__restrict__ x, const T *__restrict__ y, size_t n,
                    T *partial, unsigned int *done)
{
    T mine = 0;
    gputune_each<VEC, UNROLL>(n, [&](auto part) {
        auto left = part.template load<caching>(x);
        auto right = part.template load<caching>(y);
#pragma unroll
        for (int i = 0; i < part.count; i++) {
            mine += left[i] * right[i];
        }
    });
    gputune_grid_reduce<BLOCK>(result, mine, partial, done, gputune_sum());
}

__global__ void dot_reference(double *result, const T *x, const T *y, size_t n)
{
    double mine = 0;
    for (size_t i = threadIdx.x; i < n; i += 1024) {
        mine += double(x[i]) * y[i];
    }
    mine = gputune_block_reduce<1024>(mine, gputune_sum());
    if (threadIdx.x == 0) {
        *result = mine;
    }
}
