// Elements of half, bfloat16 and fp8, in vectors and as scalars.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#pragma gputune kernel(halves)
#pragma gputune problem(n = 500)
#pragma gputune args(out half2 h[n], out __nv_bfloat16 b[n], out __nv_fp8_e4m3 f[n], out __nv_fp8x2_e5m2 g[n], in half x[n], in const __nv_bfloat162 y[n], in __nv_fp8_e4m3 z[n], __half s = 1.5, __nv_bfloat16 t = 0.75, half2 u = {2, 3}, size_t n)
#pragma gputune tune(BLOCK = 64, 128) block(BLOCK) grid(ceil_div(n, BLOCK))
#pragma gputune reference(halves_reference)

__global__ void halves(half2 *h, __nv_bfloat16 *b, __nv_fp8_e4m3 *f, __nv_fp8x2_e5m2 *g,
                       const half *__restrict__ x, const __nv_bfloat162 *__restrict__ y,
                       const __nv_fp8_e4m3 *z, __half s, __nv_bfloat16 t, half2 u, size_t n)
{
    size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x;
    if (i < n) {
        float a = __half2float(x[i]), c = __low2float(y[i]), d = __high2float(y[i]), e = float(z[i]);
        h[i] = __floats2half2_rn(a * __half2float(s) + __low2float(u), c + __high2float(u));
        b[i] = __float2bfloat16(a * __bfloat162float(t) + d);
        f[i] = __nv_fp8_e4m3(e * 0.5f);
        g[i] = __nv_fp8x2_e5m2(make_float2(e, a));
    }
}

__global__ void halves_reference(half2 *h, __nv_bfloat16 *b, __nv_fp8_e4m3 *f, __nv_fp8x2_e5m2 *g,
                                 const half *x, const __nv_bfloat162 *y, const __nv_fp8_e4m3 *z,
                                 __half s, __nv_bfloat16 t, half2 u, size_t n)
{
    size_t i = blockIdx.x * (size_t)256 + threadIdx.x;
    if (i < n) {
        float a = __half2float(x[i]), e = float(z[i]);
        h[i] = __floats2half2_rn(a * 1.5f + 2.0f, __low2float(y[i]) + 3.0f);
        b[i] = __float2bfloat16(a * 0.75f + __high2float(y[i]));
        f[i] = __nv_fp8_e4m3(e * 0.5f);
        g[i] = __nv_fp8x2_e5m2(make_float2(e, a));
    }
}
