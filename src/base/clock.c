/* Monotonic time by clock_gettime(). */
#include "base/clock.h"

#include <time.h>

int64_t gt_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double gt_seconds_since(int64_t start_ns)
{
    return (double)(gt_now_ns() - start_ns) * 1e-9;
}
