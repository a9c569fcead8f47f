// Kernels that read what other threads write without waiting for them.
#include "faulty.cuh"
#pragma gputune problem(n = 8192)
#pragma gputune tune(BLOCK = 128)

// Counts the keys.
__global__ void histogram(unsigned int *y, const int *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&y[x[i]], 1u);
    }
}

/* Reads what an earlier block has written, as if the blocks ran in order. Caught by check, and sometimes proof. */
#pragma gputune kernel(between_blocks)
#pragma gputune scratch(float part[n])
#pragma gputune reference(y[i] = i >= 128 ? x[i - 128] : x[i])

__global__ void between_blocks(float *y, const float *x, size_t n, float *part)
{
    size_t i = slow_index();
    if (i < n) {
#if BAD
        part[i] = x[i];
        __threadfence();
        y[i] = i >= BLOCK ? ((volatile float *)part)[i - BLOCK] : x[i]; // found: race
#else
        y[i] = i >= BLOCK ? x[i - BLOCK] : x[i];
#endif
    }
}

/* Clears its counts and uses them without a barrier in between. Caught by proof and check. */
#pragma gputune kernel(cleared_late)
#pragma gputune args(out unsigned int y[128], in int x[n] = uniform(0, 127), size_t n)
#pragma gputune clear(y)
#pragma gputune reference(histogram, block = 256, grid = ceil_div(n, 256))

__global__ void cleared_late(unsigned int *y, const int *x, size_t n)
{
    size_t i = slow_index();
    __shared__ unsigned int counts[128];
    counts[threadIdx.x] = 0;
#if !BAD
    __syncthreads();
#endif
    if (i < n) {
        atomicAdd(&counts[x[i]], 1u); // found: race, unset
    }
    __syncthreads();
    atomicAdd(&y[threadIdx.x], counts[threadIdx.x]);
}

/* The first block clears the count that all blocks increment. Caught by check. */
#pragma gputune kernel(cleared_by_one)
#pragma gputune args(out unsigned int y[1], in float x[n], size_t n)
#pragma gputune clear(y)
#pragma gputune reference(y[i] = sum(n, [&](int k) { return x[k] > 0.0f; }))

__global__ void cleared_by_one(unsigned int *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (BAD && i == 0) {
        *y = 0;
    }
    __syncthreads();
    if (i < n && x[i] > 0.0f) {
        atomicAdd(y, 1u); // found: race
    }
}

/* Does not wait for its asynchronous copy to shared memory before its barrier. Caught by check. */
#pragma gputune kernel(copy_not_awaited)
#pragma gputune require(cc >= 80)
#pragma gputune reference(y[i] = i - 2 * (i % 128) + 127 < n ? x[i - 2 * (i % 128) + 127] : 0.0f)

__global__ void copy_not_awaited(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    __shared__ float held[BLOCK];
    unsigned int to = (unsigned int)__cvta_generic_to_shared(&held[threadIdx.x]);
    if (i < n) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x + i) : "memory");
    } else {
        held[threadIdx.x] = 0.0f;
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
#if !BAD
    slowly();
    asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
    __syncthreads();
    if (i < n) {
        y[i] = held[BLOCK - 1 - threadIdx.x]; // found: race
    }
}

/* Arrives at a barrier in shared memory without making the arrival wait for its asynchronous copies.
 * Caught by check. */
#pragma gputune kernel(copy_not_signalled)
#pragma gputune require(cc >= 90)
#pragma gputune reference(y[i] = i - 2 * (i % 128) + 127 < n ? x[i - 2 * (i % 128) + 127] : 0.0f)

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
        y[i] = held[BLOCK - 1 - threadIdx.x]; // found: race
    }
}

/* One lane of each warp increments a counter without an atomic. Caught by check. */
#pragma gputune kernel(counter_by_warps)
#pragma gputune args(out int y[ceil_div(n, 128)], in float x[n], size_t n)
#pragma gputune clear(y)
#pragma gputune reference(y[i] = sum(128, [&](int k) { return 128 * i + k < n && x[128 * i + k] > 0.0f; }))

