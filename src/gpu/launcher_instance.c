/* What a launch needs on the device: the module, the block's buffer, scratch memory and arrays. */
#include "gpu/launcher_parts.h"
#include "gpu/module.h"

#include <string.h>

enum { PORTABLE_CLUSTER = 8 };

int gt_carveout_percent(int kb, int max_kb)
{
    return max_kb > 0 ? (kb >= max_kb ? 100 : kb * 100 / max_kb) : -1;
}

/* The kernel's own parameter sizes against the launch's, where the driver tells them (12.4). */
static gputune_status check_parameters(const gt_launcher *launcher, CUfunction function,
                                       const gt_kernel_step *kernel)
{
    size_t offset, bytes;
    if (!launcher->driver->FuncGetParamInfo) {
        return GPUTUNE_OK;
    }
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const uint32_t index = kernel->parameters[i];
        CUresult result = launcher->driver->FuncGetParamInfo(function, i, &offset, &bytes);
        GT_REFUSE(result != CUDA_SUCCESS, GPUTUNE_EINVAL,
                  "kernel %s has %u parameters; the launch gives %u", kernel->entry, i,
                  kernel->parameter_count);
        GT_REFUSE(bytes != launcher->launch->parameters[index].bytes, GPUTUNE_EINVAL,
                  "parameter %u of kernel %s has %zu bytes; the launch gives %u", i, kernel->entry,
                  bytes, launcher->launch->parameters[index].bytes);
    }
    return GPUTUNE_OK;
}

gputune_status gt_launcher_check_count(const gt_launcher *launcher)
{
    const gt_launch *launch = launcher->launch;
    for (uint32_t i = 0; launcher->driver->FuncGetParamInfo && i < launch->step_count; i++) {
        size_t offset, bytes;
        const uint32_t count = launch->steps[i].parameter_count;
        CUresult behind =
            launcher->driver->FuncGetParamInfo(launcher->base.functions[i], count, &offset, &bytes);
        GT_REFUSE(behind == CUDA_SUCCESS, GPUTUNE_EINVAL,
                  "kernel %s has more parameters than the %u that the launch gives",
                  launch->steps[i].entry, count);
    }
    return GPUTUNE_OK;
}

static gputune_status check_threads(const gt_launcher *launcher, CUfunction function,
                                    const gt_kernel_step *kernel)
{
    int most, registers;
    uint32_t threads = gt_volume(kernel->block);
    GT_CUDA(launcher->driver, FuncGetAttribute, &most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
            function);
    if (threads <= (uint32_t)most) {
        return GPUTUNE_OK;
    }
    GT_CUDA(launcher->driver, FuncGetAttribute, &registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
    return gt_fail(GPUTUNE_ECUDA,
                   "a block of %u threads does not fit: %d registers a thread%s, or launch_bounds, "
                   "allow %d threads",
                   threads, registers,
                   launcher->device.emulated ? " (the emulator's count, not ptxas's)" : "", most);
}

static gputune_status allow_shared(const gt_launcher *launcher, CUfunction function,
                                   const gt_kernel_step *kernel)
{
    int fixed;
    uint32_t dynamic = kernel->shared_bytes;
    GT_CUDA(launcher->driver, FuncGetAttribute, &fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
            function);
    uint32_t sum = (uint32_t)fixed + dynamic;
    if (sum <= (uint32_t)launcher->device.shared_per_block_bytes) {
        return GPUTUNE_OK;
    }
    int allowed; /* by an earlier launcher of this function */
    GT_CUDA(launcher->driver, FuncGetAttribute, &allowed,
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function);
    GT_REFUSE(sum > (uint32_t)launcher->device.shared_per_block_optin_bytes, GPUTUNE_ECUDA,
              "a block has %u bytes of shared memory (%u of them dynamic); the device allows %d",
              sum, dynamic, launcher->device.shared_per_block_optin_bytes);
    if ((int)dynamic > allowed) {
        GT_CUDA(launcher->driver, FuncSetAttribute, function,
                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)dynamic);
    }
    return GPUTUNE_OK;
}

