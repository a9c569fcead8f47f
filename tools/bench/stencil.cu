// The mean of each cell and its four neighbours. The space has a thousand different sources.
#include "gputune.cuh"

#pragma gputune kernel(stencil)
#pragma gputune problem(w = 8192)
#pragma gputune problem(h = 8192)
#pragma gputune args(out float b[w * h], in float a[w * h], unsigned int w, unsigned int h)
#pragma gputune tune(BX = 32, 64, 128, 256, 512)
#pragma gputune tune(BY = 1, 2, 4, 8, 16)
#pragma gputune tune(TX = 1, 2, 4)
#pragma gputune tune(TY = 1, 2, 4, 8, 16)
#pragma gputune tune(STAGED = 0, 1)
#pragma gputune tune(STREAMED = 0, 1)
#pragma gputune default(BX = 32, BY = 8, TX = 1, TY = 1, STAGED = 0, STREAMED = 0)
#pragma gputune require(BX * BY >= 64 && BX * BY <= 1024)
#pragma gputune require(STAGED == 0 || 4 * (BX * TX + 2) * (BY * TY + 2) <= 49152)
#pragma gputune block(BX, BY)
#pragma gputune grid(ceil_div(w, BX * TX), ceil_div(h, BY * TY))
#pragma gputune work(bytes = 8 * w * h, flops = 5 * w * h)
#pragma gputune reference(stencil_reference, block = 256, grid = ceil_div(w * h, 256), rtol = 1e-5, atol = 1e-6)

// Cells beyond the edge are 0.
__device__ float cell(const float *__restrict__ a, unsigned int x, unsigned int y, unsigned int w,
                      unsigned int h)
{
    return x < w && y < h ? a[size_t(y) * w + x] : 0.0f;
}

__device__ void put(float *b, size_t at, float value)
{
#if STREAMED
    asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(b + at), "f"(value) : "memory");
#else
    b[at] = value;
#endif
}

__global__ void __launch_bounds__(BX *BY)
    stencil(float *__restrict__ b, const float *__restrict__ a, unsigned int w, unsigned int h)
{
    const unsigned int x0 = blockIdx.x * (BX * TX), y0 = blockIdx.y * (BY * TY);
#if STAGED
    __shared__ float tile[BY * TY + 2][BX * TX + 2];
    for (int j = threadIdx.y; j < BY * TY + 2; j += BY) {
        for (int i = threadIdx.x; i < BX * TX + 2; i += BX) {
            tile[j][i] = cell(a, x0 + i - 1, y0 + j - 1, w, h);
        }
    }
    __syncthreads();
#define CELL(dx, dy) tile[j + 1 + (dy)][i + 1 + (dx)]
#else
#define CELL(dx, dy) cell(a, x + (dx), y + (dy), w, h)
#endif
#pragma unroll
    for (int v = 0; v < TY; v++) {
#pragma unroll
        for (int u = 0; u < TX; u++) {
            const int i = threadIdx.x + u * BX, j = threadIdx.y * TY + v;
            const unsigned int x = x0 + i, y = y0 + j;
            float sum = CELL(0, 0) + CELL(-1, 0) + CELL(1, 0) + CELL(0, -1) + CELL(0, 1);
            if (x < w && y < h) {
                put(b, size_t(y) * w + x, sum * 0.2f);
            }
        }
    }
}

__global__ void stencil_reference(double *b, const float *a, unsigned int w, unsigned int h)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= size_t(w) * h) {
        return;
    }
    unsigned int x = i % w, y = i / w;
    double sum = a[i];
    sum += x > 0 ? a[i - 1] : 0.0f;
    sum += x + 1 < w ? a[i + 1] : 0.0f;
    sum += y > 0 ? a[i - w] : 0.0f;
    sum += y + 1 < h ? a[i + w] : 0.0f;
    b[i] = sum * 0.2;
}
