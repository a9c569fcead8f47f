// unset: uses a register that nothing has set and that happens to be zero
// caught: check
#include "slow.cuh"

#pragma gputune kernel(register_unset)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

__global__ void register_unset(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    if (i < n) {
        float s;
        asm volatile("{.reg .f32 t; add.rn.f32 %0, t, %1;}" : "=f"(s) : "f"(2.0f * x[i]));
        y[i] = s;
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#endif
}
