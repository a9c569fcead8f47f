/* What a launch looks like, for people. */
#include "base/launch.h"

#include "base/number.h"

#include <string.h>

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
    for (uint32_t i = 0; i < launch->step_count; i++) {
        append_extent(out, launch->steps[i].grid, i == 0);
        append_times(out, launch->steps[i].times);
    }
}

void gt_launch_blocks(char out[GT_SHAPES_TEXT], const gt_launch *launch)
{
    out[0] = '\0';
    for (uint32_t i = 0; i < launch->step_count; i++) {
        append_extent(out, launch->steps[i].block, i == 0);
    }
}
