/* Loads images and functions, and maps device memory at two addresses. */
#include "gpu/module.h"

#include "gpu/budget.h"
#include "gpu/image.h"

#include <stdlib.h>
#include <string.h>

static gputune_status load_ptx(CUmodule *out, const gt_driver *driver, const gt_image *image)
{
    char log[1024] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUresult result = driver->ModuleLoadDataEx(out, image->data, 2, options, values);
    gputune_status status = gt_cuda_check(driver, result, "cuModuleLoadDataEx");
    log[sizeof log - 1] = '\0';
    log[strcspn(log, "\n")] = '\0';
    /* prefix the log to the message, unless it is part of it, as on the emulator */
    bool is_in_message = status < 0 && strstr(gt_message(), log);
    return status < 0 && !is_in_message ? gt_fail_prefix(status, "%.200s", log) : status;
}

gputune_status gt_image_load(CUmodule *out, const gt_driver *driver, const gt_image *image)
{
    GT_REFUSE(!image->data || !image->bytes, GPUTUNE_EINVAL, "an empty image cannot be loaded");
    if (gt_image_is_ptx(image)) {
        return load_ptx(out, driver, image);
    }
    GT_CUDA(driver, ModuleLoadData, out, image->data);
    return GPUTUNE_OK;
}

gputune_status gt_function_load(CUfunction *out, const gt_driver *driver, CUmodule module,
                                const char *name)
{
    CUfunction function;
    CUresult result = driver->ModuleGetFunction(&function, module, name);
    GT_REFUSE(result == CUDA_ERROR_NOT_FOUND, GPUTUNE_ECUDA, "the image has no kernel '%s'", name);
    GT_TRY(gt_cuda_check(driver, result, "cuModuleGetFunction"));
    if (driver->FuncLoad) {
        GT_CUDA(driver, FuncLoad, function);
    } else { /* drivers before 12.4 load the code when they read this attribute */
        int registers;
        GT_CUDA(driver, FuncGetAttribute, &registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
    }
    *out = function;
    return GPUTUNE_OK;
}

gputune_status gt_module_make(gt_module **out, const gt_driver *driver, const gt_context *context)
{
    gt_module *module = calloc(1, sizeof *module);
    GT_TRY(gt_allocated(module));
    module->driver = driver;
    module->context = *context;
    atomic_init(&module->holders, 1);
    *out = module;
    return GPUTUNE_OK;
}

gt_module *gt_module_retain(gt_module *module)
{
    atomic_fetch_add(&module->holders, 1);
    return module;
}

void gt_module_drop(gt_module *module, bool alive)
{
    if (!module || atomic_fetch_sub(&module->holders, 1) != 1) {
        return;
    }
    if (alive && module->handle) {
        module->driver->ModuleUnload(module->handle);
    }
    free(module);
}

void gt_module_release(gt_module *module)
{
    GT_SCOPED(gt_context_leave)
    gt_context_visit visit = gt_context_enter(module->driver, &module->context);
    gt_module_drop(module, visit.entered);
}

static bool map_view(CUdeviceptr *out, const gt_driver *driver, int ordinal, const gt_view *view,
                     CUmemAccess_flags flags)
{
    CUdeviceptr at;
    const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, ordinal}, flags};
    if (driver->MemAddressReserve(&at, view->bytes, 0, 0, 0) != CUDA_SUCCESS) {
        return false;
    }
    if (driver->MemMap(at, view->bytes, 0, view->memory, 0) == CUDA_SUCCESS) {
        if (driver->MemSetAccess(at, view->bytes, &access, 1) == CUDA_SUCCESS) {
            *out = at;
            return true;
        }
        driver->MemUnmap(at, view->bytes);
    }
    driver->MemAddressFree(at, view->bytes);
    return false;
}

static void unmap_view(CUdeviceptr at, const gt_driver *driver, size_t bytes)
{
    if (at) {
        driver->MemUnmap(at, bytes);
        driver->MemAddressFree(at, bytes);
    }
}

static bool take_mapped(gt_view *out, const gt_driver *driver, int ordinal, uint64_t bytes)
{
    gt_view view = {0};
    size_t step = 0;
    const CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                            .location = {CU_MEM_LOCATION_TYPE_DEVICE, ordinal}};
    if (!driver->MemCreate || /* the emulator does not have MemCreate */
        driver->MemGetAllocationGranularity(&step, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM) !=
            CUDA_SUCCESS ||
        step == 0) {
        return false;
    }
    view.bytes = (bytes + step - 1) / step * step;
    if (!gt_budget_has(driver, view.bytes) ||
        driver->MemCreate(&view.memory, view.bytes, &properties, 0) != CUDA_SUCCESS) {
        return false;
    }
    if (gt_budget_take(driver, view.memory, view.bytes) &&
        map_view(&view.own, driver, ordinal, &view, CU_MEM_ACCESS_FLAGS_PROT_READWRITE) &&
        map_view(&view.address, driver, ordinal, &view, CU_MEM_ACCESS_FLAGS_PROT_READ)) {
        *out = view;
        return true;
    }
    gt_view_free(&view, driver);
    return false;
}

bool gt_view_take(gt_view *out, const gt_driver *driver, int ordinal, uint64_t bytes)
{
    gt_view view = {0};
    if (!driver->EmuViewMemory) {
        return take_mapped(out, driver, ordinal, bytes);
    }
    if (gt_device_alloc(driver, &view.own, bytes) != CUDA_SUCCESS) {
        return false;
    }
    if (driver->EmuViewMemory(&view.address, view.own) != CUDA_SUCCESS) {
        gt_device_free(driver, view.own);
        return false;
    }
    *out = view;
    return true;
}

void gt_view_free(const gt_view *view, const gt_driver *driver)
{
    if (!view->bytes) {
        driver->MemFree(view->address);
        gt_device_free(driver, view->own);
        return;
    }
    unmap_view(view->address, driver, view->bytes);
    unmap_view(view->own, driver, view->bytes);
    gt_budget_give(driver, view->memory);
    driver->MemRelease(view->memory);
}
