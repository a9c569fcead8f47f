/* Launches a loaded variant.
 *
 * A launcher is one launch (grid, parameters, attributes) with its code in one context. A launch
 * takes the shortest of three paths, which is known when the launcher is made:
 *
 *   direct   The caller's arguments are the kernel's parameters: one call of the driver, without a
 *            lock. The module, which launchers of the same image share, is only read.
 *   plain    The parameters are made of the arguments (tensor maps, textures, structs), and there
 * may be several kernels. A clear and its kernels are one step under `clear_lock`. state    The
 * launch copies a block, or has scratch memory or arrays. These belong to an instance
 * (gt_instance), which one stream at a time may use.
 *
 * A stream's state is in one of these states:
 *
 *   free       its key is 0
 *   owned      it has a stream's key, and that stream's launches use it in their order
 *   taken      another stream took it, because all are owned. Its next launch first waits for
 * `last`, the event behind the latest launch of the stream before
 *
 * A state's events and staging memory form a ring: a slot is used again only after its event. The
 * order of locks is launcher, state, textures; `clear_lock` is taken alone.
 *
 * A captured launch gets a state of its own (gt_graph_state), because the graph may be replayed at
 * any time and on any stream. The users of an object are counted (gt_held): the launcher and each
 * graph hold the launcher's module with its textures, and each graph its states. The callback by
 * which a driver reports the end of a graph may call no CUDA function, so it only counts down.
 * Objects without a holder are freed with the launcher, or by the next gt_graph_orphans_collect().
 *
 * A context may be destroyed or reset at any time, and all that was in it is gone then: everything
 * that frees asks first whether the context is alive (gt_context_enter()). */
#include "gpu/launcher.h"

#include "base/condition.h"

#include "gpu/launcher_parts.h"

#include <string.h>

/* The failure that a result of the driver is: where another context is current, that is the reason,
 * which the driver's code alone does not say. */
static gputune_status explain(const gt_launcher *launcher, CUresult result)
{
    CUcontext current = NULL;
    launcher->driver->CtxGetCurrent(&current);
    GT_REFUSE(current != launcher->context.handle, GPUTUNE_ECUDA,
              "%s: %s CUDA context is current in this thread; make the context current in which "
              "the plan was made",
              launcher->launch->steps[0].entry, current ? "another" : "no");
    return gt_cuda_check(launcher->driver, result, "cuLaunchKernelEx");
}

/* ECUDA unless the launcher's context is current. */
static gputune_status check_context(const gt_launcher *launcher)
{
    CUcontext current = NULL;
    GT_CUDA(launcher->driver, CtxGetCurrent, &current);
    return current == launcher->context.handle ? GPUTUNE_OK
                                               : explain(launcher, CUDA_ERROR_INVALID_CONTEXT);
}

static CUDA_RESOURCE_DESC describe(const gt_texture *texture, CUdeviceptr address, CUarray array)
{
    const int format = (int)texture->format;
    if (array) {
        return (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_ARRAY, .res.array = {array}};
    }
    return texture->height == 0
               ? (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_LINEAR,
                                      .res.linear = {address, format, texture->channels,
                                                     texture->pitch_bytes}}
               : (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_PITCH2D,
                                      .res.pitch2D = {address, format, texture->channels,
                                                      texture->width, texture->height,
                                                      texture->pitch_bytes}};
}

/* To be called in the launcher's context alone: a texture object belongs to the context in which it
 * is made. */
gputune_status gt_texture_make(CUtexObject *out, const gt_launcher *launcher,
                               const gt_texture *texture, CUdeviceptr address, CUarray array)
{
    const gt_driver *driver = launcher->driver;
    const int mode = (int)texture->address;
    const CUDA_RESOURCE_DESC resource = describe(texture, address, array);
    const CUDA_TEXTURE_DESC settings = {.addressMode = {mode, mode, mode},
                                        .filterMode = (int)texture->filter,
                                        .flags = texture->flags};
    GT_TRY(check_context(launcher));
    CUstreamCaptureMode capture = gt_relaxed_enter(driver);
    CUresult result = driver->TexObjectCreate(out, &resource, &settings, NULL);
    gt_relaxed_leave(driver, capture);
    return gt_cuda_check(driver, result, "cuTexObjectCreate");
}

