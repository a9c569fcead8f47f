/* The texts of the limits. */
#include "kernel/limits.h"

#include <stdio.h>

#define TEXT(name, text) text,
static const char *const texts[GT_LIMIT_COUNT] = {GT_LIMIT_LIST(TEXT)};

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
