/* Reads the monotonic clocks. */
#include "base/clock.h"

#include <time.h>

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t gt_now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t gt_coarse_now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC_COARSE);
}

double gt_seconds_since(int64_t start_ns)
{
    return (double)(gt_now_ns() - start_ns) * 1e-9;
}
