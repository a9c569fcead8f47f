/* The texts of the limits. */
#include "kernel/limits.h"

#include <stdio.h>

/* %lld: the device's number. */
static const char *const texts[GT_LIMIT_COUNT] = {
    [GT_LIMIT_NONE] = "nothing",
    [GT_LIMIT_EXPRESSION] = "an expression divides by zero or overflows",
    [GT_LIMIT_BLOCK_EMPTY] = "block is below 1",
    [GT_LIMIT_BLOCK_THREADS] = "block exceeds %lld threads",
    [GT_LIMIT_BLOCK_DIMENSION] = "block is too large in y or z",
    [GT_LIMIT_BOUNDS] = "launch_bounds are below the block's threads",
    [GT_LIMIT_MAXREG] = "maxreg is outside 0 (no limit) to 255",
    [GT_LIMIT_SHARED_NEGATIVE] = "shared memory is negative",
    [GT_LIMIT_SHARED] = "shared memory exceeds %lld bytes a block",
    [GT_LIMIT_GRID_EMPTY] = "grid is below 1",
    [GT_LIMIT_GRID] = "grid exceeds the GPU's limit (%lld in x)",
    [GT_LIMIT_CLUSTER_EMPTY] = "cluster is below 1",
    [GT_LIMIT_CLUSTER_NONE] = "clusters need compute capability 9.0",
    [GT_LIMIT_CLUSTER] = "cluster exceeds %lld blocks",
    [GT_LIMIT_COOPERATIVE] = "a cooperative grid exceeds the blocks that the GPU holds at once",
    [GT_LIMIT_TIMES] = "a launch is repeated less than once, or more than 65536 times",
    [GT_LIMIT_LAUNCHES] = "the loops make more than 65536 launches, or do not end",
    [GT_LIMIT_NO_LAUNCH] = "the loops make no launch",
    [GT_LIMIT_SEQUENCE] = "the loops and what they compute take more room than a launch has",
    [GT_LIMIT_VALUE] = "an argument in launch() does not fit into the kernel's parameter",
    [GT_LIMIT_PROGRAMMATIC] = "programmatic launches need compute capability 9.0",
    [GT_LIMIT_CARVEOUT_SIZE] = "this GPU has no such carveout size",
    [GT_LIMIT_CARVEOUT_BLOCK] =
        "carveout is smaller than a block's shared memory and %lld reserved bytes",
    [GT_LIMIT_PREFERRED_NONE] = "preferred clusters need compute capability 10.0 and driver 12.8",
    [GT_LIMIT_PREFERRED] = "the preferred cluster is no multiple of the cluster",
    [GT_LIMIT_L2_PERSIST] = "this GPU cannot set level-2 cache aside",
    [GT_LIMIT_VECTOR_ALIGNMENT] = "vector is wider than a buffer's assumed alignment",
    [GT_LIMIT_VECTOR_EXTENT] = "vector does not divide a buffer's innermost extent",
    [GT_LIMIT_TENSORMAP_NONE] = "tensor maps need compute capability 9.0 and driver 12.0",
    [GT_LIMIT_TENSORMAP_BOX] =
        "a tensor map's box is outside 1 to 256, or its rows are no multiple of 16 bytes",
    [GT_LIMIT_TENSORMAP_SWIZZLE] = "the rows of a tensor map's box are wider than its swizzle",
    [GT_LIMIT_TENSORMAP_STRIDE] =
        "a tensor map's strides are no multiples of 16 bytes (32 with interleave = 32)",
    [GT_LIMIT_TENSORMAP_SIZE] = "a tensor map's sizes are outside 1 to 2^32",
    [GT_LIMIT_TENSORMAP_MODE] =
        ("a tensor map's swizzle is not 0, 32, 64 or 128, or its interleave not 0, 16 or 32 (which "
         "needs three dimensions), or its l2 not 0, 64, 128 or 256"),
    [GT_LIMIT_PASS_VALUE] = "parameters by value exceed %lld bytes",
    [GT_LIMIT_PASS_CONSTANT] = "pass block exceeds %lld bytes of constant memory",
    [GT_LIMIT_PASS_SPLIT] = "split would pass the whole block by value",
};

const char *gt_limit_text(char out[GT_LIMIT_TEXT], gt_limit limit, const gt_device *device)
{
    const long long numbers[GT_LIMIT_COUNT] = {
        [GT_LIMIT_BLOCK_THREADS] = device->max_threads_per_block,
        [GT_LIMIT_SHARED] = device->shared_per_block_optin_bytes,
        [GT_LIMIT_GRID] = (long long)device->max_grid[0],
        [GT_LIMIT_CLUSTER] = device->max_cluster,
        [GT_LIMIT_CARVEOUT_BLOCK] = device->shared_reserved_per_block_bytes,
        [GT_LIMIT_PASS_VALUE] = device->max_parameter_bytes,
        [GT_LIMIT_PASS_CONSTANT] = (long long)device->constant_bytes};
    (void)snprintf(out, GT_LIMIT_TEXT, texts[limit], numbers[limit]);
    return out;
}
