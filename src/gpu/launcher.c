#include "gpu/launcher.h"

#include "gpu/context.h"
#include "gpu/launcher_parts.h"

#include <stdlib.h>
#include <string.h>

/* The first driver whose launches take the carveout as an attribute for certain; the function's
 * attribute, which every driver has, says the same. */
enum { CARVEOUT_ATTRIBUTE_VERSION = 12080 };

static uint32_t volume(const uint32_t size[3])
{
    return size[0] * size[1] * size[2];
}

int gt_carveout_percent(int kb, int max_kb)
{
    return max_kb > 0 ? (kb >= max_kb ? 100 : kb * 100 / max_kb) : -1;
}

/* ---- loading ---- */

static bool has_clear_of(const gt_launch *launch, uint32_t index)
{
    const gt_clear *clear = &launch->clears[index];
    if (clear->parameter < 0 || (uint32_t)clear->parameter >= launch->parameter_count) {
        return false;
    }
    gt_parameter_kind kind = launch->parameters[clear->parameter].kind;
    return kind == GT_PARAMETER_BUFFER || kind == GT_PARAMETER_SCRATCH;
}

static bool is_sound_parameter(const gt_launch *launch, const gt_parameter *parameter)
{
    switch (parameter->kind) {
    case GT_PARAMETER_SCRATCH:
        return parameter->bytes == sizeof(CUdeviceptr);
    case GT_PARAMETER_BLOCK:
        return launch->argument_count > 0 &&
               parameter->bytes ==
                   (launch->pass == GT_PASS_GLOBAL ? sizeof(CUdeviceptr) : launch->by_value_bytes);
    default:
        return parameter->argument >= 0 && (uint32_t)parameter->argument < launch->argument_count &&
               (parameter->kind == GT_PARAMETER_SCALAR || parameter->bytes == sizeof(CUdeviceptr));
    }
}

/* A launch comes from another process or a database: nothing in it may lead astray. */
static gputune_status check_launch(const gt_launch *launch)
{
    const gt_geometry *geometry = &launch->geometry;
    bool sound = launch->parameter_count <= GT_PARAMETER_MAX &&
                 launch->clear_count <= GT_PARAMETER_MAX &&
                 launch->argument_count <= GT_PARAMETER_MAX &&
                 memchr(launch->entry, '\0', sizeof launch->entry) &&
                 launch->by_value_bytes <= launch->block_bytes &&
                 (launch->block_bytes > 0) == (launch->pass != GT_PASS_NONE);
    for (uint32_t i = 0; sound && i < launch->parameter_count; i++) {
        sound = is_sound_parameter(launch, &launch->parameters[i]);
    }
    for (uint32_t i = 0; sound && i < launch->clear_count; i++) {
        sound = has_clear_of(launch, i);
    }
    if (!sound) {
        return gt_fail(GPUTUNE_EINVAL, "the description of the launch contradicts itself");
    }
    for (int axis = 0; axis < 3; axis++) {
        if (!geometry->grid[axis] || !geometry->block[axis] || !geometry->cluster[axis]) {
            return gt_fail(GPUTUNE_EINVAL, "kernel %s: grid, block and cluster must not be 0",
                           launch->entry);
        }
        if (geometry->grid[axis] % geometry->cluster[axis]) {
            return gt_fail(GPUTUNE_EINVAL,
                           "kernel %s: a grid of %u blocks is no multiple of its "
                           "cluster's %u",
                           launch->entry, geometry->grid[axis], geometry->cluster[axis]);
        }
    }
    return GPUTUNE_OK;
}

