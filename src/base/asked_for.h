/* Decides whether a stored result is one that a user asked for by sizes or by GPU. */
#pragma once

#include <stdbool.h>

/* Whether `sizes`, "n=1048576 T=half", has for each name in `wanted`, "n=1M,16M T=half", one of the
 * values listed there. Numbers are read as gt_read_int() reads them. */
bool gt_sizes_match(const char *sizes, const char *wanted);
/* Whether `wanted` is a part of the GPU's name `gpu`, in either case, or is its `environment`. */
bool gt_gpu_matches(const char *gpu, const char *environment, const char *wanted);
