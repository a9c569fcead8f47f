// Sums an array of floats in all blocks. ORDER selects the order of the additions, and FAULT a fault.
#include "rounding.cuh"

static __device__ void add_up(float *total, const float *x, size_t n)
{
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
}
