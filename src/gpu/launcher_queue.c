/* Queues what a launch is: clears, copies of blocks, and its kernels with their parameters. */
#include "gpu/launcher_parts.h"

#include <string.h>

gputune_status gt_launcher_explain(const gt_launcher *launcher, CUresult result)
{
    CUcontext current = NULL;
    launcher->driver->CtxGetCurrent(&current);
    if (current != launcher->context.handle) {
        return gt_fail(GPUTUNE_ECUDA,
                       "%s: %s CUDA context is current in this thread; make the context current "
                       "in which the plan was made",
                       launcher->launch->steps[0].entry, current ? "another" : "no");
    }
    GT_TRY(gt_cuda_check(launcher->driver, result, "cuLaunchKernelEx"));
    return GPUTUNE_OK;
}

/* Gives the window of level-2 cache, if the launch has one, its address; `attributes` then are the
 * config's. */
static void place_window(CUlaunchConfig *config, CUlaunchAttribute *attributes,
                         const gt_launcher *launcher, void *const *parameters)
{
    const gt_l2_window *l2 = &launcher->launch->l2;
    if (l2->window_bytes) {
        memcpy(attributes, config->attrs, config->numAttrs * sizeof *attributes);
        config->attrs = attributes;
        memcpy(&attributes[config->numAttrs - 1].value.accessPolicyWindow.base_ptr,
               parameters[l2->parameter], sizeof(CUdeviceptr));
    }
}

/* One launch of a step, as often as it is repeated. */
static CUresult launch_run(const gt_launcher *launcher, const gt_instance *instance,
                           CUstream stream, void **parameters, const gt_iteration *run)
{
    const gt_kernel_step *kernel = &launcher->launch->steps[run->step];
    CUlaunchConfig config = launcher->kernels[run->step].config;
    CUlaunchAttribute attributes[GT_LAUNCHER_ATTRIBUTES];
    void *own[GT_STEP_ARGUMENTS];
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        own[i] = parameters[run->places[kernel->parameters[i]]];
    }
    config.gridDimX = run->grid[0], config.gridDimY = run->grid[1], config.gridDimZ = run->grid[2];
    config.blockDimX = run->block[0], config.blockDimY = run->block[1];
    config.blockDimZ = run->block[2];
    config.hStream = stream;
    place_window(&config, attributes, launcher, parameters);
    for (uint32_t t = 0; t < run->times && result == CUDA_SUCCESS; t++) {
        result = launcher->driver->LaunchKernelEx(&config, instance->functions[run->step],
                                                  kernel->parameter_count ? own : parameters, NULL);
    }
    return result;
}

static gputune_status launch_kernels(const gt_launcher *launcher, const gt_instance *instance,
                                     CUstream stream, void **parameters, gt_iteration *run)
{
    CUresult result = CUDA_SUCCESS;
    while (result == CUDA_SUCCESS && gt_launch_next(run, launcher->launch)) {
        result = launch_run(launcher, instance, stream, parameters, run);
    }
    return result == CUDA_SUCCESS ? GPUTUNE_OK : gt_launcher_explain(launcher, result);
}

static gputune_status encode(CUtensorMap *out, const gt_launcher *launcher, const gt_tensormap *map,
                             CUdeviceptr address, int argument)
{
    static const cuuint32_t every[GT_TENSORMAP_RANK] = {1, 1, 1, 1, 1};
    cuuint64_t sizes[GT_TENSORMAP_RANK], strides[GT_TENSORMAP_RANK];
    const gt_driver *driver = launcher->driver;
    if (address % map->alignment) {
        return gt_fail(GPUTUNE_EINVAL,
                       "%s: argument %d is at %#llx; its tensor map needs a multiple of %u bytes",
                       launcher->launch->steps[0].entry, argument + 1, (unsigned long long)address,
                       map->alignment);
    }
    for (int i = 0; i < GT_TENSORMAP_RANK; i++) {
        sizes[i] = map->sizes[i];
        strides[i] = map->strides[i];
    }
    CUresult result = driver->TensorMapEncodeTiled(
        out, (int)map->type, map->rank, (void *)(uintptr_t)address, sizes, strides, map->box, every,
        (int)map->interleave, (int)map->swizzle, (int)map->l2_promotion, (int)map->nan_fill);
    return gt_cuda_check(driver, result, "cuTensorMapEncodeTiled");
}

/* Encodes the launch's tensor maps for the caller's buffers, as far as its parameters need them:
 * work of the host alone, which each launch does anew. EINVAL for an address that is aligned too
 * little, ECUDA when the driver refuses. */