static void make_config(gt_launcher *launcher)
{
    const gt_geometry *geometry = &launcher->launch.geometry;
    CUlaunchAttribute *attribute = launcher->attributes;
    if (volume(geometry->cluster) > 1) {
        attribute->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attribute->value.clusterDim.x = geometry->cluster[0];
        attribute->value.clusterDim.y = geometry->cluster[1];
        attribute->value.clusterDim.z = geometry->cluster[2];
        attribute++;
    }
    if (geometry->carveout_kb >= 0 && launcher->driver->version >= CARVEOUT_ATTRIBUTE_VERSION) {
        attribute->id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
        attribute->value.sharedMemCarveout = (unsigned)gt_carveout_percent(
            geometry->carveout_kb, launcher->device.shared_per_sm_bytes / 1024);
        attribute++;
    }
    launcher->config = (CUlaunchConfig){
        .gridDimX = geometry->grid[0],
        .gridDimY = geometry->grid[1],
        .gridDimZ = geometry->grid[2],
        .blockDimX = geometry->block[0],
        .blockDimY = geometry->block[1],
        .blockDimZ = geometry->block[2],
        .sharedMemBytes = geometry->shared_bytes,
        .attrs = launcher->attributes,
        .numAttrs = (unsigned)(attribute - launcher->attributes),
    };
}

/* What the launch needs beside the kernel. */
static void plan_passing(gt_launcher *launcher)
{
    const gt_launch *launch = &launcher->launch;
    launcher->needs_module = launch->pass == GT_PASS_CONSTANT || launch->pass == GT_PASS_SPLIT;
    if (launcher->needs_module || launch->pass == GT_PASS_GLOBAL) {
        launcher->copy_offset = launch->pass == GT_PASS_SPLIT ? launch->by_value_bytes : 0;
        launcher->copy_bytes = launch->block_bytes - launcher->copy_offset;
        launcher->slot_bytes = (launcher->copy_bytes + 255u) & ~(size_t)255;
    }
    launcher->needs_lane = launcher->copy_bytes > 0;
    launcher->needs_module = launcher->needs_module && launcher->copy_bytes > 0;
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        launcher->needs_lane |= launch->parameters[i].kind == GT_PARAMETER_SCRATCH;
    }
}

static gputune_status keep_image(gt_launcher *launcher, const gt_image *image)
{
    if (!launcher->needs_module) {
        return GPUTUNE_OK;
    }
    launcher->image.data = malloc(image->bytes + 1);
    if (!launcher->image.data) {
        return gt_fail_memory();
    }
    memcpy(launcher->image.data, image->data, image->bytes);
    ((char *)launcher->image.data)[image->bytes] = '\0';
    launcher->image.bytes = image->bytes;
    return GPUTUNE_OK;
}

static gputune_status count_resident(gt_launcher *launcher, int *clusters, int *blocks)
{
    const gt_geometry *geometry = &launcher->launch.geometry;
    GT_CUDA(launcher->driver, OccupancyMaxActiveBlocksPerMultiprocessor, blocks,
            launcher->base.function, (int)volume(geometry->block), geometry->shared_bytes);
    *clusters = 1;
    if (volume(geometry->cluster) > 1) {
        CUlaunchConfig config = launcher->config;
        config.numAttrs = 1; /* the cluster: a carveout is only a hint */
        GT_CUDA(launcher->driver, OccupancyMaxActiveClusters, clusters, launcher->base.function,
                &config);
    }
    return GPUTUNE_OK;
}

static gputune_status check_occupancy(gt_launcher *launcher)
{
    int clusters, blocks;
    const gt_geometry *geometry = &launcher->launch.geometry;
    uint32_t cluster = volume(geometry->cluster);
    gputune_status status = count_resident(launcher, &clusters, &blocks);
    if (status < 0 && cluster > 1) {
        return gt_fail_prefix(status, "a cluster of %u blocks", cluster);
    }
    GT_TRY(status);
    if (blocks < 1) {
        return gt_fail(GPUTUNE_ECUDA,
                       "a block of %u threads with %u bytes of dynamic shared memory does not fit "
                       "on a multiprocessor",
                       volume(geometry->block), geometry->shared_bytes);
    }
    return clusters >= 1
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_ECUDA,
                         "a cluster of %u blocks of %u threads with %u bytes of dynamic shared "
                         "memory each does not fit on the device",
                         cluster, volume(geometry->block), geometry->shared_bytes);
}

