/* Monotonic time. */
#pragma once

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds. */
int64_t gt_now_ns(void);
/* CLOCK_MONOTONIC_COARSE in nanoseconds: a few milliseconds behind, and several times as cheap. */
int64_t gt_coarse_now_ns(void);
/* Seconds since an earlier gt_now_ns(). */
double gt_seconds_since(int64_t start_ns);
