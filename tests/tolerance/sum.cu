// Sums of n floats around zero in several right orders, and wrong ones; the reference adds one after
// another.
#pragma gputune kernel(sum)
#pragma gputune problem(n = 1000000)
#pragma gputune args(out float total[1], in float x[n], size_t n)
#pragma gputune clear(total)
#pragma gputune tune(ORDER = tree, warps, serial)
#pragma gputune tune(FAULT = none, warp, tail, half)
#pragma gputune default(ORDER = tree, FAULT = none)
#pragma gputune require(FAULT == none || ORDER == tree)
#pragma gputune block(ORDER == serial ? 1 : 256)
#pragma gputune grid(ORDER == serial || FAULT == half ? 1 : ceil_div(n, 256 * 32))
#pragma gputune reference(sum_reference, block = 1, grid = 1)
#include "rounding.cuh"

__global__ void sum(float *total, const float *x, size_t n)
{
#if ORDER_serial
    float s = 0;
    for (size_t i = 0; i < n; i++) {
        s += x[i];
    }
    total[0] = s;
#else
    __shared__ float sums[256];
    float s = 0;
    size_t end = n;
#if FAULT_tail
    end = n - n % 256;
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
#endif
}

__global__ void sum_reference(float *total, const float *x, size_t n)
{
    float s = 0;
    for (size_t i = 0; i < n; i++) {
        s += x[i];
    }
    total[0] = s;
}
