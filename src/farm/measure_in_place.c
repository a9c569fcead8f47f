/* Launches of a proof in which the buffers that in_place() names are one, as callers may pass them.
 */
#include "farm/measure_parts.h"

#include <string.h>

/* The place of a buffer among the caller's arguments. */
static uint32_t place_of(const gt_workload *workload, uint32_t buffer)
{
    uint32_t place = 0;
    while (!workload->arguments[place].is_buffer || workload->arguments[place].index != buffer) {
        place++;
    }
    return workload->block_count + place;
}

/* Puts what the input holds into the output's buffer, and passes that for both. */
static gputune_status join(const void **arguments, gt_measure *measure,
                           const gt_workspace *workspace, uint32_t output)
{
    const gt_workload *workload = &workspace->workload;
    uint32_t input = workload->buffers[output].in_place - 1;
    GT_CALL(measure, MemcpyDtoDAsync, workspace->slots[output].address,
            workspace->slots[input].address, workload->buffers[input].bytes, measure->stream);
    arguments[place_of(workload, input)] = arguments[place_of(workload, output)];
    return GPUTUNE_OK;
}

gputune_status gt_loaded_launch_in_place(gt_measure *measure, gt_loaded *variant,
                                         uint32_t workspace)
{
    const gt_workspace *on = &measure->workspaces[workspace];
    const void *arguments[GT_BLOCK_MAX + GT_PARAMETER_MAX];
    memcpy(arguments, gt_launch_arguments(measure, workspace),
           on->argument_count * sizeof *arguments);
    for (uint32_t i = 0; i < on->workload.buffer_count; ++i) {
        if (on->workload.buffers[i].in_place) {
            GT_TRY(join(arguments, measure, on, i));
        }
    }
    return gt_loaded_launch_with(measure, variant, workspace, arguments);
}