static gputune_status set_attributes(const gt_launcher *launcher, CUfunction function,
                                     const gt_kernel_step *kernel)
{
    const int carveout_kb = launcher->launch->carveout_kb;
    uint32_t preferred = kernel->preferred_cluster * kernel->cluster[1] * kernel->cluster[2];
    GT_TRY(allow_shared(launcher, function, kernel));
    if (gt_volume(kernel->cluster) > PORTABLE_CLUSTER || preferred > PORTABLE_CLUSTER) {
        GT_CUDA(launcher->driver, FuncSetAttribute, function,
                CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    }
    if (carveout_kb >= 0) {
        GT_CUDA(launcher->driver, FuncSetAttribute, function,
                CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                gt_carveout_percent(carveout_kb, launcher->device.shared_per_sm_bytes / 1024));
    }
    return GPUTUNE_OK;
}

static gputune_status find_symbol(CUdeviceptr *out, const gt_launcher *launcher,
                                  const gt_block *block, CUmodule module)
{
    size_t bytes;
    uint32_t needed = gt_block_copied(block);
    CUresult result = launcher->driver->ModuleGetGlobal(out, &bytes, module, block->symbol);
    if (result == CUDA_ERROR_NOT_FOUND) {
        *out = 0;
        return block->may_lack ? GPUTUNE_OK
                               : gt_fail(GPUTUNE_EINVAL, "the image of kernel %s has no symbol %s",
                                         launcher->launch->steps[0].entry, block->symbol);
    }
    GT_TRY(gt_cuda_check(launcher->driver, result, "cuModuleGetGlobal"));
    return bytes >= needed ? GPUTUNE_OK
                           : gt_fail(GPUTUNE_EINVAL,
                                     "__constant__ %s has %zu bytes in the code; the block of the "
                                     "template has %u",
                                     block->symbol, bytes, needed);
}

gputune_status gt_instance_attach(gt_instance *out, const gt_launcher *launcher)
{
    const gt_launch *launch = launcher->launch;
    for (uint32_t i = 0; i < launch->step_count; i++) {
        const gt_kernel_step *kernel = &launch->steps[i];
        GT_TRY(gt_function_load(&out->functions[i], launcher->driver, out->module,
                                launcher->kernels[i].symbol));
        GT_TRY(check_parameters(launcher, out->functions[i], kernel));
        GT_TRY(check_threads(launcher, out->functions[i], kernel));
        GT_TRY(set_attributes(launcher, out->functions[i], kernel));
    }
    for (uint32_t i = 0; i < launch->block_count; i++) {
        const gt_block *block = &launch->blocks[i];
        if (gt_block_copied(block) > 0 && block->pass != GT_PASS_GLOBAL) {
            GT_TRY(find_symbol(&out->blocks[i], launcher, block, out->module));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_instance_load(gt_instance *out, const gt_launcher *launcher,
                                const gt_image *image)
{
    gt_instance instance = {.owns_module = true};
    GT_TRY(gt_image_load(&instance.module, launcher->driver, image));
    gputune_status status = gt_instance_attach(&instance, launcher);
    return GT_GIVE(status, out, instance, launcher->driver->ModuleUnload(instance.module));
}

/* The base module goes to the first state that needs a module of its own. */
static gputune_status take_module(gt_instance *out, gt_launcher *launcher)
{
    gt_instance loaded = launcher->base;
    if (launcher->needs_module && atomic_exchange(&launcher->base_taken, true)) {
        GT_TRY(gt_instance_load(&loaded, launcher, &launcher->image));
    }
    out->module = loaded.module;
    memcpy(out->functions, loaded.functions, sizeof out->functions);
    for (int i = 0; i < GT_BLOCK_MAX; i++) {
        out->blocks[i] = loaded.blocks[i] ? loaded.blocks[i] : out->blocks[i];
    }
    out->owns_module = launcher->needs_module;
    return GPUTUNE_OK;
}

/* On a stream of its own: the caller's may be captured. Waits. */
static gputune_status zero(const gt_driver *driver, CUdeviceptr at, size_t bytes)
{
    CUstream stream;
    GT_CUDA(driver, StreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    CUresult result = driver->MemsetD8Async(at, 0, bytes, stream);
    result = result == CUDA_SUCCESS ? driver->StreamSynchronize(stream) : result;
    driver->StreamDestroy(stream);
    return gt_cuda_check(driver, result, "cuMemsetD8Async");
}

static gputune_status make_buffers(gt_instance *out, const gt_launcher *launcher)
{
    const gt_launch *launch = launcher->launch;
    out->guard_bytes = launcher->guard_bytes;
    for (uint32_t i = 0; i < launch->block_count; i++) {
        if (launch->blocks[i].pass == GT_PASS_GLOBAL) {
            GT_CUDA(launcher->driver, MemAlloc, &out->blocks[i], launch->blocks[i].bytes);
            out->owned_blocks |= 1u << i;
        }
    }
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        const gt_parameter *parameter = &launch->parameters[i];
        if (parameter->kind == GT_PARAMETER_SCRATCH) {
            size_t bytes = parameter->scratch_bytes ? parameter->scratch_bytes : 1;
            GT_CUDA(launcher->driver, MemAlloc, &out->scratch[i],
                    bytes + 2 * (size_t)launcher->guard_bytes);
            out->scratch[i] += launcher->guard_bytes;
            GT_TRY(parameter->scratch & GT_SCRATCH_ZERO
                       ? zero(launcher->driver, out->scratch[i], bytes)
                       : GPUTUNE_OK);
        }
    }
    return GPUTUNE_OK;
}

static gputune_status make_arrays(gt_instance *out, const gt_launcher *launcher)
{
    for (uint32_t i = 0; i < launcher->launch->texture_count; i++) {
        const gt_texture *texture = &launcher->launch->textures[i];
        const CUDA_ARRAY3D_DESCRIPTOR shape = {
            .Width = texture->width,
            .Height = texture->height,
            .Depth = texture->depth,
            .Format = (int)texture->format,
            .NumChannels = texture->channels,
            .Flags = texture->memory == GT_TEXTURE_LAYERED ? CUDA_ARRAY3D_LAYERED : 0};
        if (texture->memory != GT_TEXTURE_BUFFER) {
            GT_CUDA(launcher->driver, Array3DCreate, &out->arrays[i], &shape);
            GT_TRY(gt_texture_make(&out->textures[i], launcher, texture, 0, out->arrays[i]));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_instance_make(gt_instance *out, gt_launcher *launcher)
{
    gt_instance instance = {0};
    gputune_status status = make_buffers(&instance, launcher);
    GT_THEN(status, make_arrays(&instance, launcher));
    GT_THEN(status, take_module(&instance, launcher));
    return GT_GIVE(status, out, instance, gt_instance_free(&instance, launcher->driver));
}

void gt_instance_free(gt_instance *instance, const gt_driver *driver)
{
    for (int i = 0; i < GT_BLOCK_MAX; i++) {
        if (instance->owned_blocks >> i & 1) {
            driver->MemFree(instance->blocks[i]);
        }
    }
    for (int i = 0; i < GT_PARAMETER_MAX; i++) {
        if (instance->scratch[i]) {
            driver->MemFree(instance->scratch[i] - instance->guard_bytes);
        }
    }
    for (int i = 0; i < GT_TEXTURE_MAX; i++) {
        if (instance->textures[i]) {
            driver->TexObjectDestroy(instance->textures[i]);
        }
        if (instance->arrays[i]) {
            driver->ArrayDestroy(instance->arrays[i]);
        }
    }
    if (instance->owns_module) {
        driver->ModuleUnload(instance->module);
    }
    memset(instance, 0, sizeof *instance);
}
