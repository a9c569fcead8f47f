/* Whether what is stored is what a user asked for by its sizes or its GPU. */
#pragma once

#include <stdbool.h>

/* Whether sizes, "n=1048576 T=half", have for each name of `wanted`, "n=1M,16M T=half", one of its
 * values. Numbers are read as gt_read_int() does. */
bool gt_sizes_match(const char *sizes, const char *wanted);
/* Whether `wanted` is a part of the GPU's name, case ignored, or its environment. */
bool gt_gpu_matches(const char *gpu, const char *environment, const char *wanted);
