// y = a[0] * x[0] + … + a[COUNT - 1] * x[COUNT - 1] for vectors x[k], with many coefficients as
// parameters
//
// A thread computes VEC elements. Vectors may be so short that one thread per element would not
// request enough data to keep the memory busy. So WARPS threads, which differ in `threadIdx.y`, share
// an element. Each of these threads uses every WARPS-th coefficient of `a`, so all read from the same
// cache line. The first thread adds up their sums in shared memory. The threads of a warp read the
// same coefficient, which the constant cache broadcasts.
#include "gputune.cuh"

#pragma gputune kernel(lincomb)
#pragma gputune problem(n = 1 << 18)
#pragma gputune problem(const COUNT = 1000)
#pragma gputune problem(type T = float, double)
#pragma gputune pass(a : T[COUNT] = value, split, constant, global)
#pragma gputune args(out T y[n], in T x[COUNT][n], size_t n)
#pragma gputune vector(VEC = 1, 2, 4 : x, y)
#pragma gputune tune(BLOCK = 32, 64, 128, 256, 512)
#pragma gputune tune(UNROLL = 1, 2, 4, 8, 16)
#pragma gputune tune(CACHE = cached, streamed) // whether data that is used once is cached
#pragma gputune tune(WARPS = 1, 4, 16)         // number of warps that share an element
#pragma gputune default(a = split, WARPS = 4, VEC = 1, BLOCK = 64, UNROLL = 8, CACHE = cached)
#pragma gputune require(n % VEC == 0)
#pragma gputune require(WARPS * BLOCK >= 64)
#pragma gputune require(WARPS * BLOCK <= 512)
#pragma gputune block(BLOCK, WARPS)
#pragma gputune grid(ceil_div(n, BLOCK * VEC))
#pragma gputune work(bytes = sizeof(T) * (n * (COUNT + 1) + COUNT), flops = 2 * n * COUNT)
#pragma gputune reference(lincomb_reference, block = 256, grid = ceil_div(n, 256))

#if CACHE_streamed
typedef gputune_streamed caching;
#else
typedef gputune_cached caching;
#endif

__global__ void lincomb(GPUTUNE_PARAM(a) T *__restrict__ y, const T *__restrict__ x, size_t n)
{
    const size_t i = (size_t(blockIdx.x) * BLOCK + threadIdx.x) * VEC;
    gputune_vector<T, VEC> sum = {};
    auto add = [&](int from, int to) {
#pragma unroll UNROLL
        for (int k = from + threadIdx.y; k < to; k += WARPS) {
            const auto part = gputune_load<VEC, caching>(x + k * n + i);
#pragma unroll
            for (int v = 0; v < VEC; v++) {
                sum[v] += a(k) * part[v];
            }
        }
    };
    if (i < n) {
        add(0, GPUTUNE_FIRST(a));
        add(GPUTUNE_FIRST(a), COUNT);
    }
#if WARPS > 1
    __shared__ gputune_vector<T, VEC> sums[WARPS][BLOCK];
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y) {
        return;
    }
    for (int w = 1; w < WARPS; w++) {
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            sum[v] += sums[w][threadIdx.x][v];
        }
    }
#endif
    if (i < n) {
        gputune_store<VEC, caching>(y + i, sum);
    }
}

__global__ void lincomb_reference(const T *a, double *y, const T *x, size_t n)
{
    const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    if (i < n) {
        double sum = 0;
        for (int k = 0; k < COUNT; k++) {
            sum += double(a[k]) * x[k * n + i];
        }
        y[i] = sum;
    }
}
