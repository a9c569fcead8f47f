// y[i] = x[i]: a measure of the memory bandwidth that a kernel reaches
#include "gputune.cuh"

#pragma gputune kernel(copy)
#pragma gputune problem(n = 1 << 27)
#pragma gputune problem(type T = float, double, int, short, char)
#pragma gputune args(out T y[n], in T x[n] = uniform(-100, 100), size_t n)
#pragma gputune vector(VEC = 1, 2, 4, 8 : x, y)
#pragma gputune tune(BLOCK = 128, 256, 512, 1024)
#pragma gputune tune(UNROLL = 1, 2, 4)
#pragma gputune tune(CACHE = cached, streamed) // whether data that is used once is cached
#pragma gputune tune(WAVES = 0, 1)             // 0: one block per tile; 1: only as many blocks as can be resident
#pragma gputune default(VEC = 1, BLOCK = 256, UNROLL = 4, CACHE = cached, WAVES = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(WAVES ? min(ceil_div(n, BLOCK * VEC * UNROLL), WAVES * max_blocks) \
                           : ceil_div(n, BLOCK * VEC * UNROLL))
#pragma gputune work(bytes = 2 * n * sizeof(T))
#pragma gputune reference(copy_reference, block = 256, grid = ceil_div(n, 256), rtol = 0)

#if CACHE_streamed
typedef gputune_streamed caching;
#else
typedef gputune_cached caching;
#endif

__global__ void copy(T *__restrict__ y, const T *__restrict__ x, size_t n)
{
    gputune_each<VEC, UNROLL>(n, [=](auto part) {
        part.template store<caching>(y, part.template load<caching>(x));
    });
}

__global__ void copy_reference(T *y, const T *x, size_t n)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i];
    }
}
