/* A launch kernel by kernel, and what it looks like, for people. */
#include "base/launch.h"

#include "base/number.h"

#include <string.h>

gt_launch_kernel gt_launch_kernel_at(const gt_launch *launch, uint32_t index)
{
    const gt_geometry *only = &launch->geometry;
    const gt_kernel_step *step = &launch->steps[index];
    if (launch->step_count == 0) {
        return (gt_launch_kernel){.entry = launch->entry,
                                  .grid = only->grid,
                                  .block = only->block,
                                  .cluster = only->cluster,
                                  .preferred_cluster = only->preferred_cluster,
                                  .shared_bytes = only->shared_bytes,
                                  .cooperative = only->cooperative,
                                  .times = 1,
                                  .parameter_count = launch->parameter_count};
    }
    return (gt_launch_kernel){.entry = step->entry,
                              .grid = step->grid,
                              .block = step->block,
                              .cluster = step->cluster,
                              .shared_bytes = step->shared_bytes,
                              .cooperative = step->cooperative,
                              .programmatic = step->programmatic,
                              .times = step->times,
                              .parameter_count = step->parameter_count,
                              .parameters = step->parameters};
}

/* Appends "128x8", without trailing ones. */
static void append_extent(char out[GT_SHAPES_TEXT], const uint32_t extent[3], bool first)
{
    size_t length = strlen(out);
    int last = extent[2] > 1 ? 2 : extent[1] > 1 ? 1 : 0;
    for (int i = 0; i <= last; i++) {
        const char *mark = i ? "x" : first ? "" : " + ";
        (void)gt_snprintf(out + length, GT_SHAPES_TEXT - length, "%s%u", mark, extent[i]);
        length += strlen(out + length);
    }
}

/* " (3 times)" behind a kernel that is launched so often in a row. */
static void append_times(char out[GT_SHAPES_TEXT], uint32_t times)
{
    size_t length = strlen(out);
    if (times > 1) {
        (void)gt_snprintf(out + length, GT_SHAPES_TEXT - length, " (%u times)", times);
    }
}

void gt_launch_grids(char out[GT_SHAPES_TEXT], const gt_launch *launch)
{
    out[0] = '\0';
    for (uint32_t i = 0; i < gt_launch_kernel_count(launch); i++) {
        const gt_launch_kernel kernel = gt_launch_kernel_at(launch, i);
        append_extent(out, kernel.grid, i == 0);
        append_times(out, kernel.times);
    }
}

void gt_launch_blocks(char out[GT_SHAPES_TEXT], const gt_launch *launch)
{
    out[0] = '\0';
    for (uint32_t i = 0; i < gt_launch_kernel_count(launch); i++) {
        append_extent(out, gt_launch_kernel_at(launch, i).block, i == 0);
    }
}