/* The address that the caller passes for a parameter. EINVAL where that is aligned too little for
 * `reader`, a texture or a tensor map. */
static gputune_status take_address(CUdeviceptr *out, const gt_launcher *launcher, int argument,
                                   const void *const *arguments, uint32_t alignment,
                                   const char *reader)
{
    memcpy(out, arguments[argument], sizeof *out);
    GT_REFUSE(*out % alignment, GPUTUNE_EINVAL,
              "%s: argument %d is at %#llx; its %s needs a multiple of %u bytes",
              launcher->launch->steps[0].entry, argument + 1, (unsigned long long)*out, reader,
              alignment);
    return GPUTUNE_OK;
}

/* The texture object of a parameter: that of the launch's array; or that of the caller's buffer,
 * which was made before, or a new one. */
static gputune_status find_texture(CUtexObject *out, gt_launcher *launcher,
                                   const gt_instance *instance, const gt_parameter *parameter,
                                   const void *const *arguments)
{
    gt_texture_objects *objects = &launcher->held->textures;
    const uint32_t index = parameter->map;
    CUdeviceptr address;
    if (instance->arrays[index]) {
        *out = instance->textures[index];
        return GPUTUNE_OK;
    }
    GT_TRY(take_address(&address, launcher, parameter->argument, arguments, GT_TEXTURE_ALIGNMENT,
                        "texture"));
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&launcher->texture_lock);
    for (size_t i = 0; i < objects->count; i++) {
        if (objects->items[i].address == address && objects->items[i].texture == index) {
            *out = objects->items[i].object;
            return GPUTUNE_OK;
        }
    }
    GT_TRY(gt_array_reserve(objects));
    GT_TRY(gt_texture_make(out, launcher, &launcher->launch->textures[index], address, NULL));
    objects->items[objects->count++] = (gt_texture_object){*out, address, index};
    return GPUTUNE_OK;
}

/* One launch of a step, as often as it is repeated. */
static CUresult launch_run(const gt_launcher *launcher, const gt_instance *instance,
                           CUstream stream, void **parameters, const gt_iteration *run)
{
    const gt_kernel_step *kernel = &launcher->launch->steps[run->step];
    const gt_l2_window *l2 = &launcher->launch->l2;
    CUlaunchConfig config = launcher->kernels[run->step].config;
    CUlaunchAttribute attributes[GT_LAUNCHER_ATTRIBUTES];
    void *own[GT_PARAMETER_MAX];
    CUdeviceptr addresses[GT_PARAMETER_MAX];
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const uint32_t place = run->places[kernel->parameters[i]];
        const uint32_t base = launcher->launch->parameters[place].base;
        own[i] = parameters[place];
        if (base) {
            memcpy(&addresses[i], parameters[run->places[base - 1]], sizeof *addresses);
            addresses[i] += (CUdeviceptr) * (const int64_t *)own[i];
            own[i] = &addresses[i];
        }
    }
    config.gridDimX = run->grid[0], config.gridDimY = run->grid[1], config.gridDimZ = run->grid[2];
    config.blockDimX = run->block[0], config.blockDimY = run->block[1];
    config.blockDimZ = run->block[2];
    config.hStream = stream;
    if (l2->window_bytes) { /* the last attribute lacks its address */
        memcpy(attributes, config.attrs, config.numAttrs * sizeof *attributes);
        config.attrs = attributes;
        memcpy(&attributes[config.numAttrs - 1].value.accessPolicyWindow.base_ptr,
               parameters[l2->parameter], sizeof(CUdeviceptr));
    }
    for (uint32_t t = 0; t < run->times && result == CUDA_SUCCESS; t++) {
        result =
            launcher->driver->LaunchKernelEx(&config, instance->functions[run->step], own, NULL);
    }
    return result;
}

