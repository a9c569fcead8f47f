/* Limits of the device and of CUDA that exclude a configuration, whatever the template says. */
#pragma once

#include "base/device.h"

#include <stddef.h>

typedef enum gt_limit {
    GT_LIMIT_NONE, /* nothing is wrong */
    GT_LIMIT_EXPRESSION,
    GT_LIMIT_BLOCK_EMPTY,
    GT_LIMIT_BLOCK_THREADS,
    GT_LIMIT_BLOCK_DIMENSION,
    GT_LIMIT_BOUNDS,
    GT_LIMIT_MAXREG,
    GT_LIMIT_SHARED_NEGATIVE,
    GT_LIMIT_SHARED,
    GT_LIMIT_GRID_EMPTY,
    GT_LIMIT_GRID,
    GT_LIMIT_CLUSTER_EMPTY,
    GT_LIMIT_CLUSTER_NONE,
    GT_LIMIT_CLUSTER,
    GT_LIMIT_COOPERATIVE,
    GT_LIMIT_TIMES,
    GT_LIMIT_LAUNCHES,
    GT_LIMIT_NO_LAUNCH,
    GT_LIMIT_SEQUENCE,
    GT_LIMIT_VALUE,
    GT_LIMIT_PROGRAMMATIC,
    GT_LIMIT_CARVEOUT_SIZE,
    GT_LIMIT_CARVEOUT_BLOCK,
    GT_LIMIT_PREFERRED_NONE,
    GT_LIMIT_PREFERRED,
    GT_LIMIT_L2_PERSIST,
    GT_LIMIT_VECTOR_ALIGNMENT,
    GT_LIMIT_VECTOR_EXTENT,
    GT_LIMIT_PASS_VALUE,
    GT_LIMIT_PASS_SPLIT,
    GT_LIMIT_PASS_CONSTANT,
    GT_LIMIT_TENSORMAP_NONE,
    GT_LIMIT_TENSORMAP_BOX,
    GT_LIMIT_TENSORMAP_SWIZZLE,
    GT_LIMIT_TENSORMAP_STRIDE,
    GT_LIMIT_TENSORMAP_SIZE,
    GT_LIMIT_TENSORMAP_MODE,
    GT_LIMIT_COUNT
} gt_limit;

/* Returns from the enclosing function the limit that `call` breaks, if it breaks one. */
#define GT_WITHIN(call)                                                                            \
    do {                                                                                           \
        gt_limit gt_within_ = (call);                                                              \
        if (gt_within_) {                                                                          \
            return gt_within_;                                                                     \
        }                                                                                          \
    } while (0)

/* Returns `limit` from the enclosing function where `condition` holds. */
#define GT_EXCLUDE(condition, limit) GT_WITHIN((condition) ? (limit) : GT_LIMIT_NONE)

enum { GT_LIMIT_TEXT = 96 };
/* Writes the limit as text with the device's numbers, such as "block exceeds 1024 threads", to
 * `out`, and returns it; the macro's text lasts to the end of the block in which it stands. */
const char *gt_limit_text(char out[GT_LIMIT_TEXT], gt_limit limit, const gt_device *device);
#define GT_LIMIT_REASON(limit, device) gt_limit_text((char[GT_LIMIT_TEXT]){""}, limit, device)
