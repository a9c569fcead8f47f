// Sums of N positive floats in several right orders, and wrong ones; the reference adds in double.
#pragma gputune kernel(positive_sum)
#pragma gputune problem(const N = 1000000)
#pragma gputune args(out float total[1], in float x[N] = uniform(0, 1))
#pragma gputune clear(total)
#pragma gputune tune(ORDER = tree, warps)
#pragma gputune tune(FAULT = none, warp, tail, half)
#pragma gputune default(ORDER = tree, FAULT = none)
#pragma gputune require(FAULT == none || ORDER == tree)
#pragma gputune block(256)
#pragma gputune grid(FAULT == half ? 1 : ORDER == warps || FAULT == warp ? ceil_div(N, 256) : ceil_div(N, 256 * 32))
#pragma gputune reference(positive_sum_reference, block = 1, grid = 1)
#include "rounding.cuh"

__global__ void positive_sum(float *total, const float *x)
{
    __shared__ float sums[256];
    float s = 0;
    size_t end = N;
#if FAULT_tail
    end = N - N % 256;
#endif
    for (size_t i = blockIdx.x * 256ull + threadIdx.x; i < end; i += gridDim.x * 256ull) {
#if FAULT_half
        s = rounded_to_half(s + x[i]);
#elif FAULT_warp
        s += blockIdx.x == 3 && threadIdx.x / 32 == 5 ? 0.0f : x[i];
#else
        s += x[i];
#endif
    }
#if ORDER_warps
    for (int step = 16; step > 0; step /= 2) {
        s += __shfl_xor_sync(0xffffffffu, s, step);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(total, s);
    }
#else
    sums[threadIdx.x] = s;
    for (int step = 128; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) {
            sums[threadIdx.x] += sums[threadIdx.x + step];
#if FAULT_half
            sums[threadIdx.x] = rounded_to_half(sums[threadIdx.x]);
#endif
        }
    }
    if (threadIdx.x == 0) {
        atomicAdd(total, sums[0]);
    }
#endif
}

__global__ void positive_sum_reference(double *total, const float *x)
{
    double s = 0;
    for (size_t i = 0; i < N; i++) {
        s += x[i];
    }
    total[0] = s;
}
