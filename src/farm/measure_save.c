/* Writes a variant's outputs to files. */
#include "farm/measure_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gputune_status write_file(const gt_saved_output *save, const void *data, uint64_t bytes)
{
    FILE *file = fopen(save->path, "wbe");
    bool written = file && fwrite(save->head, sizeof save->head, 1, file) == 1 &&
                   fwrite(data, 1, bytes, file) == bytes;
    const bool closed = file && fclose(file) == 0;
    return written && closed ? GPUTUNE_OK
                             : gt_fail(GPUTUNE_EIO,
                                       "%s: cannot be written: %s; expected room in a "
                                       "folder that may be written",
                                       save->path, strerror(errno));
}

static gputune_status save_output(gt_measure *measure, const gt_saved_output *save)
{
    const gt_workspace *workspace = &measure->workspaces[0];
    const uint64_t bytes = workspace->workload.buffers[save->buffer].bytes;
    void *data = malloc(bytes);
    GT_TRY(gt_allocated(data));
    gputune_status status =
        gt_measure_check(measure,
                         measure->driver->MemcpyDtoHAsync(
                             data, workspace->slots[save->buffer].address, bytes, measure->stream),
                         "cuMemcpyDtoHAsync");
    status = status < 0 ? status : gt_measure_wait(measure);
    status = status < 0 ? status : write_file(save, data, bytes);
    free(data);
    return status;
}

gputune_status gt_outputs_save(gt_measure *measure, gt_loaded *variant, const gt_verify_job *job)
{
    GT_TRY(gt_service_reset(measure, &measure->launch, true));
    GT_TRY(gt_loaded_launch(measure, variant, 0));
    for (uint32_t i = 0; i < job->save_count; ++i) {
        GT_TRY(save_output(measure, &job->saves[i]));
    }
    return GPUTUNE_OK;
}
