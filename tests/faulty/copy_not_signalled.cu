// race: arrives at a barrier in shared memory that does not wait for the asynchronous copies
// caught: check
#include "slow.cuh"

#pragma gputune kernel(copy_not_signalled)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune require(cc >= 90)
#pragma gputune reference(copy_not_signalled_reference, block = 256, grid = ceil_div(n, 256))

__global__ void copy_not_signalled(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    __shared__ float held[BLOCK];
    __shared__ unsigned long long all_here;
    unsigned int to = (unsigned int)__cvta_generic_to_shared(&held[threadIdx.x]);
    unsigned int at = (unsigned int)__cvta_generic_to_shared(&all_here), is_over = 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(BLOCK) : "memory");
    }
    __syncthreads();
    if (i < n) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x + i) : "memory");
    } else {
        held[threadIdx.x] = 0.0f;
    }
#if !BAD
    slowly();
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at) : "memory");
#endif
    asm volatile("{\n.reg .b64 phase;\nmbarrier.arrive.shared.b64 phase, [%0];\n}" ::"r"(at)
                 : "memory");
    while (!is_over) {
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], 0;\n"
                     "selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(is_over)
                     : "r"(at)
                     : "memory");
    }
    if (i < n) {
        y[i] = held[BLOCK - 1 - threadIdx.x];
    }
}

__global__ void copy_not_signalled_reference(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        size_t at = i - i % 128 + 127 - i % 128;
        y[i] = at < n ? x[at] : 0.0f;
    }
}
