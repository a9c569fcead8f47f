/* Loads an image into a launcher, and frees it. */
#include "base/text.h"
#include "gpu/context.h"
#include "gpu/image.h"
#include "gpu/launcher_parts.h"

#include <stdlib.h>
#include <string.h>

/* The first driver whose launches take the carveout as an attribute for certain; the function's
 * attribute, which every driver has, says the same. */
enum { CARVEOUT_ATTRIBUTE_VERSION = 12080 };

static bool has_clear_of(const gt_launch *launch, uint32_t index)
{
    const gt_clear *clear = &launch->clears[index];
    if (clear->parameter < 0 || (uint32_t)clear->parameter >= launch->parameter_count) {
        return false;
    }
    gt_parameter_kind kind = launch->parameters[clear->parameter].kind;
    return kind == GT_PARAMETER_BUFFER || kind == GT_PARAMETER_SCRATCH ||
           kind == GT_PARAMETER_TENSORMAP;
}

static bool is_sound_block_parameter(const gt_launch *launch, const gt_parameter *parameter)
{
    if (parameter->argument < 0 || (uint32_t)parameter->argument >= launch->block_count) {
        return false;
    }
    const gt_block *block = &launch->blocks[parameter->argument];
    return parameter->bytes ==
           (block->pass == GT_PASS_GLOBAL ? sizeof(CUdeviceptr) : block->by_value_bytes);
}

static bool is_sound_map(const gt_tensormap *map)
{
    return map->rank > 0 && map->rank <= GT_TENSORMAP_RANK && map->alignment > 0;
}

static bool is_sound_parameter(const gt_launch *launch, const gt_parameter *parameter)
{
    switch (parameter->kind) {
    case GT_PARAMETER_SCRATCH:
        return parameter->bytes == sizeof(CUdeviceptr);
    case GT_PARAMETER_BLOCK:
        return is_sound_block_parameter(launch, parameter);
    case GT_PARAMETER_VALUE:
        return parameter->map < GT_VALUES_MAX && parameter->bytes <= sizeof(int64_t);
    case GT_PARAMETER_TENSORMAP:
        return parameter->argument >= 0 && (uint32_t)parameter->argument < launch->argument_count &&
               parameter->map < launch->map_count && parameter->bytes == GT_TENSORMAP_BYTES &&
               is_sound_map(&launch->maps[parameter->map]);
    case GT_PARAMETER_TEXTURE:
        return parameter->argument >= 0 && (uint32_t)parameter->argument < launch->argument_count &&
               parameter->map < launch->texture_count && parameter->bytes == sizeof(CUtexObject);
    default:
        return parameter->argument >= 0 && (uint32_t)parameter->argument < launch->argument_count &&
               (parameter->kind == GT_PARAMETER_SCALAR || parameter->bytes == sizeof(CUdeviceptr));
    }
}

static bool is_sound_step(const gt_launch *launch, const gt_kernel_step *step)
{
    bool sound = memchr(step->entry, '\0', sizeof step->entry) && step->times > 0 &&
                 step->parameter_count <= GT_STEP_ARGUMENTS;
    for (uint32_t i = 0; sound && i < step->parameter_count; i++) {
        sound = step->parameters[i] < launch->parameter_count;
    }
    return sound;
}

static bool is_sound_block(const gt_block *block)
{
    return block->pass != GT_PASS_NONE && block->bytes > 0 &&
           block->by_value_bytes <= block->bytes &&
           memchr(block->symbol, '\0', sizeof block->symbol);
}

static bool is_sound(const gt_launch *launch)
{
    bool sound = launch->parameter_count <= GT_PARAMETER_MAX &&
                 launch->clear_count <= GT_PARAMETER_MAX &&
                 launch->argument_count <= GT_PARAMETER_MAX && launch->step_count > 0 &&
                 launch->step_count <= GT_STEPS_MAX && launch->block_count <= GT_BLOCK_MAX &&
                 launch->map_count <= GT_TENSORMAP_MAX && launch->texture_count <= GT_TEXTURE_MAX &&
                 launch->block_count <= launch->argument_count;
    for (uint32_t i = 0; sound && i < launch->block_count; i++) {
        sound = is_sound_block(&launch->blocks[i]);
    }
    for (uint32_t i = 0; sound && i < launch->parameter_count; i++) {
        sound = is_sound_parameter(launch, &launch->parameters[i]);
    }
    for (uint32_t i = 0; sound && i < launch->clear_count; i++) {
        sound = has_clear_of(launch, i);
    }
    for (uint32_t i = 0; sound && i < launch->step_count; i++) {
        sound = is_sound_step(launch, &launch->steps[i]);
    }
    return sound &&
           gt_sequence_is_sound(&launch->sequence, launch->step_count, launch->parameter_count);
}

