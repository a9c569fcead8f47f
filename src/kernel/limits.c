/* The texts of the limits. */
#include "kernel/limits.h"

#include <stdio.h>

/* The device's number that the text of a limit contains. */
static long long number_of(gt_limit limit, const gt_device *device)
{
    switch (limit) {
    case GT_LIMIT_BLOCK_THREADS:
        return device->max_threads_per_block;
    case GT_LIMIT_SHARED:
        return device->shared_per_block_optin_bytes;
    case GT_LIMIT_GRID:
        return (long long)device->max_grid[0];
    case GT_LIMIT_CLUSTER:
        return device->max_cluster;
    case GT_LIMIT_CARVEOUT_BLOCK:
        return device->shared_reserved_per_block_bytes;
    case GT_LIMIT_PASS_VALUE:
        return device->max_parameter_bytes;
    case GT_LIMIT_PASS_CONSTANT:
        return device->constant_bytes;
    default:
        return 0;
    }
}

static const char *const texts[GT_LIMIT_COUNT] = {
    [GT_LIMIT_NONE] = "nothing",
    [GT_LIMIT_EXPRESSION] = "an expression divides by zero or overflows",
    [GT_LIMIT_BLOCK_EMPTY] = "block is below 1",
    [GT_LIMIT_BLOCK_DIMENSION] = "block is too large in y or z",
    [GT_LIMIT_BOUNDS] = "launch_bounds are below the block's threads",
    [GT_LIMIT_MAXREG] = "maxreg is outside 0 (no limit) to 255",
    [GT_LIMIT_SHARED_NEGATIVE] = "shared memory is negative",
    [GT_LIMIT_GRID_EMPTY] = "grid is below 1",
    [GT_LIMIT_CLUSTER_NONE] = "clusters need compute capability 9.0",
    [GT_LIMIT_COOPERATIVE] = "a cooperative grid exceeds the blocks that the GPU holds at once",
    [GT_LIMIT_TIMES] = "a launch is repeated less than once, or more than 65536 times",
    [GT_LIMIT_PROGRAMMATIC] = "programmatic launches need compute capability 9.0",
    [GT_LIMIT_CARVEOUT_SIZE] = "this GPU has no such carveout size",
    [GT_LIMIT_VECTOR_ALIGNMENT] = "vector is wider than a buffer's assumed alignment",
    [GT_LIMIT_VECTOR_EXTENT] = "vector does not divide a buffer's innermost extent",
    [GT_LIMIT_PASS_SPLIT] = "split would pass the whole block by value",
};

void gt_limit_text(char *out, size_t bytes, gt_limit limit, const gt_device *device)
{
    long long number = number_of(limit, device);
    switch (limit) {
    case GT_LIMIT_BLOCK_THREADS:
        (void)snprintf(out, bytes, "block exceeds %lld threads", number);
        break;
    case GT_LIMIT_SHARED:
        (void)snprintf(out, bytes, "shared memory exceeds %lld bytes a block", number);
        break;
    case GT_LIMIT_GRID:
        (void)snprintf(out, bytes, "grid exceeds the GPU's limit (%lld in x)", number);
        break;
    case GT_LIMIT_CLUSTER:
        (void)snprintf(out, bytes, "cluster exceeds %lld blocks", number);
        break;
    case GT_LIMIT_CARVEOUT_BLOCK:
        (void)snprintf(out, bytes,
                       "carveout is smaller than a block's shared memory and %lld reserved bytes",
                       number);
        break;
    case GT_LIMIT_PASS_VALUE:
        (void)snprintf(out, bytes, "parameters by value exceed %lld bytes", number);
        break;
    case GT_LIMIT_PASS_CONSTANT:
        (void)snprintf(out, bytes, "pass block exceeds %lld bytes of constant memory", number);
        break;
    default:
        (void)snprintf(out, bytes, "%s", limit < GT_LIMIT_COUNT ? texts[limit] : "?");
    }
}