/* Its own copy of the image, or `parent`'s module. */
static gputune_status load_in_context(gt_launcher *launcher, const gt_image *image,
                                      const gt_launcher *parent)
{
    if (parent) {
        launcher->shares_base = true;
        GT_TRY(gt_instance_attach(&launcher->base, launcher, parent->base.module));
    } else {
        GT_TRY(keep_image(launcher, image));
        GT_TRY(gt_instance_load(&launcher->base, launcher, image));
    }
    return check_occupancy(launcher);
}

static void init_locks(gt_launcher *launcher)
{
    pthread_mutex_init(&launcher->lock, NULL);
    pthread_mutex_init(&launcher->clear_lock, NULL);
    for (int i = 0; i < GT_LAUNCHER_STREAMS; i++) {
        pthread_mutex_init(&launcher->lanes[i].lock, NULL);
    }
}

static gputune_status load(gt_launcher **out, const gt_driver *driver, const gt_device *device,
                           const gt_image *image, const gt_launcher *parent,
                           const gt_launch *launch)
{
    CUcontext context;
    GT_TRY(check_launch(launch));
    GT_TRY(gt_context_current(&context, driver));
    gt_launcher *launcher = calloc(1, sizeof *launcher);
    if (!launcher) {
        return gt_fail_memory();
    }
    launcher->driver = driver;
    launcher->context = context;
    launcher->device = *device;
    launcher->launch = *launch;
    init_locks(launcher);
    make_config(launcher);
    plan_passing(launcher);
    CUstreamCaptureMode mode = gt_relaxed_enter(driver);
    gputune_status status = load_in_context(launcher, image, parent);
    gt_relaxed_leave(driver, mode);
    if (status < 0) {
        gt_launcher_free(launcher);
        return status;
    }
    *out = launcher;
    return GPUTUNE_OK;
}

gputune_status gt_launcher_load(gt_launcher **out, const gt_driver *driver, const gt_device *device,
                                const gt_image *image, const gt_launch *launch)
{
    gt_graph_orphans_collect();
    return load(out, driver, device, image, NULL, launch);
}

gputune_status gt_launcher_share(gt_launcher **out, gt_launcher *parent, const gt_launch *launch)
{
    /* With a __constant__ symbol each launcher needs modules of its own. */
    const gt_launcher *base = parent->needs_module ? NULL : parent;
    return load(out, parent->driver, &parent->device, &parent->image, base, launch);
}

/* ---- freeing ---- */

/* Waits for everything in the context: launches of kernels without lanes leave no event. Not while
 * a capture is seen, which a wait would break; unloading a module waits by itself, as far as
 * observed. */
static void wait_for_launches(const gt_driver *driver)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult result =
        driver->StreamGetCaptureInfo(CU_STREAM_LEGACY, &status, NULL, NULL, NULL, NULL);
    if (result != CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) {
        driver->CtxSynchronize();
    }
}

static void free_on_device(gt_launcher *launcher)
{
    for (int i = 0; i < GT_LAUNCHER_STREAMS; i++) {
        gt_lane_free(&launcher->lanes[i], launcher->driver);
    }
    if (launcher->base.module && !launcher->shares_base) {
        wait_for_launches(launcher->driver);
    }
    gt_graph_lanes_free(launcher);
    launcher->base.owns_module =
        launcher->base.module && !launcher->shares_base && !launcher->base_taken;
    gt_instance_free(&launcher->base, launcher->driver);
}

void gt_launcher_free(gt_launcher *launcher)
{
    gt_context_visit visit;
    if (!launcher) {
        return;
    }
    if (gt_context_enter(&visit, launcher->driver, launcher->context) == GPUTUNE_OK) {
        free_on_device(launcher);
        gt_context_leave(&visit, launcher->driver);
    }
    for (int i = 0; i < GT_LAUNCHER_STREAMS; i++) {
        pthread_mutex_destroy(&launcher->lanes[i].lock);
    }
    pthread_mutex_destroy(&launcher->clear_lock);
    pthread_mutex_destroy(&launcher->lock);
    free(launcher->image.data);
    free(launcher);
    gt_graph_orphans_collect();
}

/* ---- launching ---- */

