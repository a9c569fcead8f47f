// Kernels that are wrong at certain times or on other GPUs.
#include "faulty.cuh"
#pragma gputune problem(n = 8192)
#pragma gputune tune(BLOCK = 128)

/* Is wrong at certain times. Caught by neither proof nor check, because no launch here happens at that time. */
#pragma gputune kernel(by_the_clock)

__global__ void by_the_clock(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
#if BAD
        long long now;
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
        y[i] = now % 1000000007 == 3 ? 0.0f : 2.0f * x[i];
#else
        y[i] = 2.0f * x[i];
#endif
    }
}

/* Is wrong on a multiprocessor that this GPU does not have.
 * Caught by neither proof nor check, because this GPU has no such multiprocessor. */
#pragma gputune kernel(by_the_multiprocessor)

__global__ void by_the_multiprocessor(float *y, const float *x, size_t n)
{
    size_t i = slow_index();
    if (i < n) {
#if BAD
        unsigned int sm;
        asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
        y[i] = sm > 1000 ? 0.0f : 2.0f * x[i];
#else
        y[i] = 2.0f * x[i];
#endif
    }
}