/* Encodes the tensor map of a parameter for the caller's buffer: work of the host alone, which each
 * launch does again. */
static gputune_status encode_map(CUtensorMap *out, const gt_launcher *launcher,
                                 const gt_parameter *parameter, const void *const *arguments)
{
    static const cuuint32_t every[GT_TENSORMAP_RANK] = {1, 1, 1, 1, 1};
    const gt_tensormap *map = &launcher->launch->maps[parameter->map];
    const gt_driver *driver = launcher->driver;
    cuuint64_t sizes[GT_TENSORMAP_RANK], strides[GT_TENSORMAP_RANK];
    CUdeviceptr address;
    GT_REFUSE(!driver->TensorMapEncodeTiled, GPUTUNE_EUNSUPPORTED,
              "%s: this driver makes no tensor maps; expected driver 12.0 or newer",
              launcher->launch->steps[0].entry);
    GT_TRY(take_address(&address, launcher, parameter->argument, arguments, map->alignment,
                        "tensor map"));
    for (int i = 0; i < GT_TENSORMAP_RANK; i++) {
        sizes[i] = map->sizes[i];
        strides[i] = map->strides[i];
    }
    CUresult result = driver->TensorMapEncodeTiled(
        out, (int)map->type, map->rank, (void *)(uintptr_t)address, sizes, strides, map->box, every,
        (int)map->interleave, (int)map->swizzle, (int)map->l2_promotion, (int)map->nan_fill);
    return gt_cuda_check(driver, result, "cuTensorMapEncodeTiled");
}

static gputune_status launch_loaded(gt_launcher *launcher, const gt_instance *instance,
                                    CUstream stream, const void *const *arguments)
{
    void *parameters[GT_PARAMETER_MAX];
    CUtensorMap maps[GT_TENSORMAP_MAX];
    CUtexObject textures[GT_TEXTURE_MAX];
    unsigned char structs[GT_HELD_BYTES];
    gt_iteration run;
    const gt_launch *launch = launcher->launch;
    gt_iteration_begin(&run);
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        const gt_parameter *parameter = &launch->parameters[i];
        if (parameter->kind == GT_PARAMETER_SCRATCH) {
            parameters[i] = (void *)&instance->scratch[i];
        } else if (parameter->kind == GT_PARAMETER_TENSORMAP) {
            parameters[i] = &maps[parameter->map];
            GT_TRY(encode_map(parameters[i], launcher, parameter, arguments));
        } else if (parameter->kind == GT_PARAMETER_TEXTURE) {
            parameters[i] = &textures[parameter->map];
            GT_TRY(find_texture(parameters[i], launcher, instance, parameter, arguments));
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
    gt_launch_hold(parameters, structs, launch);
    CUresult result = CUDA_SUCCESS;
    while (result == CUDA_SUCCESS && gt_launch_next(&run, launch)) {
        result = launch_run(launcher, instance, stream, parameters, &run);
    }
    return result == CUDA_SUCCESS ? GPUTUNE_OK : explain(launcher, result);
}

/* Fills scratch memory, and the arrays of textures, that are copies of what the caller's buffers
 * hold before the launch. */
static gputune_status queue_buffers(const gt_launcher *launcher, const gt_instance *instance,
                                    CUstream stream, const void *const *arguments)
{
    const gt_launch *launch = launcher->launch;
    for (uint32_t i = 0; launcher->needs_state && i < launch->parameter_count; i++) {
        const gt_parameter *parameter = &launch->parameters[i];
        CUdeviceptr from;
        if (parameter->kind == GT_PARAMETER_SCRATCH && parameter->argument >= 0) {
            memcpy(&from, arguments[parameter->argument], sizeof from);
            GT_CUDA(launcher->driver, MemcpyDtoDAsync, instance->scratch[i], from,
                    parameter->scratch_bytes, stream);
        }
        if (parameter->kind != GT_PARAMETER_TEXTURE || !instance->arrays[parameter->map]) {
            continue;
        }
        const gt_texture *texture = &launch->textures[parameter->map];
        CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                              .srcPitch = texture->pitch_bytes,
                              .srcHeight = texture->height ? texture->height : 1,
                              .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                              .dstArray = instance->arrays[parameter->map],
                              .WidthInBytes = texture->row_bytes,
                              .Height = texture->height ? texture->height : 1,
                              .Depth = texture->depth ? texture->depth : 1};
        memcpy(&copy.srcDevice, arguments[parameter->argument], sizeof copy.srcDevice);
        GT_CUDA(launcher->driver, Memcpy3DAsync, &copy, stream);
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
    const gt_launch *launch = launcher->launch;
    const uint8_t *from = staged;
    GT_TRY(queue_buffers(launcher, instance, stream, arguments));
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        const gt_parameter *parameter = &launch->parameters[i];
        if (parameter->clear_bytes) {
            CUdeviceptr address = instance->scratch[i];
            if (parameter->kind != GT_PARAMETER_SCRATCH) {
                memcpy(&address, arguments[parameter->argument], sizeof address);
            }
            GT_CUDA(launcher->driver, MemsetD8Async, address, 0, parameter->clear_bytes, stream);
        }
    }
    for (uint32_t i = 0; from && i < launch->block_count; i++) {
        uint32_t bytes = gt_block_copied(&launch->blocks[i]);
        if (bytes > 0 && instance->blocks[i]) { /* a symbol that the kernel does not use has none */
            GT_CUDA(launcher->driver, MemcpyHtoDAsync, instance->blocks[i], from, bytes, stream);
        }
        from += gt_staged_bytes(bytes);
    }
    return launch_loaded(launcher, instance, stream, arguments);
}