__global__ void counter_by_warps(int *y, const float *x, size_t n)
{
    size_t i = slow_index();
    __shared__ volatile int found;
    float v = i < n ? x[i] : 0.0f;
    int mine = __popc(__ballot_sync(0xffffffffu, v > 0.0f));
    if (threadIdx.x == 0) {
        found = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
#if BAD
        found = found + mine; // found: race
#else
        atomicAdd((int *)&found, mine);
#endif
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        y[blockIdx.x] = found;
    }
}

/* Reads what an earlier warp has written to shared memory, without a barrier. Caught by check. */
#pragma gputune kernel(earlier_warp)
#pragma gputune reference(y[i] = i % 128 >= 32 ? x[i - 32] : x[i])

__global__ void earlier_warp(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    float v = i < n ? x[i] : 0.0f;
    __shared__ float held[BLOCK];
    held[threadIdx.x] = v;
#if !BAD
    __syncthreads();
#endif
    if (i < n) {
        y[i] = threadIdx.x >= 32 ? ((volatile float *)held)[threadIdx.x - 32] : v; // found: race
    }
}

/* Reads through the read-only cache what its own block has just written. Caught by check. */
#pragma gputune kernel(read_as_constant)
#pragma gputune reference(y[i] = 2.0f * ((i ^ 1) < n ? x[i ^ 1] : 0.0f))

__global__ void read_as_constant(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
    __syncthreads();
    float v = 0.0f;
    if (i < n && (i ^ 1) < n) {
        v = BAD ? __ldg(y + (i ^ 1)) : y[i ^ 1]; // found: race
    }
    __syncthreads();
    if (i < n) {
        y[i] = v;
    }
}

/* Reads what a later warp writes to shared memory, without a barrier. Caught by proof and check. */
#pragma gputune kernel(later_warp)
#pragma gputune reference(y[i] = i - i % 128 + (i + 32) % 128 < n ? x[i - i % 128 + (i + 32) % 128] : 0.0f)

__global__ void later_warp(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    float v = i < n ? x[i] : 0.0f;
    __shared__ float held[BLOCK];
    held[threadIdx.x] = v; // found: race
#if !BAD
    __syncthreads();
#endif
    if (i < n) {
        y[i] = ((volatile float *)held)[(threadIdx.x + 32) % BLOCK]; // found: unset
    }
}

/* Adds partial sums of other blocks after an atomic without a fence. Caught by check. */
#pragma gputune kernel(no_fence)
#pragma gputune args(out float y[1], in float x[n], size_t n)
#pragma gputune scratch(float part[grid_x])
#pragma gputune reference(y[i] = sum(n, [&](int k) { return x[k]; }))

__device__ unsigned int ticket;

__global__ void no_fence(float *y, const float *x, size_t n, float *part)
{
    size_t i = slow_index();
    __shared__ float sums[BLOCK];
    __shared__ bool last;
    sums[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
        float s = 0.0f;
        for (int k = 0; k < BLOCK; k++) {
            s += sums[k];
        }
        part[blockIdx.x] = s;
#if !BAD
        __threadfence();
#endif
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float s = 0.0f;
        for (unsigned int k = 0; k < gridDim.x; k++) {
            s += ((volatile float *)part)[k]; // found: race
        }
        y[0] = s;
    }
}

/* Stores different values to one element, although races() allows only equal values. Caught by proof and check. */
#pragma gputune kernel(marks_differ)
#pragma gputune args(out int y[256], in int x[n] = uniform(0, 255), size_t n)
#pragma gputune clear(y)
#pragma gputune races(y)
#pragma gputune reference(mark, block = 256, grid = ceil_div(n, 256))

__global__ void mark(int *y, const int *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[x[i]] = 1;
    }
}

__global__ void marks_differ(int *y, const int *x, size_t n)
{
    size_t i = slow_index();
    if (i < n && (BAD || y[x[i]] == 0)) {
        y[x[i]] = BAD && threadIdx.x % 2 ? 2 : 1; // found: race
    }
}