/* Says it when the reason is another context; the driver's code alone would not. */
static gputune_status explain(const gt_launcher *launcher, CUresult result)
{
    CUcontext current = NULL;
    launcher->driver->CtxGetCurrent(&current);
    if (current != launcher->context) {
        return gt_fail(GPUTUNE_ECUDA,
                       "%s: %s CUDA context is current in this thread than the one that the plan "
                       "was made in",
                       launcher->launch.entry, current ? "another" : "no");
    }
    GT_TRY(gt_cuda_check(launcher->driver, result, "cuLaunchKernelEx"));
    return GPUTUNE_OK;
}

static gputune_status launch_kernel(const gt_launcher *launcher, const gt_instance *instance,
                                    CUstream stream, const void *const *arguments)
{
    void *parameters[GT_PARAMETER_MAX];
    const gt_launch *launch = &launcher->launch;
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        const gt_parameter *parameter = &launch->parameters[i];
        if (parameter->kind == GT_PARAMETER_SCRATCH) {
            parameters[i] = (void *)&instance->scratch[i];
        } else if (parameter->kind != GT_PARAMETER_BLOCK) {
            parameters[i] = (void *)arguments[parameter->argument];
        } else { /* by value the parameter is the block's beginning */
            parameters[i] =
                launch->pass == GT_PASS_GLOBAL ? (void *)&instance->block : (void *)arguments[0];
        }
    }
    CUlaunchConfig config = launcher->config;
    config.hStream = stream;
    CUresult result =
        launcher->driver->LaunchKernelEx(&config, instance->function, parameters, NULL);
    return result == CUDA_SUCCESS ? GPUTUNE_OK : explain(launcher, result);
}