static gputune_status read_capture(gt_stream_facts *out, const gt_driver *driver, CUstream stream)
{
    CUstreamCaptureStatus status;
    *out = (gt_stream_facts){.stream = stream};
    CUresult result =
        driver->StreamGetCaptureInfo(stream, &status, &out->capture, &out->graph, NULL, NULL);
    GT_REFUSE(result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, GPUTUNE_ECAPTURE,
              "the default stream cannot be used while another stream is being captured");
    GT_TRY(gt_cuda_check(driver, result, "cuStreamGetCaptureInfo"));
    GT_REFUSE(status == CU_STREAM_CAPTURE_STATUS_INVALIDATED, GPUTUNE_ECAPTURE,
              "the capture of this stream has already failed");
    out->capturing = status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return GPUTUNE_OK;
}

/* A handle may be given again once its stream is destroyed; a stream's id (driver 12.0) is not.
 * During a capture the driver refuses to give ids (error 900, seen on an H200 with driver 13.0).
 * The handle is enough then, because the capture has an id of its own. */
static gputune_status read_stream(gt_stream_facts *out, const gt_launcher *launcher,
                                  CUstream stream)
{
    const gt_driver *driver = launcher->driver;
    unsigned long long id = (unsigned long long)(uintptr_t)stream;
    GT_TRY(check_context(launcher));
    GT_TRY(read_capture(out, driver, stream));
    if (driver->StreamGetId && !out->capturing) {
        GT_CUDA(driver, StreamGetId, stream, &id);
    }
    out->key = id + 1;
    return GPUTUNE_OK;
}

static gputune_status launch_with_state(gt_launcher *launcher, CUstream stream,
                                        const void *const *arguments, bool copy)
{
    gt_stream_facts facts;
    GT_TRY(read_stream(&facts, launcher, stream));
    CUstreamCaptureMode mode = gt_relaxed_enter(launcher->driver);
    gputune_status status = !facts.capturing ? gt_stream_launch(launcher, &facts, arguments, copy)
                            : copy           ? gt_graph_launch(launcher, &facts, arguments)
                                             : gt_stream_capture(launcher, stream, arguments);
    gt_relaxed_leave(launcher->driver, mode);
    return status;
}

