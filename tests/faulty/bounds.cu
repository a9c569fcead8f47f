// Kernels that access memory outside their buffers.
#include "faulty.cuh"
#pragma gputune problem(n = 8192)
#pragma gputune tune(BLOCK = 128)

/* Reads past the end of a local array and ignores the value. Caught by proof and check. */
#pragma gputune kernel(local_behind)

__global__ void local_behind(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
        volatile float own[4];
        for (int k = 0; k < 4; k++) {
            own[k] = x[i];
        }
#if BAD
        float beyond = own[4 + (int)(n % 3)]; // found: bounds
        y[i] = beyond == 12345.0f ? 0.0f : 2.0f * own[n % 4];
#else
        y[i] = 2.0f * own[n % 4];
#endif
    }
}

/* Reads one element past its input and ignores the value. Caught by proof and check. */
#pragma gputune kernel(read_behind)

__global__ void read_behind(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
#if BAD
        float next = ((volatile const float *)x)[i + 1]; // found: bounds
        y[i] = next == 12345.0f ? 0.0f : 2.0f * x[i];
#else
        y[i] = 2.0f * x[i];
#endif
    }
}

/* Writes one element past its scratch memory. Caught by proof and check. */
#pragma gputune kernel(scratch_behind)
#pragma gputune scratch(float kept[n])

KERNEL(scratch_behind, (float *y, const float *x, size_t n, float *kept), // found: bounds
       kept[i + BAD] = x[i];
       y[i] = 2.0f * x[i])

/* Reads past its shared memory and ignores the value. Caught by proof and check. */
#pragma gputune kernel(shared_behind)

__global__ void shared_behind(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    __shared__ float held[BLOCK];
    if (i < n) {
#if BAD
        held[threadIdx.x] = x[i];
        float beyond = ((volatile float *)held)[threadIdx.x + 4096]; // found: bounds
        y[i] = beyond == 12345.0f ? 0.0f : 2.0f * x[i];
#else
        y[i] = 2.0f * x[i];
#endif
    }
}

/* Reads past the end of an array in shared memory, into the next array, and ignores the value.
 * Caught by neither proof nor check, because the machine code has one block of memory for both arrays. */
#pragma gputune kernel(shared_neighbour)

__global__ void shared_neighbour(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    __shared__ volatile float held[BLOCK], other[BLOCK];
    if (i < n) {
#if BAD
        held[threadIdx.x] = x[i];
        other[threadIdx.x] = x[i];
        __syncthreads();
        float beyond = (&((volatile float *)held)[BLOCK - 1])[1 - (int)(i == n)];
        y[i] = beyond == 12345.0f ? 0.0f : held[threadIdx.x] + other[threadIdx.x];
#else
        y[i] = 2.0f * x[i];
#endif
    }
}

/* Writes before the beginning of its output and restores the old value. Caught by proof and check. */
#pragma gputune kernel(writes_between)

__global__ void writes_between(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
#if BAD
        volatile float *before = y + (long)i - 1;
        float kept = *before; // found: bounds, unset
        *before = kept;
#endif
        y[i] = 2.0f * x[i];
    }
}