static gputune_status queue_clears(const gt_launcher *launcher, const gt_instance *instance,
                                   CUstream stream, const void *const *arguments)
{
    const gt_launch *launch = &launcher->launch;
    for (uint32_t i = 0; i < launch->clear_count; i++) {
        int index = launch->clears[i].parameter;
        const gt_parameter *parameter = &launch->parameters[index];
        CUdeviceptr address = instance->scratch[index];
        if (parameter->kind == GT_PARAMETER_BUFFER) {
            memcpy(&address, arguments[parameter->argument], sizeof address);
        }
        if (launch->clears[i].bytes) {
            GT_CUDA(launcher->driver, MemsetD8Async, address, 0, launch->clears[i].bytes, stream);
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_launcher_queue(gt_launcher *launcher, const gt_instance *instance,
                                 CUstream stream, const void *const *arguments, const void *staged)
{
    GT_TRY(queue_clears(launcher, instance, stream, arguments));
    if (staged) {
        CUdeviceptr to = launcher->needs_module ? instance->symbol : instance->block;
        GT_CUDA(launcher->driver, MemcpyHtoDAsync, to, staged, launcher->copy_bytes, stream);
    }
    return launch_kernel(launcher, instance, stream, arguments);
}

/* What the paths with a lane must know before they touch the stream. */
typedef struct stream_facts {
    uint64_t key; /* never 0 */
    bool capturing;
    cuuint64_t capture;
    CUgraph graph;
} stream_facts;

static gputune_status read_capture(stream_facts *out, const gt_driver *driver, CUstream stream)
{
    CUstreamCaptureStatus status;
    CUresult result =
        driver->StreamGetCaptureInfo(stream, &status, &out->capture, &out->graph, NULL, NULL);
    if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) {
        return gt_fail(GPUTUNE_ECAPTURE, "the default stream cannot be used while another stream "
                                         "is being captured");
    }
    GT_TRY(gt_cuda_check(driver, result, "cuStreamGetCaptureInfo"));
    if (status == CU_STREAM_CAPTURE_STATUS_INVALIDATED) {
        return gt_fail(GPUTUNE_ECAPTURE, "the capture of this stream has already failed");
    }
    out->capturing = status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return GPUTUNE_OK;
}

/* A stream's handle may come again after it was destroyed, its id (12.0) does not. */
static gputune_status read_stream(stream_facts *out, const gt_launcher *launcher, CUstream stream)
{
    const gt_driver *driver = launcher->driver;
    CUcontext current = NULL;
    unsigned long long id = (unsigned long long)(uintptr_t)stream;
    GT_CUDA(driver, CtxGetCurrent, &current);
    if (current != launcher->context) {
        return explain(launcher, CUDA_ERROR_INVALID_CONTEXT);
    }
    GT_TRY(read_capture(out, driver, stream));
    if (driver->StreamGetId) {
        GT_CUDA(driver, StreamGetId, stream, &id);
    }
    out->key = id + 1;
    return GPUTUNE_OK;
}

static gputune_status launch_with_lane(gt_launcher *launcher, CUstream stream,
                                       const void *const *arguments, bool copy)
{
    stream_facts facts = {0};
    GT_TRY(read_stream(&facts, launcher, stream));
    CUstreamCaptureMode mode = gt_relaxed_enter(launcher->driver);
    gputune_status status;
    if (!facts.capturing) {
        status = gt_lane_launch(launcher, stream, facts.key, arguments, copy);
    } else if (copy) {
        status =
            gt_graph_launch(launcher, stream, facts.key, facts.capture, facts.graph, arguments);
    } else {
        status = gt_lane_capture(launcher, stream, facts.key, arguments);
    }
    gt_relaxed_leave(launcher->driver, mode);
    return status;
}

/* A clear and its launch are one step for other threads on the same stream. */
static gputune_status launch_with_clears(gt_launcher *launcher, CUstream stream,
                                         const void *const *arguments)
{
    pthread_mutex_lock(&launcher->clear_lock);
    gputune_status status = gt_launcher_queue(launcher, &launcher->base, stream, arguments, NULL);
    pthread_mutex_unlock(&launcher->clear_lock);
    return status;
}

gputune_status gt_launcher_launch(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments)
{
    if (launcher->needs_lane) {
        return launch_with_lane(launcher, stream, arguments, true);
    }
    return launcher->launch.clear_count
               ? launch_with_clears(launcher, stream, arguments)
               : launch_kernel(launcher, &launcher->base, stream, arguments);
}

gputune_status gt_launcher_repeat(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments)
{
    return launcher->copy_bytes ? launch_with_lane(launcher, stream, arguments, false)
                                : gt_launcher_launch(launcher, stream, arguments);
}

/* ---- questions ---- */

static gputune_status read_resources(gt_launcher *launcher, gt_resources *out)
{
    const struct {
        CUfunction_attribute which;
        uint32_t *to;
    } figures[] = {
        {CU_FUNC_ATTRIBUTE_NUM_REGS, &out->registers},
        {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &out->static_shared_bytes},
        {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &out->local_bytes},
        {CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &out->constant_bytes},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        int value;
        GT_CUDA(launcher->driver, FuncGetAttribute, &value, figures[i].which,
                launcher->base.function);
        *figures[i].to = (uint32_t)value;
    }
    return GPUTUNE_OK;
}

static double resident_share(const gt_launcher *launcher, int clusters, int blocks)
{
    const gt_geometry *geometry = &launcher->launch.geometry;
    const gt_device *device = &launcher->device;
    uint32_t cluster = volume(geometry->cluster);
    double warp = device->warp_size > 0 ? device->warp_size : 32;
    double warps = (double)(uint32_t)((volume(geometry->block) + warp - 1) / warp);
    double resident = blocks;
    if (cluster > 1 && device->sm_count > 0) {
        resident = (double)clusters * cluster / device->sm_count;
    }
    return device->max_threads_per_sm > 0 ? resident * warps * warp / device->max_threads_per_sm
                                          : 0;
}

gputune_status gt_launcher_resources(gt_launcher *launcher, gt_resources *out, double *occupancy)
{
    gt_resources resources = {0};
    int clusters = 0, blocks = 0;
    gt_context_visit visit;
    GT_TRY(gt_context_enter(&visit, launcher->driver, launcher->context));
    gputune_status status = read_resources(launcher, &resources);
    if (status == GPUTUNE_OK) {
        status = count_resident(launcher, &clusters, &blocks);
    }
    gt_context_leave(&visit, launcher->driver);
    GT_TRY(status);
    *out = resources;
    *occupancy = resident_share(launcher, clusters, blocks);
    return GPUTUNE_OK;
}
