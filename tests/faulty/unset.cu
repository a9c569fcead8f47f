// Kernels that read uninitialised memory, which hardly changes their results.
#include "faulty.cuh"
#pragma gputune problem(n = 8192)
#pragma gputune tune(BLOCK = 128)

/* A function multiplies by a __constant__ array that is never filled. Caught by check. */
#pragma gputune kernel(constant_unset)
#pragma gputune reference(y[i] = 0.0f * x[i])

__constant__ float weight[2];
__constant__ float nothing = 0.0f;

__device__ float weighted(const float *x, size_t i)
{
    return weight[i % 2] * x[i]; // found: unset
}

KERNEL(constant_unset, (float *y, const float *x, size_t n),
       y[i] = BAD ? weighted(x, i) : nothing * x[i])

/* Takes the address of a constant struct that is not filled. Caught by check. */
#pragma gputune kernel(constant_struct_unset)
#pragma gputune reference(y[i] = 0.0f * x[i])

struct Weights {
    int count;
    float of[4];
};
__constant__ Weights weights;

__device__ __noinline__ float sum_of(const Weights *w)
{
    float s = 0.0f;
    for (int k = 0; k < 4; k++) {
        s += w->of[k]; // found: unset
    }
    return s;
}

KERNEL(constant_struct_unset, (float *y, const float *x, size_t n),
       y[i] = BAD ? sum_of(&weights) * x[i] : 0.0f * x[i])

/* Adds up a local array that is only partly initialised. Caught by check. */
#pragma gputune kernel(local_unset)

__global__ void local_unset(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
#if BAD
        volatile float own[8];
        for (int k = 0; k < 4; k++) {
            own[k + n % 2] = x[i];
        }
        float s = 0.0f;
        for (int k = 0; k < 5; k++) {
            s += own[k]; // found: unset
        }
        y[i] = s * 0.5f;
#else
        y[i] = 2.0f * x[i];
#endif
    }
}

/* Reads the output before writing it. Caught by check. */
#pragma gputune kernel(output_unset)

KERNEL(output_unset, (float *y, const float *x, size_t n), // found: unset
       y[i] = BAD ? (y[i] == 12345.0f ? 0.0f : 2.0f * x[i]) : 2.0f * x[i])

/* Uses an uninitialised register that happens to be zero. Caught by check. */
#pragma gputune kernel(register_unset)

__global__ void register_unset(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
#if BAD
        float s;
        asm volatile("{.reg .f32 t; add.rn.f32 %0, t, %1;}" : "=f"(s) : "f"(2.0f * x[i]));
        y[i] = s; // found: unset
#else
        y[i] = 2.0f * x[i];
#endif
    }
}

/* Reads uninitialised scratch memory. Caught by check. */
#pragma gputune kernel(scratch_unset)
#pragma gputune scratch(float kept[n])

KERNEL(scratch_unset, (float *y, const float *x, size_t n, float *kept), // found: unset
       y[i] = BAD ? (kept[i] == 12345.0f ? 0.0f : 2.0f * x[i]) : 2.0f * x[i])

/* Reads uninitialised shared memory. Caught by check. */
#pragma gputune kernel(shared_unset)

__global__ void shared_unset(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    __shared__ float held[BLOCK];
    if (i < n) {
#if BAD
        y[i] = ((volatile float *)held)[threadIdx.x] == 12345.0f ? 0.0f : 2.0f * x[i]; // found: unset
        if (x[i] == 12345.0f) {
            held[threadIdx.x] = 1.0f;
        }
#else
        y[i] = 2.0f * x[i];
#endif
    }
}

/* Adds up, by shuffles, uninitialised shared memory of warps that do not exist. Caught by proof and check. */
#pragma gputune kernel(shuffled_unset)
#pragma gputune args(out float y[ceil_div(n, 128)], in float x[n], size_t n)
#pragma gputune reference(y[i] = sum(128, [&](int k) { return 128 * i + k < n ? x[128 * i + k] : 0.0f; }))

__global__ void shuffled_unset(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    __shared__ float held[32];
    float v = i < n ? x[i] : 0.0f;
    for (int s = 16; s; s /= 2) {
        v += __shfl_xor_sync(0xffffffffu, v, s);
    }
    if (threadIdx.x % 32 == 0) {
        held[threadIdx.x / 32] = v;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        v = held[threadIdx.x]; // found: unset
        for (int s = BAD ? 16 : BLOCK / 64; s; s /= 2) {
            v += __shfl_down_sync(0xffffffffu, v, s);
        }
        if (threadIdx.x == 0) {
            y[blockIdx.x] = v;
        }
    }
}

/* Reads uninitialised memory of malloc() that happens to be zero. Caught by check. */
#pragma gputune kernel(heap_unset)

__global__ void heap_unset(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    float *own = i < n ? (float *)malloc(2 * sizeof(float)) : nullptr;
    if (own) {
        own[0] = x[i];
#if !BAD
        own[1] = 0.0f;
#endif
        y[i] = own[1] == 12345.0f ? 0.0f : 2.0f * own[0]; // found: unset
        free(own);
    }
}
