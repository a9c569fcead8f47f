// Kernels that begin before the previous launch has ended and do not wait correctly.
#include "slowly.cuh"
#pragma gputune problem(n = 8192)
#pragma gputune args(out float y[n], in float x[n], size_t n)
#pragma gputune scratch(float t[n])
#pragma gputune tune(BAD = 0, 1)
#pragma gputune tune(BLOCK = 128)
#pragma gputune default(BAD = 0)
#pragma gputune require(cc >= 90)
#pragma gputune reference(y[i] = 2.0f * x[n - 1 - i])

__global__ void first(const float *x, size_t n, float *t)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    gputune_dependency_trigger();
    slowly();
    if (i < n) {
        t[i] = x[i];
    }
}

/* Never waits for the previous launch. Caught by check. */
#pragma gputune kernel(never_waits)
#pragma gputune launch(first, block = BLOCK, grid = ceil_div(n, BLOCK), args = (x, n, t))
#pragma gputune launch(never_waits, block = BLOCK, grid = ceil_div(n, BLOCK), args = (y, n, t), programmatic = 1)

__global__ void never_waits(float *y, size_t n, const float *t)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if !BAD
    gputune_dependency_sync();
#endif
    if (i < n) {
        y[i] = 2.0f * t[n - 1 - i]; // found: race
    }
}

/* Reads a result of the previous launch, and only then waits for that launch. Caught by check. */
#pragma gputune kernel(waits_late)
#pragma gputune launch(first, block = BLOCK, grid = ceil_div(n, BLOCK), args = (x, n, t))
#pragma gputune launch(waits_late, block = BLOCK, grid = ceil_div(n, BLOCK), args = (y, n, t), programmatic = 1)

__global__ void waits_late(float *y, size_t n, const float *t)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    float v = i < n ? ((volatile const float *)t)[n - 1 - i] : 0.0f; // found: race
    gputune_dependency_sync();
#else
    gputune_dependency_sync();
    float v = i < n ? t[n - 1 - i] : 0.0f;
#endif
    if (i < n) {
        y[i] = 2.0f * v;
    }
}

/* Only one thread of a block waits for the previous launch. Caught by check. */
#pragma gputune kernel(waits_alone)
#pragma gputune launch(first, block = BLOCK, grid = ceil_div(n, BLOCK), args = (x, n, t))
#pragma gputune launch(waits_alone, block = BLOCK, grid = ceil_div(n, BLOCK), args = (y, n, t), programmatic = 1)

__global__ void waits_alone(float *y, size_t n, const float *t)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (threadIdx.x == 0) {
        gputune_dependency_sync();
    }
#if !BAD
    __syncthreads();
#endif
    if (i < n) {
        y[i] = 2.0f * t[n - 1 - i]; // found: race
    }
}

/* Writes a buffer that the previous launch may still read. Caught by check. */
#pragma gputune kernel(writes_early)
#pragma gputune launch(first, block = BLOCK, grid = ceil_div(n, BLOCK), args = (x, n, t))
#pragma gputune launch(second, block = BLOCK, grid = ceil_div(n, BLOCK), args = (y, n, t))
#pragma gputune launch(writes_early, block = BLOCK, grid = ceil_div(n, BLOCK), args = (n, t), programmatic = 1)

__global__ void second(float *y, size_t n, const float *t)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    gputune_dependency_trigger();
    if (i < n) {
        y[i] = 2.0f * t[n - 1 - i];
    }
}

__global__ void writes_early(size_t n, float *t)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if !BAD
    gputune_dependency_sync();
#endif
    if (i < n) {
        t[i] = 0.0f; // found: race
    }
}

/* Waits for a launch that has not waited for its own predecessor. Caught by check. */
#pragma gputune kernel(chain_broken)
#pragma gputune scratch(float u[n])
#pragma gputune launch(first, block = BLOCK, grid = ceil_div(n, BLOCK), args = (x, n, t))
#pragma gputune launch(between, block = BLOCK, grid = ceil_div(n, BLOCK), args = (n, u), programmatic = 1)
#pragma gputune launch(chain_broken, block = BLOCK, grid = ceil_div(n, BLOCK), args = (y, n, t, u), programmatic = 1)

__global__ void between(size_t n, float *u)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    gputune_dependency_trigger();
#if !BAD
    gputune_dependency_sync();
#endif
    if (i < n) {
        u[i] = 2.0f;
    }
}

__global__ void chain_broken(float *y, size_t n, const float *t, const float *u)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    gputune_dependency_sync();
    if (i < n) {
        y[i] = u[i] * t[n - 1 - i]; // found: race
    }
}

/* Writes a buffer that a launch before the previous one may still read. Caught by check. */
#pragma gputune kernel(writes_over_two)
#pragma gputune scratch(float u[n])
#pragma gputune launch(first, block = BLOCK, grid = ceil_div(n, BLOCK), args = (x, n, t))
#pragma gputune launch(second, block = BLOCK, grid = ceil_div(n, BLOCK), args = (y, n, t))
#pragma gputune launch(between, block = BLOCK, grid = ceil_div(n, BLOCK), args = (n, u), programmatic = 1)
#pragma gputune launch(writes_over_two, block = BLOCK, grid = ceil_div(n, BLOCK), args = (n, t, u), programmatic = 1)

__global__ void writes_over_two(size_t n, float *t, const float *u)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    gputune_dependency_sync();
    if (i < n) {
        t[i] = u[i]; // found: race
    }
}

/* Waits for a launch that waits for another launch, which has not waited for its predecessor. Caught by check. */
#pragma gputune kernel(chain_broken_early)
#pragma gputune scratch(float u[n])
#pragma gputune launch(first, block = BLOCK, grid = ceil_div(n, BLOCK), args = (x, n, t))
#pragma gputune launch(between, block = BLOCK, grid = ceil_div(n, BLOCK), args = (n, u), programmatic = 1)
#pragma gputune launch(after_between, block = BLOCK, grid = ceil_div(n, BLOCK), args = (n, u), programmatic = 1)
#pragma gputune launch(chain_broken_early, block = BLOCK, grid = ceil_div(n, BLOCK), args = (y, n, t, u), programmatic = 1)

__global__ void after_between(size_t n, float *u)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    gputune_dependency_sync();
    if (i < n) {
        u[i] -= 1.0f;
    }
}

__global__ void chain_broken_early(float *y, size_t n, const float *t, const float *u)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    gputune_dependency_sync();
    if (i < n) {
        y[i] = 2.0f * u[i] * t[n - 1 - i]; // found: race
    }
}

/* Triggers the next launch before it waits for the previous launch, and the next launch does not wait.
 * Caught by check. */
#pragma gputune kernel(triggers_early)
#pragma gputune scratch(float u[n])
#pragma gputune launch(first, block = BLOCK, grid = ceil_div(n, BLOCK), args = (x, n, t))
#pragma gputune launch(triggers_early, block = BLOCK, grid = ceil_div(n, BLOCK), args = (n, u), programmatic = 1)
#pragma gputune launch(double_only, block = BLOCK, grid = ceil_div(n, BLOCK), args = (y, n, t), programmatic = 1)

__global__ void triggers_early(size_t n, float *u)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
#if BAD
    gputune_dependency_trigger();
    gputune_dependency_sync();
#else
    gputune_dependency_sync();
    gputune_dependency_trigger();
#endif
    if (i < n) {
        u[i] = 2.0f;
    }
}

__global__ void double_only(float *y, size_t n, const float *t)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        y[i] = 2.0f * t[n - 1 - i]; // found: race
    }
}