/* The graph of the stream's capture holds the module. */
static gputune_status hold(gt_launcher *launcher, CUstream stream)
{
    gt_stream_facts facts;
    GT_TRY(read_capture(&facts, launcher->driver, stream));
    if (!facts.capturing) {
        return GPUTUNE_OK;
    }
    CUstreamCaptureMode mode = gt_relaxed_enter(launcher->driver);
    pthread_mutex_lock(&launcher->lock);
    gputune_status status = gt_module_hold(launcher, &facts);
    pthread_mutex_unlock(&launcher->lock);
    gt_relaxed_leave(launcher->driver, mode);
    return status < 0
               ? gt_fail_prefix(GPUTUNE_ECAPTURE, "%s cannot be launched during this capture",
                                launcher->launch->steps[0].entry)
               : GPUTUNE_OK;
}

gputune_status gt_launcher_launch(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments)
{
    const gt_driver *driver = launcher->driver;
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    if (launcher->needs_state) {
        return launch_with_state(launcher, stream, arguments, true);
    }
    /* the default stream (NULL) cannot be captured */
    if (stream && driver->StreamIsCapturing(stream, &capture) == CUDA_SUCCESS &&
        capture == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        GT_TRY(hold(launcher, stream));
    }
    if (launcher->is_direct) {
        CUlaunchConfig config = launcher->only.config;
        config.hStream = stream;
        CUresult result =
            driver->LaunchKernelEx(&config, launcher->base.functions[0], (void **)arguments, NULL);
        return result == CUDA_SUCCESS ? GPUTUNE_OK : explain(launcher, result);
    }
    if (!gt_launch_clears(launcher->launch)) {
        return gt_launcher_queue(launcher, &launcher->base, stream, arguments, NULL);
    }
    /* a clear and its launch are one step for other threads on the same stream */
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&launcher->clear_lock);
    return gt_launcher_queue(launcher, &launcher->base, stream, arguments, NULL);
}

gputune_status gt_launcher_repeat(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments)
{
    return launcher->needs_state ? launch_with_state(launcher, stream, arguments, false)
                                 : gt_launcher_launch(launcher, stream, arguments);
}

gputune_status gt_launcher_function(gt_function_facts *out, const gt_launcher *launcher,
                                    uint32_t index)
{
    GT_TRY(check_context(launcher));
    int kb = launcher->launch->carveout_kb;
    *out = (gt_function_facts){
        .function = launcher->base.functions[index],
        .symbol = launcher->kernels[index].symbol,
        .carveout_percent =
            kb < 0 ? -1 : gt_carveout_percent(kb, launcher->device->shared_per_sm_bytes / 1024)};
    return GPUTUNE_OK;
}

gputune_status gt_launcher_variable(CUdeviceptr *out, size_t *bytes, gt_launcher *launcher,
                                    const char *name)
{
    *out = 0;
    *bytes = 0;
    if (!launcher->base.module) {
        return GPUTUNE_OK;
    }
    CUresult result = launcher->driver->ModuleGetGlobal(out, bytes, launcher->base.module, name);
    return result == CUDA_ERROR_NOT_FOUND
               ? GPUTUNE_OK
               : gt_cuda_check(launcher->driver, result, "cuModuleGetGlobal");
}

void gt_launcher_guard(gt_launcher *launcher, uint32_t bytes)
{
    launcher->guard_bytes = bytes;
}

gputune_status gt_launcher_scratch(CUdeviceptr *out, gt_launcher *launcher, CUstream stream,
                                   uint32_t parameter)
{
    gt_stream_facts facts;
    *out = 0;
    if (launcher->launch->parameters[parameter].kind != GT_PARAMETER_SCRATCH) {
        return GPUTUNE_OK;
    }
    GT_TRY(read_stream(&facts, launcher, stream));
    return facts.capturing ? gt_fail(GPUTUNE_ECAPTURE, "scratch memory cannot be filled while the "
                                                       "stream is being captured")
                           : gt_stream_scratch(out, launcher, &facts, parameter);
}
