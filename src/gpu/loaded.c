/* Loads the code of a launch, checks if it can run on the device, and creates instances. */
#include "gpu/loaded.h"

#include "gpu/budget.h"
#include "gpu/image.h"
#include "gpu/l2.h"
#include "gpu/launcher.h"

#include <stdlib.h>
#include <string.h>

/* maximum cluster size that is supported on all devices with clusters */
enum { PORTABLE_CLUSTER = 8 };

int gt_carveout_percent(int kb, int max_kb)
{
    return kb < 0 || max_kb <= 0 ? -1 : kb >= max_kb ? 100 : kb * 100 / max_kb;
}

gputune_status gt_loaded_check_context(const gt_loaded_launch *loaded)
{
    CUcontext current = NULL;
    GT_CUDA(loaded->driver, CtxGetCurrent, &current);
    GT_REFUSE(current != loaded->context.handle, GPUTUNE_ECUDA,
              "%s: %s CUDA context is current in this thread; make the context current in which "
              "the plan was made",
              loaded->launch.steps[0].entry, current ? "another" : "no");
    return GPUTUNE_OK;
}

/* ---- kernels ---- */

/* Checks the sizes of a kernel's parameters, which drivers before 12.4 do not report. */
static gputune_status check_parameters(const gt_loaded_launch *loaded, CUfunction function,
                                       const gt_kernel_step *kernel)
{
    size_t offset, bytes;
    if (!loaded->driver->FuncGetParamInfo) {
        return GPUTUNE_OK;
    }
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const uint32_t index = kernel->parameters[i];
        CUresult result = loaded->driver->FuncGetParamInfo(function, i, &offset, &bytes);
        GT_REFUSE(result != CUDA_SUCCESS, GPUTUNE_EINVAL,
                  "kernel %s has %u parameters; the launch gives %u", kernel->entry, i,
                  kernel->parameter_count);
        GT_REFUSE(bytes != loaded->launch.parameters[index].bytes, GPUTUNE_EINVAL,
                  "parameter %u of kernel %s has %zu bytes; the launch gives %u", i, kernel->entry,
                  bytes, loaded->launch.parameters[index].bytes);
    }
    return GPUTUNE_OK;
}

gputune_status gt_loaded_check_count(const gt_loaded_launch *loaded)
{
    const gt_launch_view *launch = &loaded->launch;
    for (uint32_t i = 0; loaded->driver->FuncGetParamInfo && i < launch->step_count; i++) {
        size_t offset, bytes;
        const uint32_t count = launch->steps[i].parameter_count;
        CUresult next =
            loaded->driver->FuncGetParamInfo(loaded->base.functions[i], count, &offset, &bytes);
        GT_REFUSE(next == CUDA_SUCCESS, GPUTUNE_EINVAL,
                  "kernel %s has more parameters than the %u that the launch gives",
                  launch->steps[i].entry, count);
    }
    return GPUTUNE_OK;
}

static gputune_status check_threads(const gt_loaded_launch *loaded, CUfunction function,
                                    const gt_kernel_step *kernel)
{
    int most, registers;
    uint32_t threads = gt_volume(kernel->block);
    GT_CUDA(loaded->driver, FuncGetAttribute, &most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
            function);
    if (threads <= (uint32_t)most) {
        return GPUTUNE_OK;
    }
    GT_CUDA(loaded->driver, FuncGetAttribute, &registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
    return gt_fail(GPUTUNE_ECUDA,
                   "a block of %u threads does not fit: at most %d threads are possible with %d "
                   "registers per thread%s or the kernel's launch_bounds",
                   threads, most, registers,
                   loaded->device->emulated ? " (the emulator's count, not ptxas's)" : "");
}

static gputune_status allow_shared(const gt_loaded_launch *loaded, CUfunction function,
                                   const gt_kernel_step *kernel)
{
    int fixed;
    uint32_t dynamic = kernel->shared_bytes;
    GT_CUDA(loaded->driver, FuncGetAttribute, &fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
            function);
    uint32_t sum = (uint32_t)fixed + dynamic;
    if (sum <= (uint32_t)loaded->device->shared_per_block_bytes) {
        return GPUTUNE_OK;
    }
    int allowed; /* may already be larger, set by another launcher */
    GT_CUDA(loaded->driver, FuncGetAttribute, &allowed,
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function);
    GT_REFUSE(sum > (uint32_t)loaded->device->shared_per_block_optin_bytes, GPUTUNE_ECUDA,
              "a block has %u bytes of shared memory (%u of them dynamic); the device allows %d",
              sum, dynamic, loaded->device->shared_per_block_optin_bytes);
    if ((int)dynamic > allowed) {
        GT_CUDA(loaded->driver, FuncSetAttribute, function,
                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)dynamic);
    }
    return GPUTUNE_OK;
}

