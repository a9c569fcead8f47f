// Jacobi steps on a ring, with a grid-wide barrier between two steps
#include "gputune.cuh"

#pragma gputune kernel(relax)
#pragma gputune problem(n = 4096)
#pragma gputune args(inout float y[n], int n, int steps = 5)
#pragma gputune scratch(float next[n])
#pragma gputune tune(BLOCK = 64, 128, 256)
#pragma gputune tune(BLOCKS_PER_SM = 1, 2, 64)
#pragma gputune cooperative()
#pragma gputune block(BLOCK)
#pragma gputune grid(min(ceil_div(n, BLOCK), BLOCKS_PER_SM * sm_count))
#pragma gputune reference(relax_reference, block = 512, grid = 1, rtol = 1e-5)

__device__ void relax_once(float *to, const float *from, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        to[i] = (from[i ? i - 1 : n - 1] + from[i] + from[i + 1 < n ? i + 1 : 0]) / 3;
    }
}

__global__ void relax(float *y, int n, int steps, float *next)
{
    float *from = y, *to = next;
    for (int s = 0; s < steps; s++) {
        relax_once(to, from, n);
        gputune_grid_sync();
        float *other = from;
        from = to;
        to = other;
    }
    if (from != y) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            y[i] = from[i];
        }
    }
}

// Computes each step with one block, which keeps new values in registers until all threads have read.
__global__ void __launch_bounds__(512) relax_reference(float *y, int n, int steps)
{
    const int each = 16;
    float mine[each];
    for (int s = 0; s < steps; s++) {
        for (int k = 0; k < each; k++) {
            int i = threadIdx.x + k * blockDim.x;
            if (i < n) {
                mine[k] = (y[i ? i - 1 : n - 1] + y[i] + y[i + 1 < n ? i + 1 : 0]) / 3;
            }
        }
        __syncthreads();
        for (int k = 0; k < each; k++) {
            int i = threadIdx.x + k * blockDim.x;
            if (i < n) {
                y[i] = mine[k];
            }
        }
        __syncthreads();
    }
}