static gputune_status encode_maps(CUtensorMap out[GT_TENSORMAP_MAX], const gt_launcher *launcher,
                                  const void *const *arguments)
{
    const gt_launch *launch = launcher->launch;
    if (!launcher->driver->TensorMapEncodeTiled) {
        return gt_fail(GPUTUNE_EUNSUPPORTED,
                       "%s: this driver makes no tensor maps; expected driver 12.0 or newer",
                       launch->steps[0].entry);
    }
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        const gt_parameter *parameter = &launch->parameters[i];
        CUdeviceptr address;
        if (parameter->kind == GT_PARAMETER_TENSORMAP) {
            memcpy(&address, arguments[parameter->argument], sizeof address);
            GT_TRY(encode(&out[parameter->map], launcher, &launch->maps[parameter->map], address,
                          parameter->argument));
        }
    }
    return GPUTUNE_OK;
}

static gputune_status launch_loaded(gt_launcher *launcher, const gt_instance *instance,
                                    CUstream stream, const void *const *arguments)
{
    void *parameters[GT_PARAMETER_MAX];
    CUtensorMap maps[GT_TENSORMAP_MAX];
    CUtexObject textures[GT_TEXTURE_MAX];
    gt_iteration run;
    const gt_launch *launch = launcher->launch;
    gt_iteration_begin(&run);
    if (launch->map_count > 0) {
        GT_TRY(encode_maps(maps, launcher, arguments));
    }
    if (launch->texture_count > 0) {
        GT_TRY(gt_textures_find(textures, launcher, arguments));
    }
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        const gt_parameter *parameter = &launch->parameters[i];
        if (parameter->kind == GT_PARAMETER_SCRATCH) {
            parameters[i] = (void *)&instance->scratch[i];
        } else if (parameter->kind == GT_PARAMETER_TENSORMAP) {
            parameters[i] = &maps[parameter->map];
        } else if (parameter->kind == GT_PARAMETER_TEXTURE) {
            parameters[i] = &textures[parameter->map];
        } else if (parameter->kind == GT_PARAMETER_VALUE) {
            parameters[i] = &run.values[parameter->map];
        } else if (parameter->kind != GT_PARAMETER_BLOCK) {
            parameters[i] = (void *)arguments[parameter->argument];
        } else { /* by value the parameter is the block's beginning */
            int block = parameter->argument;
            parameters[i] = launch->blocks[block].pass == GT_PASS_GLOBAL
                                ? (void *)&instance->blocks[block]
                                : (void *)arguments[block];
        }
    }
    return launch_kernels(launcher, instance, stream, parameters, &run);
}

static gputune_status queue_clears(const gt_launcher *launcher, const gt_instance *instance,
                                   CUstream stream, const void *const *arguments)
{
    const gt_launch *launch = launcher->launch;
    for (uint32_t i = 0; i < launch->clear_count; i++) {
        int index = launch->clears[i].parameter;
        const gt_parameter *parameter = &launch->parameters[index];
        CUdeviceptr address = instance->scratch[index];
        if (parameter->kind != GT_PARAMETER_SCRATCH) {
            memcpy(&address, arguments[parameter->argument], sizeof address);
        }
        if (launch->clears[i].bytes) {
            GT_CUDA(launcher->driver, MemsetD8Async, address, 0, launch->clears[i].bytes, stream);
        }
    }
    return GPUTUNE_OK;
}

static gputune_status queue_copies(const gt_launcher *launcher, const gt_instance *instance,
                                   CUstream stream, const uint8_t *staged)
{
    for (uint32_t i = 0; staged && i < launcher->launch->block_count; i++) {
        uint32_t bytes = gt_block_copied(&launcher->launch->blocks[i]);
        if (bytes > 0 && instance->blocks[i]) { /* a symbol that the kernel does not use has none */
            GT_CUDA(launcher->driver, MemcpyHtoDAsync, instance->blocks[i], staged, bytes, stream);
        }
        staged += gt_staged_bytes(bytes);
    }
    return GPUTUNE_OK;
}

void gt_launcher_stage(uint8_t *to, const gt_launcher *launcher, const void *const *arguments)
{
    for (uint32_t i = 0; i < launcher->launch->block_count; i++) {
        const gt_block *block = &launcher->launch->blocks[i];
        uint32_t bytes = gt_block_copied(block);
        if (bytes > 0) {
            memcpy(to, (const uint8_t *)arguments[i] + block->by_value_bytes, bytes);
        }
        to += gt_staged_bytes(bytes);
    }
}

gputune_status gt_launcher_queue(gt_launcher *launcher, const gt_instance *instance,
                                 CUstream stream, const void *const *arguments, const void *staged)
{
    GT_TRY(queue_clears(launcher, instance, stream, arguments));
    GT_TRY(queue_copies(launcher, instance, stream, staged));
    return launch_loaded(launcher, instance, stream, arguments);
}
