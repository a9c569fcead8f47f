/* Opens and closes the state for measuring on a GPU, and prepares setups. */
#include "farm/measure.h"

#include "base/clock.h"
#include "base/objective.h"
#include "farm/measure_contents.h"
#include "farm/measure_data_proof.h"
#include "farm/measure_memory.h"
#include "farm/measure_sample.h"
#include "farm/measure_service.h"
#include "farm/measure_state.h"
#include "farm/measure_tables.h"
#include "farm/measure_verify.h"

#include <stdio.h>
#include <stdlib.h>

static void open_monitor(gt_measure *measure)
{
    if (!measure->monitor && !measure->device.emulated) {
        measure->monitor = gt_monitor_start(measure->device.uuid);
    }
}

/* ---- Shared functions ------------------------------------------------------------------------ */

static void lose_gpu(gt_measure *measure)
{
    for (; measure; measure = measure->parent) {
        measure->lost = true;
    }
}

gputune_status gt_measure_check(gt_measure *measure, CUresult result, const char *call)
{
    if (result == CUDA_SUCCESS) {
        return GPUTUNE_OK;
    }
    if (gt_cuda_fatal(result)) {
        lose_gpu(measure);
    }
    return gt_cuda_check(measure->driver, result, call);
}

gputune_status gt_measure_wait(gt_measure *measure)
{
    GT_CALL(measure, StreamSynchronize, measure->stream);
    return GPUTUNE_OK;
}

gputune_status gt_measure_elapsed(double *out_ns, gt_measure *measure)
{
    float milliseconds = 0;
    GT_CALL(measure, EventSynchronize, measure->stop);
    GT_CALL(measure, EventElapsedTime, &milliseconds, measure->start, measure->stop);
    *out_ns = (double)milliseconds * 1e6;
    return GPUTUNE_OK;
}