/* Loops end, and their grids are multiples of the clusters. */
static gputune_status check_runs(const gt_launch *launch)
{
    gt_iteration run;
    gt_iteration_begin(&run);
    while (launch->sequence.item_count && gt_launch_next(&run, launch)) {
        const gt_kernel_step *kernel = &launch->steps[run.step];
        for (int axis = 0; axis < 3; axis++) {
            if (run.grid[axis] % kernel->cluster[axis]) {
                return gt_fail(GPUTUNE_EINVAL,
                               "kernel %s: a grid of %u blocks in a loop is not a "
                               "multiple of its cluster's %u",
                               kernel->entry, run.grid[axis], kernel->cluster[axis]);
            }
        }
    }
    return run.error ? gt_fail(GPUTUNE_EINVAL, "the loops of kernel %s cannot be carried out",
                               launch->steps[0].entry)
                     : GPUTUNE_OK;
}

static gputune_status check_shape(const gt_kernel_step *kernel)
{
    uint32_t preferred = kernel->preferred_cluster;
    for (int axis = 0; axis < 3; axis++) {
        if (!kernel->grid[axis] || !kernel->block[axis] || !kernel->cluster[axis]) {
            return gt_fail(GPUTUNE_EINVAL, "kernel %s: grid, block and cluster must not be 0",
                           kernel->entry);
        }
        if (kernel->grid[axis] % kernel->cluster[axis]) {
            return gt_fail(GPUTUNE_EINVAL,
                           "kernel %s: a grid of %u blocks is not a multiple of its cluster's %u",
                           kernel->entry, kernel->grid[axis], kernel->cluster[axis]);
        }
    }
    return preferred && (kernel->grid[0] % preferred || preferred % kernel->cluster[0])
               ? gt_fail(GPUTUNE_EINVAL,
                         "kernel %s: a preferred cluster of %u blocks is no multiple of the "
                         "cluster, or does not divide the grid",
                         kernel->entry, preferred)
               : GPUTUNE_OK;
}

/* A launch comes from another process or a database: nothing in it may lead astray. */
static gputune_status check_launch(const gt_launch *launch)
{
    if (!is_sound(launch)) {
        return gt_fail(GPUTUNE_EINVAL, "the description of the launch contradicts itself");
    }
    if (launch->l2.window_bytes &&
        (launch->l2.parameter >= launch->parameter_count ||
         (launch->parameters[launch->l2.parameter].kind != GT_PARAMETER_BUFFER &&
          launch->parameters[launch->l2.parameter].kind != GT_PARAMETER_SCRATCH))) {
        return gt_fail(GPUTUNE_EINVAL, "the window of level-2 cache is over no buffer");
    }
    for (uint32_t i = 0; i < launch->step_count; i++) {
        const gt_kernel_step *kernel = &launch->steps[i];
        GT_TRY(check_shape(kernel));
    }
    return check_runs(launch);
}

static CUlaunchAttribute *add_carveout(CUlaunchAttribute *attribute, const gt_launcher *launcher)
{
    int kb = launcher->launch->carveout_kb;
    if (kb >= 0 && launcher->driver->version >= CARVEOUT_ATTRIBUTE_VERSION) {
        attribute->id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
        attribute->value.sharedMemCarveout =
            (unsigned)gt_carveout_percent(kb, launcher->device.shared_per_sm_bytes / 1024);
        attribute++;
    }
    return attribute;
}

/* The first attributes, as count_resident() expects. A preferred cluster needs a regular one. */
static CUlaunchAttribute *add_cluster(CUlaunchAttribute *attribute, const gt_kernel_step *kernel)
{
    const uint32_t *cluster = kernel->cluster;
    if (gt_volume(cluster) > 1 || kernel->preferred_cluster) {
        attribute->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attribute->value.clusterDim.x = cluster[0];
        attribute->value.clusterDim.y = cluster[1];
        attribute->value.clusterDim.z = cluster[2];
        attribute++;
    }
    if (kernel->preferred_cluster) {
        attribute->id = CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION;
        attribute->value.preferredClusterDim.x = kernel->preferred_cluster;
        attribute->value.preferredClusterDim.y = cluster[1];
        attribute->value.preferredClusterDim.z = cluster[2];
        attribute++;
    }
    return attribute;
}

