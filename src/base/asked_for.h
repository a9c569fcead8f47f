/* Tests whether a stored result is one that the user asked for by sizes or by GPU. */
#pragma once

#include <stdbool.h>

/* Returns true if `sizes` ("n=1048576 T=half") has for each name in `wanted` ("n=1M,16M T=half")
 * one of its values, read by gt_read_int(); half and __half are the same, like bfloat16. */
bool gt_sizes_match(const char *sizes, const char *wanted);
/* Returns true if `wanted` is part of the GPU's name `gpu`, ignoring case, or its `environment`. */
bool gt_gpu_matches(const char *gpu, const char *environment, const char *wanted);
