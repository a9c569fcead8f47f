// alignment: reads a vector of shared memory at a place that it may not have
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(shared_vector)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

__global__ void shared_vector(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    __shared__ float held[BLOCK];
#if BAD
    if (i < n) {
        held[threadIdx.x] = x[i];
        __syncwarp();
        if (threadIdx.x % 32 < 28) {
            float a, b;
            unsigned int at = (unsigned int)__cvta_generic_to_shared(held + threadIdx.x);
            asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "r"(at));
            y[i] = 2.0f * a;
        } else {
            y[i] = 2.0f * x[i];
        }
    }
#else
    slowly();
    if (i < n) {
        y[i] = 2.0f * x[i];
    }
#endif
}