static void make_config(gt_launcher_kernel *out, const gt_launcher *launcher,
                        const gt_kernel_step *kernel)
{
    CUlaunchAttribute *attribute = add_carveout(add_cluster(out->attributes, kernel), launcher);
    if (kernel->cooperative) {
        attribute->id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attribute->value.cooperative = 1;
        attribute++;
    }
    if (kernel->programmatic) {
        attribute->id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        attribute->value.programmaticStreamSerializationAllowed = 1;
        attribute++;
    }
    if (launcher->launch->l2.window_bytes) { /* last, where place_window() puts its address */
        *attribute++ = gt_l2_attribute(launcher);
    }
    out->config = (CUlaunchConfig){.gridDimX = kernel->grid[0],
                                   .gridDimY = kernel->grid[1],
                                   .gridDimZ = kernel->grid[2],
                                   .blockDimX = kernel->block[0],
                                   .blockDimY = kernel->block[1],
                                   .blockDimZ = kernel->block[2],
                                   .sharedMemBytes = kernel->shared_bytes,
                                   .attrs = out->attributes,
                                   .numAttrs = (unsigned)(attribute - out->attributes)};
}

static void make_configs(gt_launcher *launcher)
{
    for (uint32_t i = 0; i < launcher->launch->step_count; i++) {
        const gt_kernel_step *kernel = &launcher->launch->steps[i];
        make_config(&launcher->kernels[i], launcher, kernel);
    }
}

/* What the launch needs beside the kernel. */
static void plan_passing(gt_launcher *launcher)
{
    const gt_launch *launch = launcher->launch;
    for (uint32_t i = 0; i < launch->block_count; i++) {
        uint32_t copied = gt_block_copied(&launch->blocks[i]);
        launcher->slot_bytes += gt_staged_bytes(copied);
        launcher->needs_module |= copied > 0 && launch->blocks[i].pass != GT_PASS_GLOBAL;
    }
    launcher->needs_state = launcher->slot_bytes > 0;
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        launcher->needs_state |= launch->parameters[i].kind == GT_PARAMETER_SCRATCH;
    }
}

static bool is_direct(const gt_launcher *launcher)
{
    const gt_launch *launch = launcher->launch;
    bool direct = !launcher->needs_state && !launch->clear_count && launch->step_count == 1 &&
                  !launch->sequence.item_count && launch->steps[0].times == 1 &&
                  !launch->steps[0].parameter_count && !launch->map_count &&
                  !launch->texture_count && !launch->l2.window_bytes;
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        direct = direct && launch->parameters[i].argument == (int)i;
    }
    return direct;
}

static gputune_status keep_image(gt_launcher *launcher, const gt_image *image)
{
    if (!launcher->needs_module) {
        return GPUTUNE_OK;
    }
    launcher->image.data = malloc(image->bytes + 1);
    GT_TRY(gt_allocated(launcher->image.data));
    memcpy(launcher->image.data, image->data, image->bytes);
    ((char *)launcher->image.data)[image->bytes] = '\0';
    launcher->image.bytes = image->bytes;
    return GPUTUNE_OK;
}

/* The kernels' symbols: those of the image, or the parent's, which has loaded it. */
static gputune_status find_symbols(gt_launcher *launcher, const gt_image *image,
                                   const gt_launcher *parent)
{
    const gt_launch *launch = launcher->launch;
    for (uint32_t i = 0; i < launch->step_count; i++) {
        char **symbol = &launcher->kernels[i].symbol;
        GT_TRY(parent ? gt_strdup(symbol, parent->kernels[i].symbol)
                      : gt_image_entry(symbol, image, launch->steps[i].entry));
    }
    return GPUTUNE_OK;
}