gputune_status gt_measure_load(gt_launcher **out, gt_measure *measure, const gt_image *image,
                               const gt_launch *const *launches)
{
    for (uint32_t i = 0; i < measure->setup.workload_count; ++i) {
        gt_module *module = i > 0 ? gt_launcher_module(out[0]) : NULL;
        GT_TRY(gt_launcher_load(&out[i], measure->driver, &measure->device, image, module,
                                launches[i]));
        if (i == 0) {
            GT_TRY(gt_launcher_check_count(out[0]));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_measure_launch(gt_measure *measure, gt_launcher *launcher,
                                 const void *const *arguments)
{
    gputune_status status = gt_launcher_launch(launcher, measure->stream, arguments);
    if (status == GPUTUNE_ECRASHED) {
        lose_gpu(measure);
    }
    return status;
}

gputune_status gt_measure_usable(const gt_measure *measure)
{
    GT_REFUSE(measure->lost, GPUTUNE_ECRASHED,
              "an earlier failure made the GPU unusable in this process");
    return measure->ready ? GPUTUNE_OK : gt_fail(GPUTUNE_EINVAL, "nothing was prepared");
}

/* ---- Opening --------------------------------------------------------------------------------- */

static void drop_measure(gt_measure **measure)
{
    gt_measure_close(*measure);
}

gputune_status gt_measure_open(gt_measure **out, const char *driver, int ordinal)
{
    char which[16];
    GT_SCOPED(drop_measure) gt_measure *measure = calloc(1, sizeof *measure);
    GT_TRY(gt_allocated(measure));
    snprintf(which, sizeof which, "%d", ordinal);
    GT_TRY(gt_driver_open(&measure->driver, driver));
    measure->limited = *measure->driver;
    measure->limited.budget = &measure->budget;
    measure->driver = &measure->limited;
    GT_TRY(gt_device_find(&ordinal, measure->driver, which));
    GT_TRY(gt_device_query(&measure->device, measure->driver, ordinal));
    *out = gt_take(&measure);
    return GPUTUNE_OK;
}

gputune_status gt_measure_attach(gt_measure *measure)
{
    CUdevice device;
    /* relaxed mode is never left, because all captures on this thread use it */
    (void)gt_relaxed_enter(measure->driver);
    GT_CALL(measure, DeviceGet, &device, measure->device.ordinal);
    /* ignore a failure, which means that the context is in use already */
    (void)measure->driver->DevicePrimaryCtxSetFlags(device, CU_CTX_SCHED_SPIN);
    CUresult result = measure->driver->DevicePrimaryCtxRetain(&measure->context, device);
    GT_REFUSE(
        result == CUDA_ERROR_DEVICE_UNAVAILABLE, GPUTUNE_EBUSY,
        "GPU %d (%s) may be used by one process only, and another uses it: set its compute mode to "
        "default, or end the other process and tune ahead with 'gputune warm'",
        measure->device.ordinal, measure->device.name);
    GT_TRY(gt_measure_check(measure, result, "cuDevicePrimaryCtxRetain"));
    GT_CALL(measure, CtxSetCurrent, measure->context);
    GT_CALL(measure, StreamCreate, &measure->stream, CU_STREAM_NON_BLOCKING);
    GT_CALL(measure, EventCreate, &measure->start, CU_EVENT_DEFAULT);
    GT_CALL(measure, EventCreate, &measure->stop, CU_EVENT_DEFAULT);
    GT_CALL(measure, EventCreate, &measure->checked, CU_EVENT_DEFAULT);
    return GPUTUNE_OK;
}

const gt_device *gt_measure_device(const gt_measure *measure)
{
    return &measure->device;
}

void gt_measure_forget(gt_measure *measure)
{
    gt_data_proof_free(measure);
    gt_loaded_free_all(measure);
    gt_reference_free(measure);
    gt_memory_free(measure);
    for (size_t i = 0; i < GT_TABLES; ++i) {
        gt_tasks_free(&measure->tables[i]);
    }
    for (int i = 0; i < GT_WORKLOAD_MAX; ++i) {
        gt_workspace_free(&measure->workspaces[i]);
    }
    measure->ready = measure->has_expected = measure->has_tolerances = false;
    measure->results_hash = 0;
    measure->damaged = false;
    measure->ahead = NULL;
}

void gt_measure_close(gt_measure *measure)
{
    if (!measure) {
        return;
    }
    gt_monitor_stop(measure->monitor);
    if (measure->context) {
        const gt_driver *driver = measure->driver;
        gt_measure_forget(measure);
        gt_service_free(measure);
        CUevent events[] = {measure->start, measure->stop, measure->checked};
        for (size_t i = 0; i < sizeof events / sizeof events[0]; ++i) {
            if (events[i]) {
                (void)driver->EventDestroy(events[i]);
            }
        }
        if (measure->stream) {
            (void)driver->StreamDestroy(measure->stream);
        }
        (void)driver->CtxSetCurrent(NULL);
        (void)driver->DevicePrimaryCtxRelease(measure->device.ordinal);
    }
    gt_budget_free(&measure->budget);
    free(measure);
}

/* ---- Preparing ------------------------------------------------------------------------------- */

gputune_status gt_measure_build(gt_measure *measure, const gt_measure_setup *setup)
{
    uint64_t live[GT_WORKLOAD_MAX];
    gt_live_buffers(live, setup);
    for (uint32_t i = 0; i < setup->workload_count; ++i) {
        gt_workspace *workspace = &measure->workspaces[i];
        gt_workload *workload = &workspace->workload;
        *workload = setup->workloads[i];
        workspace->failures = (gt_buffer_slot){.workspace = workspace};
        workspace->slots = i > 0 ? gt_slots_end(measure, i) : measure->slots;
        workspace->slots_end = workspace->slots;
        for (uint32_t k = 0; k < workload->buffer_count; ++k) {
            gt_buffer *buffer = &workload->buffers[k];
            /* results of a variant or the caller have the buffer's own type */
            if (!workload->has_reference) {
                buffer->reference_type = buffer->type;
            }
            *workspace->slots_end++ =
                (gt_buffer_slot){.workspace = workspace, .buffer = buffer, .index = k};
        }
        GT_TRY(gt_workspace_allocate(measure, workspace, live[i]));
    }
    GT_TRY(gt_reference_load(measure, &setup->reference));
    for (uint32_t i = 0; i < setup->workload_count; ++i) {
        GT_TRY(gt_workspace_rotate(measure, &measure->workspaces[i]));
    }
    GT_TRY(gt_tables_plan(measure));
    GT_TRY(gt_memory_service(measure));
    GT_TRY(gt_inputs_copy(measure, setup));
    return gt_contents_make(measure, setup->seed, false);
}

gputune_status gt_measure_prepare(gt_measure *measure, const gt_measure_setup *setup,
                                  gt_prepared *out)
{
    int64_t start = gt_now_ns();
    gt_measure_forget(measure);
    measure->budget.limit_bytes = setup->memory_limit_bytes;
    if (gt_objective_facts(setup->objective)->by_energy) {
        open_monitor(measure);
        GT_TRY(gt_energy_check(measure)); /* fails early, before inputs are made */
    }
    GT_TRY(gt_memory_precheck(measure, setup));
    measure->setup = *setup;
    measure->setup.inputs = NULL;
    measure->setup.input_count = 0;
    measure->setup.reference = measure->setup.service = (gt_image){0};
    GT_TRY(gt_service_load(measure, &setup->service));
    GT_TRY(gt_measure_build(measure, setup));
    if (!(measure->copy_bytes_per_s > 0) && gt_memory_suffices_for_copies(measure)) {
        bool emulated = measure->device.emulated;
        gputune_status status = gt_copy_rate(&measure->copy_bytes_per_s, measure->driver,
                                             (size_t)(emulated ? 16 : 512) << 20, emulated ? 1 : 4);
        measure->lost |= status == GPUTUNE_ECRASHED;
        if (status < 0 && status != GPUTUNE_EDEVMEM) {
            return status;
        }
    }
    open_monitor(measure); /* open the monitor last: other calls are slow while NVML starts */
    measure->ready = true;
    *out = (gt_prepared){.reference_ns = measure->reference_ns,
                         .copy_bytes_per_s = measure->copy_bytes_per_s,
                         .prepare_ns = (double)(gt_now_ns() - start)};
    return gt_contents_loose(out, measure);
}

void gt_measure_attend(gt_measure *measure, gt_current *current)
{
    measure->current = current;
}

void gt_measure_leave_out(gt_measure *measure, const gt_lost *lost)
{
    measure->lost_tries = *lost;
}

gputune_status gt_measure_try(gt_measure *measure, const gt_measure_setup *setup, gt_prepared *out)
{
    int64_t start = gt_now_ns();
    gputune_status status = gt_data_proof_make(measure, setup);
    measure->lost_tries = (gt_lost){0};
    out->try_ns = (double)(gt_now_ns() - start);
    out->data_proof_ns = gt_data_proof_winner_ns(&out->further_ns, measure);
    return measure->lost ? gt_fail_prefix(GPUTUNE_ECRASHED, "the data proof") : status;
}
