/* The caller's own data as inputs of a measurement: shared with the measure worker by CUDA IPC
 * where the allocation allows it, else staged through host memory. */
#include "api/tuner.h"

#include <stdlib.h>
#include <string.h>

static gputune_status stage(gt_live_input *out, const gt_driver *driver, const gputune_input *input)
{
    out->bytes.data = malloc(input->bytes);
    if (!out->bytes.data) {
        return gt_fail_memory();
    }
    out->bytes.bytes = input->bytes;
    if (input->on_host) {
        memcpy(out->bytes.data, input->data, input->bytes);
        return GPUTUNE_OK;
    }
    GT_CUDA(driver, MemcpyDtoH, out->bytes.data, (CUdeviceptr)(uintptr_t)input->data, input->bytes);
    return GPUTUNE_OK;
}

/* A handle names the allocation's base, so the offset travels beside it. Pool and managed memory
 * cannot be shared; the pointer's attribute says so. */
static bool share(gt_live_input *out, const gt_driver *driver, const gputune_input *input)
{
    CUdeviceptr address = (CUdeviceptr)(uintptr_t)input->data, base;
    size_t bytes;
    int shareable = 0;
    CUipcMemHandle handle;
    if (driver->PointerGetAttribute(&shareable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                                    address) != CUDA_SUCCESS ||
        !shareable || driver->MemGetAddressRange(&base, &bytes, address) != CUDA_SUCCESS ||
        driver->IpcGetMemHandle(&handle, base) != CUDA_SUCCESS) {
        return false;
    }
    _Static_assert(sizeof handle == sizeof out->handle, "an IPC handle is 64 bytes");
    memcpy(out->handle, &handle, sizeof handle);
    out->offset = address - base;
    out->is_ipc = true;
    return true;
}

static gputune_status no_driver(void)
{
    return gt_fail(GPUTUNE_EUNSUPPORTED,
                   "this tuner was opened with tune_only: it takes inputs from host memory only");
}

static gputune_status take_input(gt_live_input *out, const gputune *tuner,
                                 const gt_workload *workload, const gputune_input *input)
{
    GT_TRY(gt_request_input(&out->buffer, workload, input));
    if (!input->on_host && !tuner->driver) {
        return no_driver();
    }
    if (!input->on_host && share(out, tuner->driver, input)) {
        return GPUTUNE_OK;
    }
    return stage(out, tuner->driver, input);
}

gputune_status gt_inputs_share(void *user, const gt_workload *workload,
                               const gputune_options *options, gt_measure_setup *setup)
{
    const gputune *tuner = user;
    if (options->inputs_ready && !tuner->driver) {
        return no_driver();
    }
    if (options->inputs_ready) {
        GT_CUDA(tuner->driver, EventSynchronize, (CUevent)options->inputs_ready);
    }
    setup->inputs = calloc(options->input_count, sizeof *setup->inputs);
    if (!setup->inputs) {
        return gt_fail_memory();
    }
    gputune_status status = GPUTUNE_OK;
    for (size_t i = 0; i < options->input_count && !status; i++) {
        setup->input_count++;
        status = take_input(&setup->inputs[i], tuner, workload, &options->inputs[i]);
    }
    if (status != GPUTUNE_OK) {
        gt_inputs_release(user, setup);
    }
    return status;
}

void gt_inputs_release(void *user, gt_measure_setup *setup)
{
    (void)user;
    for (uint32_t i = 0; i < setup->input_count; i++) {
        free(setup->inputs[i].bytes.data);
    }
    free(setup->inputs);
    setup->inputs = NULL;
    setup->input_count = 0;
}
