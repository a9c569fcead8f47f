// Kernels that use the old contents of memory.
#include "faulty.cuh"
#pragma gputune problem(n = 8191)
#pragma gputune tune(BLOCK = 128)

/* Takes the atomic minimum of the result and an output that was never written. Caught by proof and check. */
#pragma gputune kernel(atomic_min_unclear)
#pragma gputune args(out unsigned int y[n], in unsigned int x[n] = uniform(0, 1000000), size_t n)
#pragma gputune reference(y[i] = x[i] + 1)

__global__ void atomic_min_unclear(unsigned int *y, const unsigned int *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
#if BAD
        atomicMin(&y[i], x[i] + 1); // found: unset
#else
        y[i] = x[i] + 1;
#endif
    }
}

/* Takes the minimum of each byte and the byte that the output contained before. Caught by proof and check. */
#pragma gputune kernel(byte_min)
#pragma gputune args(out unsigned char y[n], in unsigned char x[n] = uniform(0, 100), size_t n)
#pragma gputune reference(y[i] = x[i])

KERNEL(byte_min, (unsigned char *y, const unsigned char *x, size_t n), // found: unset
       y[i] = BAD ? (y[i] < x[i] ? y[i] : x[i]) : x[i])

/* Takes the maximum of the result and the old contents of the output. Caught by proof and check. */
#pragma gputune kernel(fmaxf_with_garbage)

KERNEL(fmaxf_with_garbage, (float *y, const float *x, size_t n), // found: unset
       y[i] = BAD ? fmaxf(y[i], 2.0f * x[i]) : 2.0f * x[i])

/* Takes the minimum of the result and the output's old contents, which NaN or large poison would not reveal.
 * Caught by proof and check. */
#pragma gputune kernel(fminf_with_garbage)

KERNEL(fminf_with_garbage, (float *y, const float *x, size_t n), // found: unset
       y[i] = BAD ? fminf(y[i], 2.0f * x[i]) : 2.0f * x[i])

/* Interprets a zero in scratch memory as a sign that the work is done. Caught by proof and check. */
#pragma gputune kernel(scratch_flag)
#pragma gputune scratch(unsigned int done[n])

KERNEL(scratch_flag, (float *y, const float *x, size_t n, unsigned int *done), // found: unset
       if (!BAD || done[i] != 0) y[i] = 2.0f * x[i])

/* Keeps a minimum in scratch memory that was never written. Caught by proof and check. */
#pragma gputune kernel(scratch_min)
#pragma gputune scratch(float least[n])
#pragma gputune reference(y[i] = x[i])

KERNEL(scratch_min, (float *y, const float *x, size_t n, float *least), // found: unset
       least[i] = BAD ? fminf(least[i], x[i]) : x[i];
       y[i] = least[i])

/* Works only if an uninitialised flag in shared memory is not zero. Caught by proof. */
#pragma gputune kernel(shared_flag_unset)

__global__ void shared_flag_unset(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    __shared__ volatile unsigned int flag;
    if (i < n) {
#if BAD
        if (flag != 0) {
            y[i] = 2.0f * x[i];
        }
        if (x[i] == 12345.0f) {
            flag = 1;
        }
#else
        y[i] = 2.0f * x[i];
#endif
    }
}

/* Takes the maximum of the result and uninitialised shared memory. Caught by proof and check. */
#pragma gputune kernel(shared_max_unset)
#pragma gputune args(out float y[n], in float x[n] = uniform(0, 1), size_t n)
#pragma gputune reference(y[i] = x[i])

__global__ void shared_max_unset(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    __shared__ float held[BLOCK];
    float v = i < n ? x[i] : 0.0f;
    held[threadIdx.x] = BAD ? fmaxf(held[threadIdx.x], v) : v;
    __syncthreads();
    if (i < n) {
        y[i] = held[threadIdx.x]; // found: unset
    }
}

/* Takes the minimum of the result and uninitialised shared memory. Caught by proof and check. */
#pragma gputune kernel(shared_min_unset)
#pragma gputune args(out float y[n], in float x[n] = uniform(-2, -1), size_t n)
#pragma gputune reference(y[i] = x[i])

__global__ void shared_min_unset(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    __shared__ float held[BLOCK];
    float v = i < n ? x[i] : 0.0f;
    held[threadIdx.x] = BAD ? fminf(held[threadIdx.x], v) : v;
    __syncthreads();
    if (i < n) {
        y[i] = held[threadIdx.x]; // found: unset
    }
}

/* Adds zero times uninitialised shared memory. Caught by proof and check. */
#pragma gputune kernel(shared_times_zero)

__global__ void shared_times_zero(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    __shared__ volatile float held[BLOCK];
    held[BLOCK - 1 - threadIdx.x] = held[BLOCK - 1 - threadIdx.x];
    if (i < n) {
#if BAD
        y[i] = 2.0f * x[i] + 0.0f * held[threadIdx.x]; // found: race, unset
        if (y[i] == 12345.0f) {
            held[threadIdx.x] = 1.0f;
        }
#else
        y[i] = 2.0f * x[i];
#endif
    }
}

/* Takes the maximum of a tile whose tail is uninitialised in the last block. Caught by proof and check. */
#pragma gputune kernel(tail_of_tile)
#pragma gputune args(out float y[ceil_div(n, 128)], in float x[n] = uniform(0, 1), size_t n)
#pragma gputune clear(y)
#pragma gputune reference(tail_of_tile_reference, block = 256, grid = ceil_div(n, 256))

__global__ void tail_of_tile(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    __shared__ float held[BLOCK];
    if (!BAD || i < n) {
        held[threadIdx.x] = i < n ? x[i] : 0.0f;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        float most = held[0];
        for (int k = 1; k < BLOCK; k++) {
            most = fmaxf(most, held[k]); // found: unset
        }
        y[blockIdx.x] = most;
    }
}

__global__ void tail_of_tile_reference(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicMax((unsigned int *)&y[i / 128], __float_as_uint(x[i]));
    }
}

/* Adds zero times the old contents of the output, which only NaN and infinity reveal. Caught by proof and check. */
#pragma gputune kernel(times_zero)

KERNEL(times_zero, (float *y, const float *x, size_t n), // found: unset
       y[i] = BAD ? 2.0f * x[i] + 0.0f * y[i] : 2.0f * x[i])

/* Takes the unsigned maximum of the result and the old contents of the output. Caught by proof and check. */
#pragma gputune kernel(unsigned_max)
#pragma gputune args(out unsigned int y[n], in unsigned int x[n] = uniform(0, 1000000), size_t n)
#pragma gputune reference(y[i] = x[i] + 1)

KERNEL(unsigned_max, (unsigned int *y, const unsigned int *x, size_t n), // found: unset
       y[i] = BAD ? max(y[i], x[i] + 1) : x[i] + 1)

/* Interprets a zero in the output as a sign that there is nothing to do. Caught by proof and check. */
#pragma gputune kernel(zero_ends)

KERNEL(zero_ends, (float *y, const float *x, size_t n), // found: unset
       if (!BAD || __float_as_uint(y[i]) != 0) y[i] = 2.0f * x[i])
