/* Tests whether a stored result has the requested sizes and GPU. */
#pragma once

#include <stdbool.h>

/* Returns true if `sizes` ("n=1048576 T=half") matches `wanted` ("n=1M,16M T=half"). For each name
 * in `wanted`, `sizes` must have one of the wanted values. Compares numbers by value; half equals
 * __half. If `within` is true, a range in `sizes` ("n=1024:4096") matches each value in it. */
bool gt_sizes_match(const char *sizes, const char *wanted, bool within);
/* Returns true if `wanted` is contained in the GPU's name (ignoring case) or is `environment`. */
bool gt_gpu_matches(const char *gpu, const char *environment, const char *wanted);
