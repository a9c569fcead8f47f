// Kernels that are correct only if input and output are two buffers.
#include "faulty.cuh"
#pragma gputune problem(n = 8192)
#pragma gputune tune(BLOCK = 128)

/* Reads a neighbour that another thread writes, because the template allows in_place(). Caught by check. */
#pragma gputune kernel(in_place_neighbour)
#pragma gputune in_place(y : x)

__global__ void in_place_neighbour(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
#if BAD
        float next = x[i + 1 < n ? i + 1 : i];
        y[i] = 2.0f * x[i] + (next == 12345.0f ? 1.0f : 0.0f); // found: race
#else
        y[i] = 2.0f * x[i];
#endif
    }
}

/* Reads a neighbour that another thread writes if input and output are one buffer.
 * Caught by neither proof nor check, because a launch on one buffer is refused without in_place(). */
#pragma gputune kernel(neighbour)

__global__ void neighbour(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
#if BAD
        float next = x[i + 1 < n ? i + 1 : i];
        y[i] = 2.0f * x[i] + (next == 12345.0f ? 1.0f : 0.0f);
#else
        y[i] = 2.0f * x[i];
#endif
    }
}