static gputune_status set_attributes(const gt_loaded_launch *loaded, CUfunction function,
                                     const gt_kernel_step *kernel)
{
    GT_TRY(allow_shared(loaded, function, kernel));
    if (gt_volume(kernel->cluster) > PORTABLE_CLUSTER) {
        GT_CUDA(loaded->driver, FuncSetAttribute, function,
                CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    }
    if (loaded->carveout_percent >= 0) {
        GT_CUDA(loaded->driver, FuncSetAttribute, function,
                CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, loaded->carveout_percent);
    }
    return GPUTUNE_OK;
}

/* ---- instances ---- */

static gputune_status find_symbol(CUdeviceptr *out, const gt_loaded_launch *loaded,
                                  const gt_block *block, CUmodule module)
{
    size_t bytes;
    uint32_t needed = gt_block_copied(block);
    CUresult result = loaded->driver->ModuleGetGlobal(out, &bytes, module, block->symbol);
    if (result == CUDA_ERROR_NOT_FOUND) {
        *out = 0;
        GT_REFUSE(!block->may_lack, GPUTUNE_EINVAL, "the image of kernel %s has no symbol %s",
                  loaded->launch.steps[0].entry, block->symbol);
        return GPUTUNE_OK;
    }
    GT_TRY(gt_cuda_check(loaded->driver, result, "cuModuleGetGlobal"));
    GT_REFUSE(bytes < needed, GPUTUNE_EINVAL,
              "__constant__ %s has %zu bytes in the code; the block of the template has %u",
              block->symbol, bytes, needed);
    return GPUTUNE_OK;
}

static gputune_status attach_instance(gt_instance *out, const gt_loaded_launch *loaded)
{
    const gt_launch_view *launch = &loaded->launch;
    for (uint32_t i = 0; i < launch->step_count; i++) {
        const gt_kernel_step *kernel = &launch->steps[i];
        GT_TRY(gt_function_load(&out->functions[i], loaded->driver, out->module,
                                loaded->kernels[i].symbol));
        GT_TRY(check_parameters(loaded, out->functions[i], kernel));
        GT_TRY(check_threads(loaded, out->functions[i], kernel));
        GT_TRY(set_attributes(loaded, out->functions[i], kernel));
    }
    for (uint32_t i = 0; i < launch->block_count; i++) {
        const gt_block *block = &launch->blocks[i];
        if (gt_block_copied(block) > 0 && block->pass != GT_PASS_GLOBAL) {
            GT_TRY(find_symbol(&out->blocks[i], loaded, block, out->module));
        }
    }
    return GPUTUNE_OK;
}

static gputune_status load_instance(gt_instance *out, const gt_loaded_launch *loaded,
                                    const gt_image *image)
{
    gt_instance made = {.owns_module = true};
    GT_TRY(gt_image_load(&made.module, loaded->driver, image));
    gputune_status status = attach_instance(&made, loaded);
    if (status != GPUTUNE_OK) {
        loaded->driver->ModuleUnload(made.module);
        return status;
    }
    *out = made;
    return GPUTUNE_OK;
}

/* Gives the instance the module of `base` or, if another instance has that, one of its own. */
static gputune_status take_module(gt_instance *out, gt_loaded_launch *loaded)
{
    gt_instance from = loaded->base;
    if (loaded->needs_module && atomic_exchange(&loaded->base_taken, true)) {
        GT_TRY(load_instance(&from, loaded, &loaded->image));
    }
    out->module = from.module;
    memcpy(out->functions, from.functions, sizeof out->functions);
    for (int i = 0; i < GT_BLOCK_MAX; i++) {
        out->blocks[i] = from.blocks[i] ? from.blocks[i] : out->blocks[i];
    }
    out->owns_module = loaded->needs_module;
    return GPUTUNE_OK;
}

/* Zeroes memory and waits for it. Uses a new stream, because the caller's may be captured. */
static gputune_status zero_memory(const gt_driver *driver, CUdeviceptr at, size_t bytes)
{
    CUstream stream;
    GT_CUDA(driver, StreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    CUresult result = driver->MemsetD8Async(at, 0, bytes, stream);
    result = result == CUDA_SUCCESS ? driver->StreamSynchronize(stream) : result;
    driver->StreamDestroy(stream);
    return gt_cuda_check(driver, result, "cuMemsetD8Async");
}

static size_t scratch_bytes(const gt_loaded_launch *loaded, const gt_launch_sizes *sizes,
                            uint32_t parameter)
{
    const uint64_t own = loaded->launch.parameters[parameter].scratch_bytes;
    const uint64_t bytes = sizes && sizes->bytes ? sizes->bytes[parameter] : own;
    return bytes ? bytes : 1;
}

static uint8_t log2_below(size_t bytes)
{
    return (uint8_t)(63 - __builtin_clzll(bytes));
}

static gputune_status allocate_memory(CUdeviceptr *out, const gt_driver *driver, size_t bytes)
{
    return gt_cuda_check(driver, gt_device_alloc(driver, out, bytes), "cuMemAlloc");
}

static gputune_status make_buffers(gt_instance *out, const gt_loaded_launch *loaded,
                                   const gt_launch_sizes *sizes)
{
    const gt_launch_view *launch = &loaded->launch;
    out->guard_bytes = loaded->guard_bytes;
    for (uint32_t i = 0; i < launch->block_count; i++) {
        if (launch->blocks[i].pass == GT_PASS_GLOBAL) {
            GT_TRY(allocate_memory(&out->blocks[i], loaded->driver, launch->blocks[i].bytes));
            out->owned_blocks |= 1u << i;
        }
    }
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        const gt_parameter *parameter = &launch->parameters[i];
        if (parameter->kind == GT_PARAMETER_SCRATCH) {
            size_t bytes = scratch_bytes(loaded, sizes, i);
            if (sizes && bytes > 1) { /* round up, so the buffer rarely has to grow */
                bytes = (size_t)2 << log2_below(bytes - 1);
            }
            GT_TRY(allocate_memory(&out->scratch[i], loaded->driver,
                                   bytes + 2 * (size_t)loaded->guard_bytes));
            out->scratch[i] += loaded->guard_bytes;
            out->scratch_log2[i] = log2_below(bytes);
            if (parameter->scratch & GT_SCRATCH_ZERO) {
                GT_TRY(zero_memory(loaded->driver, out->scratch[i], bytes));
            }
        }
    }
    return GPUTUNE_OK;
}

static CUDA_RESOURCE_DESC describe_texture(const gt_texture *texture, CUdeviceptr address,
                                           CUarray array)
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

gputune_status gt_loaded_texture(CUtexObject *out, const gt_loaded_launch *loaded,
                                 const gt_texture *texture, CUdeviceptr address, CUarray array)
{
    const gt_driver *driver = loaded->driver;
    const int mode = (int)texture->address;
    const CUDA_RESOURCE_DESC resource = describe_texture(texture, address, array);
    const CUDA_TEXTURE_DESC settings = {.addressMode = {mode, mode, mode},
                                        .filterMode = (int)texture->filter,
                                        .flags = texture->flags};
    GT_TRY(gt_loaded_check_context(loaded)); /* the current context will own the object */
    GT_SCOPED(gt_relaxed_leave) gt_relaxed relaxed = gt_relaxed_enter(driver);
    GT_CUDA(driver, TexObjectCreate, out, &resource, &settings, NULL);
    return GPUTUNE_OK;
}

static gputune_status make_arrays(gt_instance *out, const gt_loaded_launch *loaded)
{
    for (uint32_t i = 0; i < loaded->launch.texture_count; i++) {
        const gt_texture *texture = &loaded->launch.textures[i];
        const CUDA_ARRAY3D_DESCRIPTOR shape = {
            .Width = texture->width,
            .Height = texture->height,
            .Depth = texture->depth,
            .Format = (int)texture->format,
            .NumChannels = texture->channels,
            .Flags = texture->memory == GT_TEXTURE_LAYERED ? CUDA_ARRAY3D_LAYERED : 0};
        if (texture->memory != GT_TEXTURE_BUFFER) {
            GT_CUDA(loaded->driver, Array3DCreate, &out->arrays[i], &shape);
            bool fits = gt_budget_take(loaded->driver, (uintptr_t)out->arrays[i],
                                       gt_texture_bytes(texture));
            GT_TRY(gt_cuda_check(loaded->driver, fits ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY,
                                 "cuArray3DCreate"));
            GT_TRY(gt_loaded_texture(&out->textures[i], loaded, texture, 0, out->arrays[i]));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_instance_make(gt_instance *out, gt_loaded_launch *loaded,
                                const gt_launch_sizes *sizes)
{
    *out = (gt_instance){.sizes_id = sizes ? sizes->id : 0};
    gputune_status status = make_buffers(out, loaded, sizes);
    GT_THEN(status, make_arrays(out, loaded));
    GT_THEN(status, take_module(out, loaded));
    if (status != GPUTUNE_OK) {
        gt_instance_free(out, loaded->driver);
    }
    return status;
}

gputune_status gt_instance_resize(gt_instance *instance, gt_loaded_launch *loaded,
                                  const gt_launch_sizes *sizes, CUstream stream, CUevent last)
{
    const gt_launch_view *launch = &loaded->launch;
    const uint64_t id = sizes ? sizes->id : 0;
    if (instance->sizes_id == id) {
        return GPUTUNE_OK;
    }
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        if (launch->parameters[i].kind == GT_PARAMETER_SCRATCH &&
            (size_t)1 << instance->scratch_log2[i] < scratch_bytes(loaded, sizes, i)) {
            if (last) {
                GT_CUDA(loaded->driver, EventSynchronize, last);
            }
            gt_instance_free(instance, loaded->driver);
            return gt_instance_make(instance, loaded, sizes);
        }
    }
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        if (launch->parameters[i].scratch & GT_SCRATCH_ZERO) {
            GT_CUDA(loaded->driver, MemsetD8Async, instance->scratch[i], 0,
                    scratch_bytes(loaded, sizes, i), stream);
        }
    }
    instance->sizes_id = id;
    return GPUTUNE_OK;
}

void gt_instance_free(gt_instance *instance, const gt_driver *driver)
{
    for (int i = 0; i < GT_BLOCK_MAX; i++) {
        if (instance->owned_blocks >> i & 1) {
            gt_device_free(driver, instance->blocks[i]);
        }
    }
    for (int i = 0; i < GT_PARAMETER_MAX; i++) {
        if (instance->scratch[i]) {
            gt_device_free(driver, instance->scratch[i] - instance->guard_bytes);
        }
    }
    for (int i = 0; i < GT_TEXTURE_MAX; i++) {
        if (instance->textures[i]) {
            driver->TexObjectDestroy(instance->textures[i]);
        }
        if (instance->arrays[i]) {
            gt_budget_give(driver, (uintptr_t)instance->arrays[i]);
            driver->ArrayDestroy(instance->arrays[i]);
        }
    }
    if (instance->owns_module) {
        driver->ModuleUnload(instance->module);
    }
    memset(instance, 0, sizeof *instance);
}

/* ---- occupancy ---- */

static gputune_status count_resident(const gt_loaded_launch *loaded, uint32_t index, int *clusters,
                                     int *blocks)
{
    const gt_kernel_step *kernel = &loaded->launch.steps[index];
    CUfunction function = loaded->base.functions[index];
    GT_CUDA(loaded->driver, OccupancyMaxActiveBlocksPerMultiprocessor, blocks, function,
            (int)gt_volume(kernel->block), kernel->shared_bytes);
    *clusters = 1;
    if (gt_volume(kernel->cluster) > 1) {
        CUlaunchConfig config = loaded->kernels[index].config;
        config.numAttrs = 1; /* omit the carveout, which the driver may ignore */
        GT_CUDA(loaded->driver, OccupancyMaxActiveClusters, clusters, function, &config);
    }
    return GPUTUNE_OK;
}

static gputune_status check_kernel(const gt_loaded_launch *loaded, uint32_t index)
{
    int clusters, blocks;
    const gt_kernel_step *kernel = &loaded->launch.steps[index];
    uint32_t cluster = gt_volume(kernel->cluster);
    gputune_status status = count_resident(loaded, index, &clusters, &blocks);
    if (status < 0 && cluster > 1) {
        return gt_fail_prefix(status, "a cluster of %u blocks", cluster);
    }
    GT_TRY(status);
    GT_REFUSE(blocks < 1, GPUTUNE_ECUDA,
              "a block of %u threads with %u bytes of dynamic shared memory does not fit on a "
              "multiprocessor",
              gt_volume(kernel->block), kernel->shared_bytes);
    GT_REFUSE(
        clusters < 1, GPUTUNE_ECUDA,
        "a cluster of %u blocks of %u threads with %u bytes of dynamic shared memory each does "
        "not fit on the device",
        cluster, gt_volume(kernel->block), kernel->shared_bytes);
    const double most =
        cluster > 1 ? (double)clusters * cluster : (double)blocks * loaded->device->sm_count;
    const double grid = (double)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
    GT_REFUSE(kernel->cooperative && grid > most, GPUTUNE_ECUDA,
              "a cooperative grid of %.0f blocks does not fit on the device at once; with this "
              "code %.0f fit",
              grid, most);
    return GPUTUNE_OK;
}

static gputune_status check_occupancy(const gt_loaded_launch *loaded)
{
    const gt_launch_view *launch = &loaded->launch;
    for (uint32_t i = 0; i < launch->step_count; i++) {
        gputune_status status = check_kernel(loaded, i);
        if (status < 0) {
            return launch->step_count > 1 ? gt_fail_prefix(status, "%s", launch->steps[i].entry)
                                          : status;
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_loaded_occupancy(double *out, const gt_loaded_launch *loaded)
{
    int clusters = 0, blocks = 0;
    GT_TRY(count_resident(loaded, 0, &clusters, &blocks));
    const gt_kernel_step *kernel = &loaded->launch.steps[0];
    const gt_device *device = loaded->device;
    uint32_t cluster = gt_volume(kernel->cluster);
    double warp = device->warp_size > 0 ? device->warp_size : 32;
    double warps = (double)(uint32_t)((gt_volume(kernel->block) + warp - 1) / warp);
    double resident = blocks;
    if (cluster > 1 && device->sm_count > 0) {
        resident = (double)clusters * cluster / device->sm_count;
    }
    *out =
        device->max_threads_per_sm > 0 ? resident * warps * warp / device->max_threads_per_sm : 0;
    return GPUTUNE_OK;
}

/* ---- loading ---- */

/* Version of the first driver that is known to accept the carveout as a launch attribute. The
 * function attribute has the same effect in all versions. */
enum { CARVEOUT_ATTRIBUTE_VERSION = 12080 };

/* Checks that grids are multiples of their clusters, because drivers do not report the cause. */
static gputune_status check_clusters(const gt_launch_view *launch)
{
    gt_iteration run;
    gt_iteration_begin(&run);
    while (gt_launch_next(&run, launch)) {
        const gt_kernel_step *kernel = &launch->steps[run.step];
        for (int axis = 0; axis < 3; axis++) {
            GT_REFUSE(
                run.grid[axis] % kernel->cluster[axis], GPUTUNE_EINVAL,
                "kernel %s: a grid of %u blocks is not a multiple of its cluster of %u blocks",
                kernel->entry, run.grid[axis], kernel->cluster[axis]);
        }
    }
    return GPUTUNE_OK;
}

static CUlaunchAttributeValue *add_attribute(gt_loaded_kernel *kernel, CUlaunchAttributeID id)
{
    CUlaunchAttribute *added = &kernel->attributes[kernel->config.numAttrs++];
    added->id = id;
    return &added->value;
}

static bool is_direct(const gt_loaded_launch *loaded)
{
    const gt_launch_view *launch = &loaded->launch;
    const gt_kernel_step *first = &launch->steps[0];
    bool direct = !loaded->needs_state && !gt_launch_clears(launch) && launch->step_count == 1 &&
                  !launch->sequence && first->times == 1 && first->grid[0] && first->grid[1] &&
                  first->grid[2] && first->parameter_count == launch->parameter_count &&
                  !launch->map_count && !launch->texture_count && !launch->l2.window_bytes;
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        direct = direct && launch->parameters[i].argument == (int)i && first->parameters[i] == i;
    }
    return direct;
}

static void make_config(gt_loaded_kernel *out, const gt_loaded_launch *loaded,
                        const gt_kernel_step *kernel)
{
    const gt_l2_window *l2 = &loaded->launch.l2;
    out->config = (CUlaunchConfig){.gridDimX = kernel->grid[0],
                                   .gridDimY = kernel->grid[1],
                                   .gridDimZ = kernel->grid[2],
                                   .blockDimX = kernel->block[0],
                                   .blockDimY = kernel->block[1],
                                   .blockDimZ = kernel->block[2],
                                   .sharedMemBytes = kernel->shared_bytes,
                                   .attrs = out->attributes};
    if (gt_volume(kernel->cluster) > 1) { /* must be attribute 0, for count_resident() */
        memcpy(&add_attribute(out, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)->clusterDim,
               kernel->cluster, sizeof kernel->cluster);
    }
    if (loaded->carveout_percent >= 0 && loaded->driver->version >= CARVEOUT_ATTRIBUTE_VERSION) {
        add_attribute(out, CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
            ->sharedMemCarveout = (unsigned)loaded->carveout_percent;
    }
    if (kernel->cooperative) {
        add_attribute(out, CU_LAUNCH_ATTRIBUTE_COOPERATIVE)->cooperative = 1;
    }
    if (kernel->programmatic) {
        add_attribute(out, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
            ->programmaticStreamSerializationAllowed = 1;
    }
    if (l2->window_bytes) { /* last attribute, because each launch sets its address */
        double ratio = (double)l2->set_aside_bytes / (double)l2->window_bytes;
        CUlaunchAttributeValue *value =
            add_attribute(out, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW);
        value->accessPolicyWindow.num_bytes = l2->window_bytes;
        value->accessPolicyWindow.hitRatio = ratio < 1 ? (float)ratio : 1.0F;
        value->accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
        value->accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_STREAMING;
    }
}

static gputune_status prepare_kernels(gt_loaded_launch *loaded)
{
    const gt_launch_view *launch = &loaded->launch;
    const uint32_t steps = launch->step_count;
    for (uint32_t i = 0; i < launch->block_count; i++) {
        uint32_t copied = gt_block_copied(&launch->blocks[i]);
        loaded->slot_bytes += gt_staged_bytes(copied);
        loaded->needs_module |= copied > 0 && launch->blocks[i].pass != GT_PASS_GLOBAL;
    }
    loaded->needs_state = loaded->slot_bytes > 0;
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        loaded->needs_state |= launch->parameters[i].kind == GT_PARAMETER_SCRATCH;
    }
    for (uint32_t i = 0; i < launch->texture_count; i++) {
        loaded->needs_state |= launch->textures[i].memory != GT_TEXTURE_BUFFER;
    }
    loaded->is_direct = is_direct(loaded);
    loaded->carveout_percent =
        gt_carveout_percent(launch->carveout_kb, loaded->device->shared_per_sm_bytes / 1024);
    loaded->kernels = steps > 1 ? calloc(steps, sizeof *loaded->kernels) : &loaded->only;
    GT_TRY(gt_allocated(loaded->kernels));
    for (uint32_t i = 0; i < steps; i++) {
        make_config(&loaded->kernels[i], loaded, &launch->steps[i]);
    }
    return GPUTUNE_OK;
}

gputune_status gt_loaded_make(gt_loaded_launch *loaded, const gt_image *image, gt_module *module)
{
    GT_TRY(check_clusters(&loaded->launch));
    GT_TRY(prepare_kernels(loaded));
    if (module && !loaded->needs_module) {
        loaded->module = gt_module_retain(module);
    } else {
        GT_TRY(gt_module_make(&loaded->module, loaded->driver, &loaded->context));
    }
    for (uint32_t i = 0; i < loaded->launch.step_count; i++) {
        GT_TRY(gt_image_entry(&loaded->kernels[i].symbol, image, loaded->launch.steps[i].entry));
    }
    if (loaded->module->handle) {
        loaded->base.module = loaded->module->handle;
        GT_TRY(attach_instance(&loaded->base, loaded));
    } else {
        GT_TRY(load_instance(&loaded->base, loaded, image));
        loaded->base.owns_module = loaded->needs_module;
        loaded->module->handle = loaded->needs_module ? NULL : loaded->base.module;
    }
    if (loaded->needs_module) {
        GT_TRY(gt_image_copy(&loaded->image, image->data, image->bytes));
    }
    GT_TRY(check_occupancy(loaded));
    if (loaded->launch.l2.window_bytes) {
        GT_TRY(gt_l2_attach(loaded->driver, &loaded->context, loaded->launch.l2.set_aside_bytes));
        loaded->has_l2 = true;
    }
    return GPUTUNE_OK;
}

void gt_loaded_free(gt_loaded_launch *loaded, bool alive)
{
    if (loaded->has_l2) {
        gt_l2_detach(loaded->driver, &loaded->context, alive);
    }
    if (alive) {
        loaded->base.owns_module &= !loaded->base_taken;
        gt_instance_free(&loaded->base, loaded->driver);
    }
    free(loaded->image.data);
    for (uint32_t i = 0; loaded->kernels && i < loaded->launch.step_count; i++) {
        free(loaded->kernels[i].symbol);
    }
    if (loaded->kernels != &loaded->only) {
        free(loaded->kernels);
    }
}
