/* Accesses the application's memory. Inputs of a measurement are shared with the measure worker by
 * CUDA IPC if their allocation allows that, and otherwise copied through host memory. With
 * GPUTUNE_DEBUG, the buffers of each launch are checked. */
#include "api/tuner.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Gets an IPC handle for an input. The handle is for the whole allocation, so *out also contains
 * the input's offset. Returns false if the memory cannot be shared. */
static bool share_input(gt_live_input *out, const gt_driver *driver, const gputune_input *input)
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
    const gt_driver *driver = tuner->driver;
    if (!input->on_host) {
        GT_TRY(need_driver(tuner));
        unsigned kind = 0;
        CUresult code = driver->PointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                    (CUdeviceptr)(uintptr_t)input->data);
        GT_REFUSE(code == CUDA_ERROR_INVALID_VALUE, GPUTUNE_EINVAL,
                  "inputs: the data of '%s' is not a device address; set on_host for host memory",
                  input->buffer);
        if (share_input(out, driver, input)) {
            return GPUTUNE_OK;
        }
    }
    out->bytes.data = malloc(input->bytes);
    GT_TRY(gt_allocated(out->bytes.data));
    out->bytes.bytes = input->bytes;
    if (input->on_host) {
        memcpy(out->bytes.data, input->data, input->bytes);
        return GPUTUNE_OK;
    }
    const CUresult copied =
        driver->MemcpyDtoH(out->bytes.data, (CUdeviceptr)(uintptr_t)input->data, input->bytes);
    return gt_application_status(gt_cuda_check(driver, copied, "cuMemcpyDtoH"));
}

gputune_status gt_inputs_wait(void *user, const gputune_options *options)
{
    const gputune *tuner = user;
    if (options->inputs_ready) {
        GT_TRY(need_driver(tuner));
        const CUresult waited = tuner->driver->EventSynchronize((CUevent)options->inputs_ready);
        return gt_application_status(gt_cuda_check(tuner->driver, waited, "cuEventSynchronize"));
    }
    return GPUTUNE_OK;
}

static bool is_readable(CUdeviceptr address)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return true;
    }
    bool readable = write(ends[1], (const void *)(uintptr_t)address, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return readable;
}

/* Fails if CUDA does not know an address, unless the device can access all host memory. */
static gputune_status check_unknown(const gt_driver *driver, const char *kernel, const char *name,
                                    CUdeviceptr address)
{
    CUdevice device;
    int pageable = 0;
    if (driver->CtxGetDevice(&device) == CUDA_SUCCESS) {
        driver->DeviceGetAttribute(&pageable, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, device);
    }
    if (pageable && is_readable(address)) {
        return GPUTUNE_OK;
    }
    return gt_fail(GPUTUNE_EINVAL,
                   "%s: %s = %p is not device memory: %s; pass an address from cuMemAlloc(), or of "
                   "registered or managed memory",
                   kernel, name, (void *)(uintptr_t)address,
                   !address               ? "it is NULL"
                   : is_readable(address) ? "it is in the program's own memory"
                                          : "it was freed, or never allocated");
}

/* Returns the context that owns the memory at an address, or NULL if no owner is known. */
static CUcontext owner_of(const gt_driver *driver, CUdeviceptr address)
{
    CUcontext owner;
    return driver->PointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, address) ==
                   CUDA_SUCCESS
               ? owner
               : NULL;
}

/* Returns true if memory of the current context belongs to `owner`. Memory of a green context
 * belongs to its primary context. */
static bool shares_memory(const gt_driver *driver, CUcontext owner)
{
    CUdeviceptr probe;
    GT_SCOPED(gt_relaxed_leave) gt_relaxed relaxed = gt_relaxed_enter(driver);
    bool made = driver->MemAlloc(&probe, 1) == CUDA_SUCCESS;
    bool shares = made && owner_of(driver, probe) == owner;
    if (made) {
        driver->MemFree(probe);
    }
    return shares;
}

static gputune_status check_owner(const gt_driver *driver, const gt_context *current,
                                  const char *kernel, const char *name, CUdeviceptr address)
{
    CUcontext owner = owner_of(driver, address);
    CUdevice here;
    int there = -1;
    bool known = owner && driver->CtxGetDevice(&here) == CUDA_SUCCESS &&
                 driver->PointerGetAttribute(&there, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                             address) == CUDA_SUCCESS;
    GT_REFUSE(known && here == there && owner != current->handle && !shares_memory(driver, owner),
              GPUTUNE_EINVAL,
              "%s: %s = %p belongs to another context of this device; launch in the context that "
              "allocated it",
              kernel, name, (void *)(uintptr_t)address);
    return GPUTUNE_OK;
}

/* Counts the mapped bytes that follow an address, and stops at `enough`. A buffer may consist of
 * several mappings, as in PyTorch's expandable segments. */
static uint64_t bytes_behind(const gt_driver *driver, CUdeviceptr address, uint64_t enough)
{
    CUdeviceptr start = 0, base, end = address;
    size_t range = 0, bytes;
    driver->PointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address);
    driver->PointerGetAttribute(&range, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address);
    do {
        if (driver->MemGetAddressRange(&base, &bytes, end) != CUDA_SUCCESS) {
            return end > address ? end - address : enough; /* unknown: assume enough */
        }
        end = base + bytes;
    } while (end < start + range && end - address < enough);
    return end - address;
}

static gputune_status check_buffer(const gt_driver *driver, const gt_context *current,
                                   const char *kernel, const gputune_parameter *buffer,
                                   CUdeviceptr address)
{
    unsigned kind;
    CUresult code = driver->PointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
    if (code == CUDA_ERROR_INVALID_VALUE) {
        return check_unknown(driver, kernel, buffer->name, address);
    }
    GT_TRY(check_owner(driver, current, kernel, buffer->name, address));
    uint64_t bytes = code == CUDA_SUCCESS ? bytes_behind(driver, address, buffer->buffer_bytes)
                                          : buffer->buffer_bytes;
    GT_REFUSE(bytes < buffer->buffer_bytes, GPUTUNE_EINVAL,
              "%s: %s = %p has %llu bytes up to the end of its allocation; the plan needs %llu",
              kernel, buffer->name, (void *)(uintptr_t)address, (unsigned long long)bytes,
              (unsigned long long)buffer->buffer_bytes);
    return GPUTUNE_OK;
}

gputune_status gt_debug_launch(const gt_driver *driver, int ordinal, const char *kernel,
                               const gt_description *description, const void *const *items)
{
    gt_context current;
    GT_TRY(gt_plan_context(&current, driver, ordinal, kernel));
    for (uint32_t i = 0; i < description->argument_count; i++) {
        const gputune_parameter *argument = &description->arguments[i].parameter;
        if (argument->kind == GPUTUNE_PARAMETER_BUFFER) {
            GT_TRY(
                check_buffer(driver, &current, kernel, argument, *(const CUdeviceptr *)items[i]));
        }
    }
    return GPUTUNE_OK;
}
