// race: writes the next tile before all threads have read the last one
// caught: proof, check
#include "slow.cuh"

#pragma gputune kernel(overwritten_early)
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(overwritten_early_reference, block = 256, grid = ceil_div(n, 256))

__global__ void overwritten_early(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    float v = i < n ? x[i] : 0.0f;
    __shared__ float held[BLOCK];
#if !BAD
    slowly();
#endif
    float s = 0.0f;
    for (int turn = 0; turn < 4; turn++) {
        held[threadIdx.x] = v + turn;
        __syncthreads();
#if BAD
        s += ((volatile float *)held)[threadIdx.x ^ 32];
#else
        s += held[threadIdx.x ^ 32];
        __syncthreads();
#endif
    }
    if (i < n) {
        y[i] = s;
    }
}

__global__ void overwritten_early_reference(float *y, const float *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float other = (i ^ 32) < n ? x[i ^ 32] : 0.0f, s = 0.0f;
        for (int turn = 0; turn < 4; turn++) {
            s += other + turn;
        }
        y[i] = s;
    }
}
