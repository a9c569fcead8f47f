/* Monotonic time. */
#pragma once

#include <stdint.h>

/* Returns CLOCK_MONOTONIC in nanoseconds. */
int64_t gt_now_ns(void);
/* Returns CLOCK_MONOTONIC_COARSE in nanoseconds. Reading this clock is several times cheaper, but
 * it may be milliseconds behind CLOCK_MONOTONIC. */
int64_t gt_coarse_now_ns(void);
/* Returns the seconds since a time that gt_now_ns() returned. */
double gt_seconds_since(int64_t start_ns);
