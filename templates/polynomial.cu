// y = c[0] + c[1] * x + … + c[COUNT - 1] * x^(COUNT - 1) for each x, with 32 KB of coefficients as
// parameters
#include "gputune.cuh"

#pragma gputune kernel(polynomial)
#pragma gputune problem(n = 1 << 14)
#pragma gputune problem(const COUNT = 8000)
#pragma gputune problem(type T = float, double)
#pragma gputune pass(c : T[COUNT] = value, split, constant, global)
#pragma gputune args(out T y[n], in T x[n] = uniform(-1, 1), size_t n)
#pragma gputune tune(BLOCK = 32, 64, 128, 256)
#pragma gputune tune(POINTS = 1, 2, 4) // number of points of a thread; each coefficient is read once
#pragma gputune tune(CHAINS = 1, 2, 4) // number of chains of dependent operations per point
#pragma gputune tune(UNROLL = 1, 2, 4, 8, 16)
#pragma gputune default(c = split, BLOCK = 128, POINTS = 4, CHAINS = 1, UNROLL = 16)
#pragma gputune require(COUNT % CHAINS == 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK * POINTS))
#pragma gputune work(bytes = sizeof(T) * (2 * n + COUNT), flops = 2 * n * COUNT)
// The tolerance is an upper bound of rounding errors. The change of results with x does not show the
// right tolerance, because results are very sensitive to x near 1 and -1.
#pragma gputune reference(polynomial_reference, block = 128, grid = ceil_div(n, 128),              \
                          rtol = sizeof(T) == 8 ? 1e-12 : 1e-3,                                    \
                          atol = sizeof(T) == 8 ? 1e-11 : 5e-3)

__global__ void polynomial(GPUTUNE_PARAM(c) T *__restrict__ y, const T *__restrict__ x, size_t n)
{
    const size_t first = size_t(blockIdx.x) * (BLOCK * POINTS) + threadIdx.x;
    T at[POINTS], step[POINTS], sum[POINTS][CHAINS] = {};
#pragma unroll
    for (int p = 0; p < POINTS; p++) {
        at[p] = first + p * BLOCK < n ? x[first + p * BLOCK] : 0;
        step[p] = CHAINS == 1 ? at[p] : CHAINS == 2 ? at[p] * at[p] : at[p] * at[p] * at[p] * at[p];
    }
    // Horner's rule, from the highest power to the lowest; chain s has the powers s, s + CHAINS, …
    auto add = [&](int from, int to) {
#pragma unroll UNROLL
        for (int k = to; k > from; k -= CHAINS) {
#pragma unroll
            for (int s = 0; s < CHAINS; s++) {
#pragma unroll
                for (int p = 0; p < POINTS; p++) {
                    sum[p][s] = sum[p][s] * step[p] + c(k - CHAINS + s);
                }
            }
        }
    };
    constexpr int below = GPUTUNE_FIRST(c) / CHAINS * CHAINS;
    constexpr int above = below < GPUTUNE_FIRST(c) ? below + CHAINS : below;
    add(above, COUNT);
    add(below, above); // of both parts
    add(0, below);
#pragma unroll
    for (int p = 0; p < POINTS; p++) {
        T total = 0;
#pragma unroll
        for (int s = CHAINS - 1; s >= 0; s--) {
            total = total * at[p] + sum[p][s];
        }
        if (first + p * BLOCK < n) {
            y[first + p * BLOCK] = total;
        }
    }
}

__global__ void polynomial_reference(const T *c, double *y, const T *x, size_t n)
{
    const size_t i = size_t(blockIdx.x) * 128 + threadIdx.x;
    if (i < n) {
        double sum = 0;
        for (int k = COUNT - 1; k >= 0; k--) {
            sum = sum * x[i] + c[k];
        }
        y[i] = sum;
    }
}