/* Its own copy of the image, or `parent`'s module. */
static gputune_status load_in_context(gt_launcher *launcher, const gt_image *image,
                                      const gt_launcher *parent)
{
    GT_TRY(find_symbols(launcher, image, parent));
    if (parent) {
        launcher->shares_base = true;
        GT_TRY(gt_instance_attach(&launcher->base, launcher, parent->base.module));
    } else {
        GT_TRY(keep_image(launcher, image));
        GT_TRY(gt_instance_load(&launcher->base, launcher, image));
    }
    GT_TRY(gt_launcher_check_occupancy(launcher));
    return gt_l2_attach(launcher);
}

/* What few launches need, for those alone: an application may keep thousands of launchers. */
static gputune_status make_parts(gt_launcher *launcher)
{
    uint32_t steps = launcher->launch->step_count;
    launcher->kernels = steps > 1 ? calloc(steps, sizeof *launcher->kernels) : &launcher->only;
    GT_TRY(gt_allocated(launcher->kernels));
    if (launcher->needs_state) {
        launcher->states = calloc(GT_LAUNCHER_STREAMS, sizeof *launcher->states);
        GT_TRY(gt_allocated(launcher->states));
        for (int i = 0; i < GT_LAUNCHER_STREAMS; i++) {
            pthread_mutex_init(&launcher->states[i].lock, NULL);
        }
    }
    return GPUTUNE_OK;
}

static gputune_status prepare(gt_launcher *launcher)
{
    plan_passing(launcher);
    launcher->is_direct = is_direct(launcher);
    GT_TRY(make_parts(launcher));
    make_configs(launcher);
    return GPUTUNE_OK;
}

static gputune_status load(gt_launcher **out, const gt_driver *driver, const gt_device *device,
                           const gt_image *image, const gt_launcher *parent,
                           const gt_launch *launch)
{
    gt_context context;
    GT_TRY(check_launch(launch));
    GT_TRY(gt_context_current(&context, driver));
    gt_launcher *launcher = calloc(1, sizeof *launcher);
    GT_TRY(gt_allocated(launcher));
    launcher->driver = driver;
    launcher->context = context;
    launcher->device = *device;
    launcher->launch = launch;
    pthread_mutex_init(&launcher->lock, NULL);
    pthread_mutex_init(&launcher->clear_lock, NULL);
    pthread_mutex_init(&launcher->texture_lock, NULL);
    CUstreamCaptureMode mode = gt_relaxed_enter(driver);
    gputune_status status = prepare(launcher);
    GT_THEN(status, load_in_context(launcher, image, parent));
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

/* Unloading a module waits for its launches by itself and leaves captures alone (seen on an H200
 * with driver 13.0); a wait for the context would break every capture in it, and nothing tells
 * whether one of a non-blocking stream is under way. */
static void free_on_device(gt_launcher *launcher)
{
    gt_l2_detach(launcher, true);
    for (int i = 0; launcher->states && i < GT_LAUNCHER_STREAMS; i++) {
        gt_stream_state_free(&launcher->states[i], launcher->driver);
    }
    gt_graph_states_free(launcher, true);
    const bool is_held = gt_module_leave(launcher);
    launcher->base.owns_module =
        launcher->base.module && !launcher->shares_base && !launcher->base_taken && !is_held;
    gt_instance_free(&launcher->base, launcher->driver);
    gt_textures_free(&launcher->textures, launcher->driver, true);
}

void gt_launcher_free(gt_launcher *launcher)
{
    gt_context_visit visit;
    if (!launcher) {
        return;
    }
    if (gt_context_enter(&visit, launcher->driver, &launcher->context) == GPUTUNE_OK) {
        free_on_device(launcher);
        gt_context_leave(&visit, launcher->driver);
    } else { /* what it had on the device went with the context */
        gt_l2_detach(launcher, false);
        gt_graph_states_free(launcher, false);
        gt_textures_free(&launcher->textures, launcher->driver, false);
    }
    for (int i = 0; launcher->states && i < GT_LAUNCHER_STREAMS; i++) {
        pthread_mutex_destroy(&launcher->states[i].lock);
    }
    free(launcher->states);
    pthread_mutex_destroy(&launcher->clear_lock);
    pthread_mutex_destroy(&launcher->texture_lock);
    pthread_mutex_destroy(&launcher->lock);
    free(launcher->image.data);
    for (uint32_t i = 0; launcher->kernels && i < launcher->launch->step_count; i++) {
        free(launcher->kernels[i].symbol);
    }
    if (launcher->kernels != &launcher->only) {
        free(launcher->kernels);
    }
    free(launcher);
    gt_graph_orphans_collect();
}
