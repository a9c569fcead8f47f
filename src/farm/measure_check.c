/* Launches of a variant under the emulator's sanitizer. Nothing is compared. */
#include "base/text.h"
#include "farm/measure_parts.h"

#include <stdlib.h>
#include <string.h>

/* Says what memory is for, and what is set in it. */
static gputune_status note_memory(gt_measure *measure, const gt_loaded *variant, uint32_t index)
{
    const gt_workspace *workspace = &measure->workspaces[index];
    const gt_launch *launch = &variant->launches[index];
    for (uint32_t i = 0; i < workspace->workload.buffer_count; ++i) {
        const gt_buffer *buffer = &workspace->workload.buffers[i];
        GT_CALL(measure, EmuCheckMemory, workspace->slots[i].address, buffer->bytes, buffer->name,
                gt_buffer_element_bytes(buffer), buffer->direction != GT_OUT);
    }
    for (uint32_t i = 0; i < launch->parameter_count; ++i) {
        CUdeviceptr scratch;
        GT_TRY(gt_launcher_scratch(&scratch, variant->launchers[index], measure->stream, i));
        if (launch->parameters[i].kind == GT_PARAMETER_SCRATCH && scratch) {
            GT_CALL(measure, EmuCheckMemory, scratch, launch->parameters[i].scratch_bytes,
                    "scratch bytes", 1, launch->parameters[i].zero_first);
        }
    }
    return GPUTUNE_OK;
}

typedef gputune_status (*launch_function)(gt_measure *measure, gt_loaded *variant,
                                          uint32_t workspace);

/* One launch on buffers as a proof has them. */
static gputune_status check_launch(gt_text *text, gt_measure *measure, gt_loaded *variant,
                                   uint32_t index, launch_function launch)
{
    GT_TRY(gt_service_reset(measure, &measure->launch, false));
    GT_TRY(gt_launcher_poison(variant->launchers[index], measure->stream, GT_POISON_FIRST));
    GT_TRY(gt_measure_wait(measure));
    GT_TRY(gt_measure_check(measure, measure->driver->EmuCheckBegin(), "emuCheckBegin"));
    gputune_status status = note_memory(measure, variant, index);
    GT_THEN(status, launch(measure, variant, index));
    status = status < 0 ? status : gt_measure_wait(measure);
    gt_text_printf(text, "size\t%u\n%s", index, measure->driver->EmuCheckEnd());
    return status;
}

static bool has_in_place(const gt_workload *workload)
{
    bool any = false;
    for (uint32_t i = 0; i < workload->buffer_count; ++i) {
        any |= workload->buffers[i].in_place != 0;
    }
    return any;
}

static gputune_status check_all(gt_text *text, gt_measure *measure, gt_loaded *variant)
{
    for (uint32_t i = 0; i < measure->setup.workload_count; ++i) {
        GT_TRY(check_launch(text, measure, variant, i, gt_loaded_launch));
        if (has_in_place(&measure->workspaces[i].workload)) {
            GT_TRY(check_launch(text, measure, variant, i, gt_loaded_launch_in_place));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_loaded_check(gt_verified *out, gt_measure *measure, gt_loaded *variant)
{
    gt_text text = {0};
    if (!measure->driver->EmuCheckBegin) {
        return gt_fail(GPUTUNE_EUNSUPPORTED, "kernels are checked on the emulator alone");
    }
    gputune_status status = check_all(&text, measure, variant);
    measure->damage = GT_DAMAGE_EVERYTHING;
    GT_THEN(status, gt_strdup(&out->findings, gt_text_string(&text)));
    out->proved = true;
    out->pilot_ns = 1;
    gt_text_free(&text);
    return status;
}
