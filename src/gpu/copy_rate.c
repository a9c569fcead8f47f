/* Measures copies within a GPU's memory. */
#include "gpu/copy_rate.h"

enum { COPIES = 10 };

static const size_t most_bytes = (size_t)256 << 20;

typedef struct buffers {
    CUdeviceptr from, to;
    CUevent begin, end;
    size_t bytes;
} buffers;

static gputune_status make(buffers *out, const gt_driver *driver)
{
    size_t free_bytes, total;
    GT_CUDA(driver, MemGetInfo, &free_bytes, &total);
    out->bytes = free_bytes / 8 < most_bytes ? free_bytes / 8 : most_bytes;
    GT_CUDA(driver, MemAlloc, &out->from, out->bytes);
    GT_CUDA(driver, MemAlloc, &out->to, out->bytes);
    GT_CUDA(driver, EventCreate, &out->begin, 0);
    return gt_cuda_check(driver, driver->EventCreate(&out->end, 0), "cuEventCreate");
}

static gputune_status copy(double *bytes_per_s, const buffers *buffers, const gt_driver *driver)
{
    float elapsed_ms;
    for (int i = 0; i <= COPIES; i++) {
        if (i == 1) { /* the first one warms up */
            GT_CUDA(driver, EventRecord, buffers->begin, NULL);
        }
        GT_CUDA(driver, MemcpyDtoDAsync, buffers->to, buffers->from, buffers->bytes, NULL);
    }
    GT_CUDA(driver, EventRecord, buffers->end, NULL);
    GT_CUDA(driver, EventSynchronize, buffers->end);
    GT_CUDA(driver, EventElapsedTime, &elapsed_ms, buffers->begin, buffers->end);
    *bytes_per_s = elapsed_ms > 0 ? 2e3 * COPIES * (double)buffers->bytes / (double)elapsed_ms : 0;
    return GPUTUNE_OK;
}

static void destroy(const buffers *buffers, const gt_driver *driver)
{
    const CUdeviceptr memory[] = {buffers->from, buffers->to};
    CUevent const events[] = {buffers->begin, buffers->end};
    for (int i = 0; i < 2; i++) {
        if (events[i]) {
            driver->EventDestroy(events[i]);
        }
        if (memory[i]) {
            driver->MemFree(memory[i]);
        }
    }
}

gputune_status gt_copy_rate(double *bytes_per_s, const gt_driver *driver, int ordinal)
{
    CUdevice device;
    CUcontext context, popped;
    buffers buffers = {0};
    GT_CUDA(driver, DeviceGet, &device, ordinal);
    GT_CUDA(driver, DevicePrimaryCtxRetain, &context, device);
    gputune_status status =
        gt_cuda_check(driver, driver->CtxPushCurrent(context), "cuCtxPushCurrent");
    if (status == GPUTUNE_OK) {
        status = make(&buffers, driver);
        GT_THEN(status, copy(bytes_per_s, &buffers, driver));
        destroy(&buffers, driver);
        driver->CtxPopCurrent(&popped);
    }
    driver->DevicePrimaryCtxRelease(device);
    return status;
}
