#include "side.h"

#include "base/text.h"
#include "gpu/device.h"
#include "gpu/module.h"

#include <string.h>

gputune_status side_open(side *out, const char *driver)
{
    GT_TRY(gt_driver_open(&out->driver, driver));
    GT_TRY(gt_device_query(&out->device, out->driver, 0));
    GT_CUDA(out->driver, DevicePrimaryCtxRetain, &out->context, 0);
    return side_enter(out);
}

gputune_status side_enter(const side *one)
{
    return gt_cuda_check(one->driver, one->driver->CtxSetCurrent(one->context), "cuCtxSetCurrent");
}

static gputune_status launch(const side *one, const side_run *run, CUfunction function,
                             CUdeviceptr addresses[4])
{
    void *parameters[] = {&addresses[0], &addresses[1], &addresses[2], &addresses[3]};
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    cluster.value.clusterDim.x = run->cluster;
    cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
    CUlaunchConfig config = {.gridDimX = run->grid,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = run->block,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .sharedMemBytes = run->shared_bytes,
                             .attrs = &cluster,
                             .numAttrs = run->cluster > 1};
    if (run->cluster > 8) {
        GT_CUDA(one->driver, FuncSetAttribute, function,
                CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    }
    GT_CUDA(one->driver, LaunchKernelEx, &config, function, parameters, NULL);
    return gt_cuda_check(one->driver, one->driver->CtxSynchronize(), run->entry);
}

static gputune_status upload_inputs(const side *one, const side_run *run, CUdeviceptr addresses[4])
{
    GT_CUDA(one->driver, MemAlloc, &addresses[0], run->result_bytes);
    GT_CUDA(one->driver, MemsetD8, addresses[0], 0, run->result_bytes);
    for (int i = 0; i < 3; i++) {
        if (run->inputs[i]) {
            GT_CUDA(one->driver, MemAlloc, &addresses[i + 1], run->input_bytes);
            GT_CUDA(one->driver, MemcpyHtoD, addresses[i + 1], run->inputs[i], run->input_bytes);
        }
    }
    return GPUTUNE_OK;
}

static gputune_status execute(const side *one, const side_run *run, CUmodule module,
                              CUdeviceptr addresses[4], void *results)
{
    CUfunction function;
    GT_TRY(gt_function_load(&function, one->driver, module, run->entry));
    GT_TRY(upload_inputs(one, run, addresses));
    GT_TRY(launch(one, run, function, addresses));
    GT_CUDA(one->driver, MemcpyDtoH, results, addresses[0], run->result_bytes);
    return GPUTUNE_OK;
}

gputune_status side_execute(const side *one, const side_run *run, void *results)
{
    CUmodule module;
    CUdeviceptr addresses[4] = {0};
    gt_image image = {(void *)(uintptr_t)run->ptx, strlen(run->ptx) + 1};
    GT_TRY(side_enter(one));
    GT_TRY(gt_image_load(&module, one->driver, &image));
    gputune_status status = execute(one, run, module, addresses, results);
    for (int i = 0; i < 4; i++) {
        if (addresses[i]) {
            one->driver->MemFree(addresses[i]);
        }
    }
    one->driver->ModuleUnload(module);
    return status;
}
