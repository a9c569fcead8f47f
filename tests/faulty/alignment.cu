// Kernels that read several elements together at addresses that may be misaligned.
#include "faulty.cuh"
#pragma gputune tune(BLOCK = 128)

/* Reads four elements together from rows whose length may not be a multiple of four. Caught by proof and check. */
#pragma gputune kernel(rows_of_four)
#pragma gputune problem(rows = 32, n = 256)
#pragma gputune args(out float y[rows][n], in float x[rows][n], size_t rows, size_t n)
#pragma gputune grid(ceil_div(n, BLOCK), rows)

__global__ void rows_of_four(float *y, const float *x, size_t rows, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n / 4) {
        float4 v = ((const float4 *)(x + blockIdx.y * n))[i]; // found: alignment
        ((float4 *)(y + blockIdx.y * n))[i] = make_float4(2.0f * v.x, 2.0f * v.y, 2.0f * v.z, 2.0f * v.w);
    }
    for (size_t k = n / 4 * 4 + i; k < n; k += n) {
        y[blockIdx.y * n + k] = 2.0f * x[blockIdx.y * n + k];
    }
#else
    slowly();
    if (i < n) {
        y[blockIdx.y * n + i] = 2.0f * x[blockIdx.y * n + i];
    }
#endif
}

/* Reads a vector of shared memory at a misaligned address. Caught by proof and check. */
#pragma gputune kernel(shared_vector)
#pragma gputune problem(n = 8192)

__global__ void shared_vector(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    __shared__ float held[BLOCK];
    if (i < n) {
#if BAD
        held[threadIdx.x] = x[i];
        __syncwarp();
        if (threadIdx.x % 32 < 28) {
            float a, b;
            unsigned int at = (unsigned int)__cvta_generic_to_shared(held + threadIdx.x);
            asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "r"(at)); // found: alignment
            y[i] = 2.0f * a;
            return;
        }
#endif
        y[i] = 2.0f * x[i];
    }
}

/* Reads two elements together at odd indices. Caught by proof and check. */
#pragma gputune kernel(two_shorts)
#pragma gputune problem(n = 8192)
#pragma gputune args(out short y[n], in short x[n] = uniform(-1000, 1000), size_t n)
#pragma gputune reference(y[i] = x[i])

__global__ void two_shorts(short *y, const short *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
        if (BAD && i + 2 < n) {
            y[i] = (short)*(const volatile unsigned int *)(x + i); // found: alignment
        } else {
            y[i] = x[i];
        }
    }
}
