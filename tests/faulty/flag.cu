/* Kernels that read a flag or a count of other blocks without acquiring what these blocks wrote.
 * The comment above a kernel describes the fault. */
#include "slowly.cuh"
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune scratch(float part[n], unsigned int done[grid_x])
#pragma gputune clear(done)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = i >= 128 ? x[i - 128] : x[i])

// Writes a block's elements to `part`, and after a fence sets the block's flag.
__device__ void put(float *part, const float *x, size_t i, size_t n, unsigned int *done)
{
    slowly();
    if (i < n) {
        part[i] = x[i];
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicExch(&done[blockIdx.x], 1u);
    }
}

__device__ unsigned int relaxed(const unsigned int *flag)
{
    unsigned int value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

__device__ unsigned int acquired(const unsigned int *flag)
{
    unsigned int value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

// Defines a kernel that takes the element of the previous block if these statements find its flag set.
#define KERNEL(name, ...)                                                                          \
    __global__ void name(float *y, const float *x, size_t n, float *part, unsigned int *done)      \
    {                                                                                              \
        size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;                                       \
        put(part, x, i, n, done);                                                                  \
        const unsigned int *flag = &done[max(blockIdx.x, 1) - 1];                                  \
        __VA_ARGS__;                                                                               \
        if (i < n) {                                                                               \
            y[i] = blockIdx.x == 0 ? x[i] : ready ? part[i - BLOCK] : x[i - BLOCK];                \
        }                                                                                          \
    }

/* Reads another block's elements after a relaxed load of the flag. Caught by check. */
#pragma gputune kernel(relaxed_flag)

KERNEL(relaxed_flag, // found: race
       bool ready = (BAD ? relaxed(flag) : acquired(flag)) != 0)

/* Only the first thread reads the flag, with a relaxed load, before a barrier. Caught by check. */
#pragma gputune kernel(relaxed_for_others)

__global__ void relaxed_for_others(float *y, const float *x, size_t n, float *part, unsigned int *done)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    __shared__ bool ready;
    put(part, x, i, n, done);
    if (threadIdx.x == 0) {
        ready = relaxed(&done[max(blockIdx.x, 1) - 1]) != 0;
#if !BAD
        __threadfence();
#endif
    }
    __syncthreads();
    if (i < n) {
        y[i] = blockIdx.x == 0 ? x[i] : ready ? part[i - BLOCK] : x[i - BLOCK]; // found: race
    }
}

/* Uses a volatile flag, which does not order the reads after it. Caught by check. */
#pragma gputune kernel(volatile_flag)

KERNEL(volatile_flag, // found: race
       bool ready = *(volatile const unsigned int *)flag != 0;
       if (!BAD) __threadfence())

/* Stores elements and flag with volatile stores, without a fence in between. Caught by check. */
#pragma gputune kernel(volatile_pair)

__global__ void volatile_pair(float *y, const float *x, size_t n, float *part, unsigned int *done)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    slowly();
    if (i < n) {
        ((volatile float *)part)[i] = x[i];
    }
#if !BAD
    __threadfence();
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        ((volatile unsigned int *)done)[blockIdx.x] = 1;
    }
    bool ready = blockIdx.x > 0 && ((volatile unsigned int *)done)[blockIdx.x - 1] != 0;
    if (i < n) {
        y[i] = ready ? ((volatile float *)part)[i - BLOCK] : x[i < BLOCK ? i : i - BLOCK]; // found: race
    }
}

/* Executes a fence with block scope after reading another block's flag. Caught by check. */
#pragma gputune kernel(acquires_too_little)

KERNEL(acquires_too_little, // found: race
       bool ready = relaxed(flag) != 0;
       if (BAD) __threadfence_block(); else __threadfence())

/* Counts the finished blocks with a relaxed atomic. Caught by check. */
#pragma gputune kernel(relaxed_count)
#pragma gputune args(out float y[1], in float x[n], size_t n)
#pragma gputune reference(y[i] = sum(n, [&](int k) { return x[k]; }))

__global__ void relaxed_count(float *y, const float *x, size_t n, float *part, unsigned int *done)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    slowly();
    if (i < n) {
        part[i] = x[i];
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned int before;
#if BAD
        asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(done), "r"(gridDim.x - 1) : "memory");
#else
        asm volatile("atom.acquire.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(done), "r"(gridDim.x - 1) : "memory");
#endif
        if (before == gridDim.x - 1) {
            float all = 0.0f;
            for (size_t k = 0; k < n; k++) {
                all += part[k]; // found: race
            }
            y[0] = all;
        }
    }
}
