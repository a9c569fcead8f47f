/* The caller's own data as inputs of a measurement: shared with the measure worker by CUDA IPC
 * where the allocation allows it, else staged through host memory. */
#include "api/tuner.h"

#include <stdlib.h>
#include <string.h>

static gputune_status stage(gt_live_input *out, const gt_driver *driver, const gputune_input *input)
{
    out->bytes.data = malloc(input->bytes);
    GT_TRY(gt_allocated(out->bytes.data));
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

/* EINVAL if CUDA does not know the address, which then is not memory of the device. */
static gputune_status check_address(const gt_driver *driver, const gputune_input *input)
{
    unsigned kind = 0;
    CUresult code = driver->PointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                (CUdeviceptr)(uintptr_t)input->data);
    return code == CUDA_ERROR_INVALID_VALUE
               ? gt_fail(
                     GPUTUNE_EINVAL,
                     "inputs: the data of '%s' is no address on the device; for host memory set "
                     "on_host",
                     input->buffer)
               : GPUTUNE_OK;
}

static gputune_status need_driver(const gputune *tuner)
{
    return tuner->driver ? GPUTUNE_OK
                         : gt_fail(GPUTUNE_EUNSUPPORTED,
                                   "this tuner was opened with tune_only: it takes inputs from "
                                   "host memory only");
}

gputune_status gt_inputs_share(void *user, gt_live_input *out, const gputune_input *input)
{
    const gputune *tuner = user;
    if (!input->on_host) {
        GT_TRY(need_driver(tuner));
        GT_TRY(check_address(tuner->driver, input));
        if (share(out, tuner->driver, input)) {
            return GPUTUNE_OK;
        }
    }
    return stage(out, tuner->driver, input);
}

gputune_status gt_inputs_await(void *user, const gputune_options *options)
{
    const gputune *tuner = user;
    if (options->inputs_ready) {
        GT_TRY(need_driver(tuner));
        GT_CUDA(tuner->driver, EventSynchronize, (CUevent)options->inputs_ready);
    }
    return GPUTUNE_OK;
}
