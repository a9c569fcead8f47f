// y[i] += a * x[i]: two loads and a store per element, limited by memory bandwidth
#include "gputune.cuh"

#pragma gputune kernel(axpy)
#pragma gputune problem(n = 1 << 26)
#pragma gputune problem(type T = float, double)
#pragma gputune args(inout T y[n], in T x[n], T a = 1.5, size_t n)
#pragma gputune vector(VEC = 1, 2, 4, 8 : x, y)
#pragma gputune tune(BLOCK = 64, 128, 256, 512, 1024)
#pragma gputune tune(UNROLL = 1, 2, 4, 8)
#pragma gputune default(VEC = 1, BLOCK = 256, UNROLL = 1)
#pragma gputune require(BLOCK * UNROLL <= 8192)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK * VEC * UNROLL))
#pragma gputune work(bytes = 3 * n * sizeof(T), flops = 2 * n)
#pragma gputune reference(axpy_reference, block = 256, grid = ceil_div(n, 256),                    \
                          rtol = sizeof(T) == 8 ? 1e-14 : 1e-6)

__global__ void axpy(T *__restrict__ y, const T *__restrict__ x, T a, size_t n)
{
    gputune_each<VEC, UNROLL>(n, [=](auto part) {
        auto sum = part.load(y);
        auto term = part.load(x);
#pragma unroll
        for (int i = 0; i < part.count; i++) {
            sum[i] += a * term[i];
        }
        part.store(y, sum);
    });
}

__global__ void axpy_reference(double *y, const T *x, T a, size_t n)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] += double(a) * x[i];
    }
}
