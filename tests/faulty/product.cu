// Kernels that violate the rules of wgmma. The comment above a kernel describes the fault.
#include "slowly.cuh"
#include "async.cuh"
#include <cuda_bf16.h>
#pragma gputune problem(m = 512)
#pragma gputune args(out float y[m][8], in __nv_bfloat16 a[m][32], in __nv_bfloat16 b[8][32], size_t m)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune default(BAD = 0)
#pragma gputune require(cc == 90)
#pragma gputune block(128) grid(ceil_div(m, 64))
#pragma gputune reference(product, block = 128, grid = ceil_div(m * 8, 128), atol = 1e-6)

// Multiplies 64 x 32 by 32 x 8 elements, in two steps.
__global__ void product(float *y, const __nv_bfloat16 *a, const __nv_bfloat16 *b, size_t m)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m * 8) {
        float s = 0.0f;
        for (int k = 0; k < 32; k++) {
            s += (float)a[i / 8 * 32 + k] * (float)b[i % 8 * 32 + k];
        }
        y[i] = s;
    }
}

#define BEGIN_PRODUCT() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define MULTIPLY(d, a, b)                                                                          \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, "  \
                 "1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned;"                                 \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                  \
                 : "l"(descriptor(a)), "l"(descriptor(b))                                          \
                 : "memory")
#define WAIT_PRODUCT() asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory")

// Returns the descriptor of pairs of matrices. Each matrix has 8 rows of 16 bytes.
__device__ unsigned long long descriptor(const void *tile)
{
    return SHARED(tile) >> 4 | 128ull >> 4 << 16 | 256ull >> 4 << 32;
}

__device__ void put(__nv_bfloat16 *tile, const __nv_bfloat16 *from, int rows)
{
    for (int i = threadIdx.x; i < rows * 16; i += 128) {
        int row = i / 16, k = i % 16;
        tile[row / 8 * 128 + k / 8 * 64 + row % 8 * 8 + k % 8] = from[row * 32 + k];
    }
}

// Stores a thread's four sums, except in rows past the end.
__device__ void get(float *y, const float *d, size_t m)
{
    for (int i = 0; i < 4; i++) {
        size_t row = blockIdx.x * 64 + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 * 8;
        if (row < m) {
            y[row * 8 + threadIdx.x % 4 * 2 + i % 2] = d[i];
        }
    }
}

/* Multiplies data in shared memory that no proxy fence has made visible. Caught by check. */
#pragma gputune kernel(factors_not_fenced)

__global__ void factors_not_fenced(float *y, const __nv_bfloat16 *a, const __nv_bfloat16 *b, size_t m)
{
    __shared__ alignas(128) __nv_bfloat16 left[64 * 16], right[8 * 16];
    const int rows = min(64, int(m - blockIdx.x * 64));
    float d[4] = {};
    slowly();
    for (int k = 0; k < 32; k += 16) {
        put(left, a + blockIdx.x * 64 * 32 + k, rows);
        put(right, b + k, 8);
#if !BAD
        FENCE_ASYNC();
#endif
        __syncthreads();
        BEGIN_PRODUCT();
        MULTIPLY(d, left, right); // found: race
        WAIT_PRODUCT();
        __syncthreads();
    }
    get(y, d, m);
}

/* Refills a tile that may still be in use by a product. Caught by check. */
#pragma gputune kernel(factors_overwritten)

__global__ void factors_overwritten(float *y, const __nv_bfloat16 *a, const __nv_bfloat16 *b, size_t m)
{
    __shared__ alignas(128) __nv_bfloat16 left[64 * 16], right[8 * 16];
    const int rows = min(64, int(m - blockIdx.x * 64));
    float d[4] = {};
    slowly();
    for (int k = 0; k < 32; k += 16) {
        for (int i = threadIdx.x; i < rows * 16; i += 128) {
            int row = i / 16, at = i % 16;
            left[row / 8 * 128 + at / 8 * 64 + row % 8 * 8 + at % 8] = a[(blockIdx.x * 64 + row) * 32 + k + at]; // found: race
        }
        put(right, b + k, 8);
        FENCE_ASYNC();
        __syncthreads();
        BEGIN_PRODUCT();
        MULTIPLY(d, left, right);
#if !BAD
        WAIT_PRODUCT();
#endif
        __syncthreads();
    }
    WAIT_PRODUCT();
    get(y, d, m);
}

/* Stores sums before they are complete. Caught by check. */
#pragma gputune kernel(sums_not_waited)

__global__ void sums_not_waited(float *y, const __nv_bfloat16 *a, const __nv_bfloat16 *b, size_t m)
{
    __shared__ alignas(128) __nv_bfloat16 left[2][64 * 16], right[2][8 * 16];
    const int rows = min(64, int(m - blockIdx.x * 64));
    float d[4] = {};
    slowly();
    for (int k = 0; k < 2; k++) {
        put(left[k], a + blockIdx.x * 64 * 32 + k * 16, rows);
        put(right[k], b + k * 16, 8);
    }
    FENCE_ASYNC();
    __syncthreads();
    BEGIN_PRODUCT();
    MULTIPLY(d, left[0], right[0]);
    MULTIPLY(d, left[1], right[1]);
#if !BAD
    WAIT_PRODUCT();
#endif
    for (int i = 0; i < 4; i++) {
        size_t row = blockIdx.x * 64 + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 * 8;
        if (row < m) {
            y[row * 8 + threadIdx.x % 4 * 2 + i % 2] = d[i]; // found: race
        }
    }
    WAIT_PRODUCT();
}
