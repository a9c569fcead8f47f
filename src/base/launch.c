/* What the parameters and steps of a launch are, and what it looks like, for people. */
#include "base/launch.h"
#include "base/number.h"

#include <string.h>

/* Appends "128x8", without trailing ones. */
static void append_extent(char out[GT_SHAPES_TEXT], const uint32_t extent[3], const char *mark)
{
    size_t length = strlen(out);
    int last = extent[2] > 1 ? 2 : extent[1] > 1 ? 1 : 0;
    for (int i = 0; i <= last; i++) {
        (void)gt_snprintf(out + length, GT_SHAPES_TEXT - length, "%s%u", i ? "x" : mark, extent[i]);
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

/* Whether an address is in it. */
static bool holds(const gt_launch *launch, uint32_t parameter)
{
    bool any = false;
    for (uint32_t i = 0; i < launch->parameter_count && !any; i++) {
        any = launch->parameters[i].holder == parameter + 1;
    }
    return any;
}

void gt_launch_take_all(gt_launch *launch)
{
    gt_kernel_step *step = &launch->steps[0];
    step->parameter_count = 0;
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        step->parameters[step->parameter_count] = i;
        step->parameter_count += !launch->parameters[i].holder;
    }
}

gputune_status gt_launch_count_held(gt_launch *launch)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        bytes += holds(launch, i) ? launch->parameters[i].bytes : 0;
        launch->held_count += launch->parameters[i].holder != 0;
    }
    GT_REFUSE(bytes > GT_HELD_BYTES, GPUTUNE_EUNSUPPORTED,
              "%s: %u bytes of structs that hold addresses; expected at most %d",
              launch->steps[0].entry, bytes, GT_HELD_BYTES);
    return GPUTUNE_OK;
}

void gt_launch_hold(void *parameters[GT_PARAMETER_MAX], unsigned char room[GT_HELD_BYTES],
                    const gt_launch *launch)
{
    for (uint32_t i = 0; i < launch->parameter_count && launch->held_count; i++) {
        if (holds(launch, i)) {
            memcpy(room, parameters[i], launch->parameters[i].bytes);
            parameters[i] = room;
            room += launch->parameters[i].bytes;
        }
    }
    for (uint32_t i = 0; i < launch->parameter_count && launch->held_count; i++) {
        const gt_parameter *one = &launch->parameters[i];
        if (one->holder) {
            memcpy((char *)parameters[one->holder - 1] + one->offset, parameters[i], one->bytes);
        }
    }
}

void gt_step_complete(gt_iteration *run, const gt_kernel_step *step)
{
    run->times = run->times ? run->times : step->times;
    for (int i = 0; i < 3; i++) {
        run->grid[i] = run->grid[i] ? run->grid[i] : step->grid[i];
        run->block[i] = run->block[i] ? run->block[i] : step->block[i];
    }
}

bool gt_launch_next(gt_iteration *run, const gt_launch *launch)
{
    bool more;
    if (launch->sequence.item_count) {
        more = gt_iteration_next(run, &launch->sequence);
    } else {
        run->step = run->at++;
        run->times = 0;
        memset(run->grid, 0, sizeof run->grid);
        memset(run->block, 0, sizeof run->block);
        more = run->step < launch->step_count;
    }
    if (more) {
        gt_step_complete(run, &launch->steps[run->step]);
    }
    return more;
}

uint64_t gt_launch_kernels(const gt_launch *launch)
{
    gt_iteration run;
    uint64_t count = 0;
    gt_iteration_begin(&run);
    while (gt_launch_next(&run, launch)) {
        count += run.times;
    }
    return count;
}

/* All launches of one step. */
typedef struct summary {
    uint32_t times, first[3], last[3];
} summary;

/* The grids, from the first launch's to the last's, or the blocks. */
static void list_shapes(char out[GT_SHAPES_TEXT], const gt_launch *launch, bool grids)
{
    summary all[GT_STEPS_MAX] = {{0}};
    gt_iteration run;
    gt_iteration_begin(&run);
    while (gt_launch_next(&run, launch)) {
        summary *one = &all[run.step];
        memcpy(one->times ? one->last : one->first, run.grid, sizeof run.grid);
        memcpy(one->last, run.grid, sizeof run.grid);
        one->times += run.times;
    }
    out[0] = '\0';
    for (uint32_t i = 0; i < launch->step_count; i++) {
        if (all[i].times) {
            append_extent(out, grids ? all[i].first : launch->steps[i].block, out[0] ? " + " : "");
        }
        if (grids && memcmp(all[i].first, all[i].last, sizeof all[i].last) != 0) {
            append_extent(out, all[i].last, "..");
        }
        append_times(out, grids ? all[i].times : 0);
    }
}

void gt_launch_grids(char out[GT_SHAPES_TEXT], const gt_launch *launch)
{
    list_shapes(out, launch, true);
}

void gt_launch_blocks(char out[GT_SHAPES_TEXT], const gt_launch *launch)
{
    list_shapes(out, launch, false);
}

gputune_status gt_image_copy(gt_image *out, const void *data, size_t bytes)
{
    char *copy = malloc(bytes + 1);
    GT_TRY(gt_allocated(copy));
    if (bytes) {
        memcpy(copy, data, bytes);
    }
    copy[bytes] = '\0';
    *out = (gt_image){copy, bytes};
    return GPUTUNE_OK;
}
