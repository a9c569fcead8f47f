/* Limits of devices and of CUDA. A configuration that breaks one of them is never launched. */
#pragma once

#include "base/device.h"

/* All limits with their messages. %lld is replaced by the device's limit. */
#define GT_LIMIT_LIST(LIMIT)                                                                       \
    LIMIT(NONE, "nothing")                                                                         \
    LIMIT(EXPRESSION, "an expression divides by zero or overflows")                                \
    LIMIT(BLOCK_EMPTY, "a block dimension is below 1")                                             \
    LIMIT(BLOCK_THREADS, "block exceeds %lld threads")                                             \
    LIMIT(BLOCK_DIMENSION, "block is too large in y or z")                                         \
    LIMIT(BOUNDS, "launch_bounds allow fewer threads than the block has")                          \
    LIMIT(MAXREG, "maxreg is outside 0 (no limit) to 255")                                         \
    LIMIT(SHARED_NEGATIVE, "shared memory is negative")                                            \
    LIMIT(SHARED, "shared memory exceeds %lld bytes per block")                                    \
    LIMIT(GRID_EMPTY, "a grid dimension is below 1")                                               \
    LIMIT(GRID, "grid exceeds the GPU's limit (%lld in x, 65535 in y and z)")                      \
    LIMIT(CLUSTER_EMPTY, "a cluster dimension is below 1")                                         \
    LIMIT(CLUSTER_NONE, "clusters need compute capability 9.0")                                    \
    LIMIT(CLUSTER, "cluster exceeds %lld blocks")                                                  \
    LIMIT(COOPERATIVE, "a cooperative grid has more blocks than fit on the GPU at once")           \
    LIMIT(TIMES, "a launch is repeated less than once, or more than 65536 times")                  \
    LIMIT(LAUNCHES, "the loops make more than 65536 launches, or do not end")                      \
    LIMIT(NO_LAUNCH, "the loops make no launch")                                                   \
    LIMIT(SEQUENCE, "the loops and their arguments need more memory than a launch may use")        \
    LIMIT(VALUE, "an argument in launch() does not fit into the kernel's parameter")               \
    LIMIT(PROGRAMMATIC, "programmatic launches need compute capability 9.0")                       \
    LIMIT(CARVEOUT_SIZE, "this GPU has no such carveout size")                                     \
    LIMIT(CARVEOUT_BLOCK,                                                                          \
          "carveout is smaller than a block's shared memory and %lld reserved bytes")              \
    LIMIT(L2_PERSIST, "this GPU cannot set level-2 cache aside")                                   \
    LIMIT(VECTOR_ALIGNMENT, "vector is wider than a buffer's assumed alignment")                   \
    LIMIT(VECTOR_EXTENT, "vector does not divide a buffer's innermost extent")                     \
    LIMIT(PASS_VALUE, "parameters passed by value exceed %lld bytes")                              \
    LIMIT(PASS_SPLIT, "the pass value 'split' would pass the whole block by value")                \
    LIMIT(PASS_CONSTANT, "the passed block exceeds the %lld bytes of constant memory")             \
    LIMIT(TENSORMAP_NONE, "tensor maps need compute capability 9.0 and driver 12.0")               \
    LIMIT(TENSORMAP_BOX,                                                                           \
          "a tensor map's box is outside 1 to 256, or its rows are not a multiple of 16 bytes")    \
    LIMIT(TENSORMAP_SWIZZLE, "the rows of a tensor map's box are wider than its swizzle")          \
    LIMIT(TENSORMAP_STRIDE,                                                                        \
          "a tensor map's strides are not multiples of 16 bytes (32 with interleave = 32)")        \
    LIMIT(TENSORMAP_SIZE, "a tensor map's sizes are outside 1 to 2^32")                            \
    LIMIT(                                                                                         \
        TENSORMAP_MODE,                                                                            \
        "a tensor map cannot have this swizzle, this l2 or, with its dimensions, this interleave")

#define GT_LIMIT_NAME(name, text) GT_LIMIT_##name,
typedef enum gt_limit { GT_LIMIT_LIST(GT_LIMIT_NAME) GT_LIMIT_COUNT } gt_limit;

/* Evaluates `call`, and returns from the enclosing function if it reports a broken limit. */
#define GT_WITHIN(call)                                                                            \
    do {                                                                                           \
        gt_limit gt_within_ = (call);                                                              \
        if (gt_within_) {                                                                          \
            return gt_within_;                                                                     \
        }                                                                                          \
    } while (0)

/* Returns `limit` from the enclosing function if `condition` is true. */
#define GT_EXCLUDE(condition, limit) GT_WITHIN((condition) ? (limit) : GT_LIMIT_NONE)

enum { GT_LIMIT_TEXT = 96 };
/* Writes the message of a limit, such as "block exceeds 1024 threads", to `out` and returns `out`.
 * GT_LIMIT_REASON() supplies a buffer that is valid until the end of the enclosing block. */
const char *gt_limit_text(char out[GT_LIMIT_TEXT], gt_limit limit, const gt_device *device);
#define GT_LIMIT_REASON(limit, device) gt_limit_text((char[GT_LIMIT_TEXT]){""}, limit, device)
