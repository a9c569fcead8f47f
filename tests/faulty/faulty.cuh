// Clauses for all kernels in this folder, unless a kernel has its own.
#include "slowly.cuh"
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BAD = 0, 1)
#pragma gputune default(BAD = 0)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK))
#pragma gputune reference(y[i] = 2.0f * x[i])

// Returns the index of the thread in the grid, after a delay in the correct variant.
static __device__ size_t slow_index()
{
    slowly();
    return (size_t)blockIdx.x * BLOCK + threadIdx.x;
}

// Defines a kernel that executes these statements for each element i.
#define KERNEL(name, parameters, ...)                                                              \
    __global__ void name parameters                                                                \
    {                                                                                              \
        size_t i = slow_index();                                                                   \
        if (i < n) {                                                                               \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    }