/* Two blocks write the same element. Caught by check. */
#pragma gputune kernel(same_element)
#pragma gputune args(out float y[ceil_div(n, 2)], in float x[n], size_t n)
#pragma gputune reference(y[i] = 2.0f * x[2 * i + 1 < n ? 2 * i + 1 : n - 1])

KERNEL(same_element, (float *y, const float *x, size_t n), // found: race
       if (BAD || i % 2 == 1 || i == n - 1) y[i / 2] = 2.0f * x[i])

/* Exchanges values through shared memory within a warp, without __syncwarp(). Caught by check. */
#pragma gputune kernel(within_a_warp)
#pragma gputune reference(y[i] = (i ^ 1) < n ? x[i ^ 1] : 0.0f)

__global__ void within_a_warp(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    float v = i < n ? x[i] : 0.0f;
    __shared__ float held[BLOCK];
    ((volatile float *)held)[threadIdx.x] = v;
#if !BAD
    __syncwarp();
#endif
    if (i < n) {
        y[i] = ((volatile float *)held)[threadIdx.x ^ 1]; // found: race
    }
}

/* Counts a block as done after a fence that only its first thread executes. Caught by check. */
#pragma gputune kernel(fence_of_another)
#pragma gputune args(out float y[128], in float x[n], size_t n)
#pragma gputune scratch(float part[grid_x * 128], unsigned int done[1] = zero)
#pragma gputune reference(y[i] = sum(ceil_div(n, 128), [&](int k) { return k * 128 + i < n ? x[k * 128 + i] : 0.0f; }))

__global__ void fence_of_another(float *y, const float *x, size_t n, float *part, unsigned int *done)
{
    size_t i = slow_index();
    __shared__ bool last;
    part[i] = i < n ? x[i] : 0.0f;
    if (!BAD || threadIdx.x == 0) {
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float all = 0.0f;
        for (size_t k = threadIdx.x; k < (size_t)gridDim.x * BLOCK; k += BLOCK) {
            all += ((volatile float *)part)[k]; // found: race
        }
        y[threadIdx.x] = all;
    }
}

/* Adds partial sums of other blocks after a fence with block scope. Caught by check. */
#pragma gputune kernel(fence_too_narrow)
#pragma gputune args(out float y[1], in float x[n], size_t n)
#pragma gputune scratch(float part[n], unsigned int done[1] = zero)
#pragma gputune reference(y[i] = sum(n, [&](int k) { return x[k]; }))

__global__ void fence_too_narrow(float *y, const float *x, size_t n, float *part, unsigned int *done)
{
    size_t i = slow_index();
    __shared__ bool last;
    if (i < n) {
        part[i] = x[i];
    }
#if BAD
    __threadfence_block();
#else
    __threadfence();
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float all = 0.0f;
        for (size_t k = 0; k < n; k++) {
            all += ((volatile float *)part)[k]; // found: race
        }
        y[0] = all;
    }
}

/* Counts the finished blocks with an atomic whose release semantics have only block scope. Caught by check. */
#pragma gputune kernel(release_too_narrow)
#pragma gputune args(out float y[1], in float x[n], size_t n)
#pragma gputune scratch(float part[n], unsigned int done[1] = zero)
#pragma gputune reference(y[i] = sum(n, [&](int k) { return x[k]; }))

__global__ void release_too_narrow(float *y, const float *x, size_t n, float *part, unsigned int *done)
{
    size_t i = slow_index();
    if (i < n) {
        part[i] = x[i];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned int before;
#if BAD
        asm volatile("atom.acq_rel.cta.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(done), "r"(gridDim.x - 1) : "memory");
#else
        asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(done), "r"(gridDim.x - 1) : "memory");
#endif
        if (before == gridDim.x - 1) {
            float all = 0.0f;
            for (size_t k = 0; k < n; k++) {
                all += ((volatile float *)part)[k]; // found: race
            }
            y[0] = all;
        }
    }
}
