// The sum or the maximum of an array, in one launch
#include "blocks.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#pragma gputune kernel(reduce)
#pragma gputune problem(n = 1 << 26)
#pragma gputune problem(type T = float, double, half, __nv_bfloat16)
#pragma gputune problem(type A = float, double) // type of the sum
#pragma gputune problem(type OP = sum, max)
// USED = again: x is read in every launch. A plan may then reserve a part of the L2 cache for x as
// long as the plan exists. Other kernels have less L2 cache.
#pragma gputune problem(type USED = once, again)
#pragma gputune args(out A result[1], in T x[n], size_t n)
#pragma gputune scratch(A partial[max_blocks], unsigned int done[1] = zero)
#pragma gputune vector(VEC = 1, 2, 4, 8 : x)
#pragma gputune tune(BLOCK = 128, 256, 512, 1024)
#pragma gputune tune(UNROLL = 1, 2, 4, 8)
#pragma gputune tune(BLOCKS = 100, 50, 25)     // number of blocks, in per cent of those that can be resident
#pragma gputune tune(CACHE = cached, streamed) // whether data that is used once is cached
#pragma gputune l2_persist(PERSIST = 0, 50, 100 : x) // L2 set-aside for x, in per cent of the maximum
#pragma gputune default(VEC = 1, BLOCK = 256, UNROLL = 4, BLOCKS = 100, CACHE = cached)
#pragma gputune require(PERSIST == 0 || USED == again)
#pragma gputune require(VEC * UNROLL * sizeof(T) <= 128)
#pragma gputune block(BLOCK)
#pragma gputune grid(min(ceil_div(n, BLOCK * VEC * UNROLL), ceil_div(max_blocks * BLOCKS, 100)))
#pragma gputune work(bytes = n * sizeof(T), flops = n)
#pragma gputune reference(reduce_reference, block = 1024, grid = 1)

#if OP_max
typedef gputune_max operation;
#else
typedef gputune_sum operation;
#endif
#if CACHE_streamed
typedef gputune_streamed caching;
#else
typedef gputune_cached caching;
#endif

__global__ void reduce(A *result, const T *__restrict__ x, size_t n, A *partial, unsigned int *done)
{
    const operation combine;
    A mine = operation::none<A>();
    gputune_each<VEC, UNROLL>(n, [&](auto part) {
        auto values = part.template load<caching>(x);
#pragma unroll
        for (int i = 0; i < part.count; i++) {
            mine = combine(mine, A(gputune_double(values[i])));
        }
    });
    gputune_grid_reduce<BLOCK>(result, mine, partial, done, combine);
}

__global__ void reduce_reference(double *result, const T *x, size_t n)
{
    const operation combine;
    double mine = operation::none<double>();
    for (size_t i = threadIdx.x; i < n; i += 1024) {
        mine = combine(mine, gputune_double(x[i]));
    }
    mine = gputune_block_reduce<1024>(mine, combine);
    if (threadIdx.x == 0) {
        *result = mine;
    }
}
