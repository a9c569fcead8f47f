// data: flushes denormals to zero
// caught: proof
#include "slow.cuh"

#pragma gputune kernel(denormals)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 1e10f * x[i])

__global__ void denormals(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        float v;
        asm("mul.ftz.f32 %0, %1, %2;" : "=f"(v) : "f"(x[i]), "f"(1e10f));
        y[i] = v;
    }
#else
    slowly();
    if (i < n) {
        y[i] = 1e10f * x[i];
    }
#endif
}
