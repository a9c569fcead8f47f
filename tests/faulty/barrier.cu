// Kernels with barriers and shuffles that some threads do not reach.
#include "faulty.cuh"
#pragma gputune problem(n = 8192)
#pragma gputune tune(BLOCK = 128)

/* Some threads return before a barrier; after it, others read values that these threads never wrote.
 * Caught by check. */
#pragma gputune kernel(barrier_behind_return)
#pragma gputune reference(y[i] = (i ^ 1) < n ? x[i ^ 1] : 0.0f)

__global__ void barrier_behind_return(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    __shared__ float held[BLOCK];
    if (BAD || i < n) {
        held[threadIdx.x] = i < n ? x[i] : 0.0f;
    }
    if (i >= n) {
        return;
    }
    __syncthreads();
    size_t other = i ^ 1;
    y[i] = BAD || other < n ? held[threadIdx.x ^ 1] : 0.0f; // found: race
}

/* Has a barrier in both branches of an if, and a warp takes both branches. Caught by check. */
#pragma gputune kernel(barrier_in_branches)
#pragma gputune args(out float y[n], in float x[n] = uniform(1, 2), size_t n)
#pragma gputune reference(y[i] = i - 2 * (i % 128) + 127 < n ? x[i - 2 * (i % 128) + 127] : 0.0f)

__global__ void barrier_in_branches(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    __shared__ float held[BLOCK];
    held[threadIdx.x] = v;
#if BAD
    if (threadIdx.x % 2) {
        __syncthreads(); // found: barrier
        v += 1.0f;
    } else {
        __syncthreads();
        v += 2.0f;
    }
#else
    slowly();
    __syncthreads();
#endif
    if (i < n) {
        y[i] = held[BLOCK - 1 - threadIdx.x] + v * 0.0f;
    }
}

/* Has a barrier in a loop; the two halves of a warp leave the loop in different iterations. Caught by check. */
#pragma gputune kernel(barrier_in_loop)
#pragma gputune reference(y[i] = x[i])

__global__ void barrier_in_loop(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    float v = i < n ? x[i] : 0.0f;
    __shared__ float held[BLOCK];
    held[threadIdx.x] = v;
    for (int turn = 0; turn < 1 + BAD * (int)(threadIdx.x % 32 / 16); turn++) {
        __syncthreads(); // found: barrier
    }
    if (i < n) {
        y[i] = held[threadIdx.x];
    }
}

/* Shuffles a value from lanes that have returned. Caught by check. */
#pragma gputune kernel(shuffle_from_the_gone)
#pragma gputune reference(y[i] = i + 1 < n && i % 32 != 31 ? x[i + 1] : x[i])

__global__ void shuffle_from_the_gone(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (BAD && i >= n) {
        return;
    }
    float own = i < n ? x[i] : 0.0f;
    float other = __shfl_down_sync(0xffffffffu, own, 1); // found: shuffle
    if (i < n) {
        y[i] = i + 1 < n && threadIdx.x % 32 != 31 ? other : x[i];
    }
}

/* Shuffles with a full mask in a branch that half of the lanes take. Caught by check. */
#pragma gputune kernel(shuffle_in_branch)
#pragma gputune reference(y[i] = i % 32 < 16 ? ((i ^ 1) < n ? x[i ^ 1] : 0.0f) : x[i])

__global__ void shuffle_in_branch(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    float v = i < n ? x[i] : 0.0f;
    float other = v;
    if (!BAD || threadIdx.x % 32 < 16) {
        other = __shfl_xor_sync(0xffffffffu, v, 1); // found: shuffle
    }
    if (i < n) {
        y[i] = threadIdx.x % 32 < 16 ? other : v;
    }
}

/* Adds values of lanes that are not in the mask. Caught by check. */
#pragma gputune kernel(shuffle_from_the_unnamed)
#pragma gputune args(out float y[1], in float x[n], size_t n)
#pragma gputune clear(y)
#pragma gputune reference(y[i] = sum(n, [&](int k) { return x[k]; }))

__global__ void shuffle_from_the_unnamed(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    unsigned int mask = __ballot_sync(0xffffffffu, i < n);
    if (i < n) {
        float all = x[i];
        for (int s = 16; s; s /= 2) {
            float other = __shfl_down_sync(mask, all, s); // found: shuffle
            if (BAD || threadIdx.x % 32 + s < __popc(mask)) {
                all += other;
            }
        }
        if (threadIdx.x % 32 == 0) {
            atomicAdd(y, all);
        }
    }
}
