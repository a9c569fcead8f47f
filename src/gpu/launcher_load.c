/* Loads an image into a launcher, checks that it fits on the device, sets level-2 cache aside for
 * it, and frees it. */
#include "base/array.h"
#include "base/condition.h"
#include "base/text.h"
#include "gpu/driver.h"
#include "gpu/image.h"
#include "gpu/launcher_parts.h"

#include <stdlib.h>
#include <string.h>

static gputune_status count_resident(const gt_launcher *launcher, uint32_t index, int *clusters,
                                     int *blocks)
{
    const gt_kernel_step *kernel = &launcher->launch->steps[index];
    CUfunction function = launcher->base.functions[index];
    GT_CUDA(launcher->driver, OccupancyMaxActiveBlocksPerMultiprocessor, blocks, function,
            (int)gt_volume(kernel->block), kernel->shared_bytes);
    *clusters = 1;
    if (gt_volume(kernel->cluster) > 1) {
        CUlaunchConfig config = launcher->kernels[index].config;
        config.numAttrs = 1; /* the cluster: a carveout is only a hint */
        GT_CUDA(launcher->driver, OccupancyMaxActiveClusters, clusters, function, &config);
    }
    return GPUTUNE_OK;
}

static gputune_status check_kernel(const gt_launcher *launcher, uint32_t index)
{
    int clusters, blocks;
    const gt_kernel_step *kernel = &launcher->launch->steps[index];
    uint32_t cluster = gt_volume(kernel->cluster);
    gputune_status status = count_resident(launcher, index, &clusters, &blocks);
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
        cluster > 1 ? (double)clusters * cluster : (double)blocks * launcher->device.sm_count;
    const double grid = (double)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
    GT_REFUSE(
        kernel->cooperative && grid > most, GPUTUNE_ECUDA,
        "a cooperative grid of %.0f blocks does not fit on the device at once; with this code "
        "there is room for %.0f",
        grid, most);
    return GPUTUNE_OK;
}

/* How many of the launch's blocks, or clusters, can be resident: a block or cluster that cannot is
 * ECUDA and the message says why. */
static gputune_status check_occupancy(const gt_launcher *launcher)
{
    const gt_launch *launch = launcher->launch;
    for (uint32_t i = 0; i < launch->step_count; i++) {
        gputune_status status = check_kernel(launcher, i);
        if (status < 0) {
            return launch->step_count > 1 ? gt_fail_prefix(status, "%s", launch->steps[i].entry)
                                          : status;
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_launcher_occupancy(double *out, gt_launcher *launcher)
{
    int clusters = 0, blocks = 0;
    gt_context_visit visit;
    GT_TRY(gt_context_enter(&visit, launcher->driver, &launcher->context));
    gputune_status status = count_resident(launcher, 0, &clusters, &blocks);
    gt_context_leave(&visit, launcher->driver);
    GT_TRY(status);
    const gt_kernel_step *kernel = &launcher->launch->steps[0];
    const gt_device *device = &launcher->device;
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

typedef struct set_aside {
    const gt_driver *driver;
    gt_context context;
    size_t before, now; /* bytes */
    unsigned users;
} set_aside;

static struct {
    pthread_mutex_t lock;
    GT_ARRAY(set_aside) contexts; /* those that launchers use now */
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static set_aside *find(const gt_launcher *launcher)
{
    for (size_t i = 0; i < known.contexts.count; i++) {
        const set_aside *at = &known.contexts.items[i];
        if (at->context.handle == launcher->context.handle &&
            at->context.id == launcher->context.id && at->driver == launcher->driver) {
            return &known.contexts.items[i];
        }
    }
    return NULL;
}

static gputune_status set(set_aside *at, size_t bytes)
{
    if (at->now != bytes) {
        GT_CUDA(at->driver, CtxSetLimit, CU_LIMIT_PERSISTING_L2_CACHE_SIZE, bytes);
        at->now = bytes;
    }
    return GPUTUNE_OK;
}

/* Sets aside what the launch needs, until l2_detach(). Nothing for a launch without a window. */
static gputune_status l2_attach(gt_launcher *launcher)
{
    if (!launcher->launch->l2.window_bytes) {
        return GPUTUNE_OK;
    }
    GT_REFUSE(!launcher->driver->CtxGetLimit || !launcher->driver->CtxSetLimit, GPUTUNE_ECUDA,
              "this driver cannot set level-2 cache aside");
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&known.lock);
    set_aside *at = find(launcher);
    size_t wanted = launcher->launch->l2.set_aside_bytes;
    if (!at) {
        set_aside added = {.driver = launcher->driver, .context = launcher->context};
        GT_CUDA(launcher->driver, CtxGetLimit, &added.before, CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
        added.now = added.before;
        GT_TRY(gt_array_push(&known.contexts, added));
        at = &known.contexts.items[known.contexts.count - 1];
    }
    at->users++;
    launcher->has_l2 = true;
    return wanted > at->now ? set(at, wanted) : GPUTUNE_OK;
}

static void forget_lines(const gt_driver *driver)
{
    if (driver->CtxResetPersistingL2Cache) {
        (void)driver->CtxResetPersistingL2Cache();
    }
}

/* `alive`: the context is, and current; else there is nothing to restore. */
static void l2_detach(gt_launcher *launcher, bool alive)
{
    if (!launcher->has_l2) {
        return;
    }
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&known.lock);
    set_aside *at = find(launcher);
    if (at && --at->users == 0) {
        if (alive) {
            (void)set(at, at->before);
            forget_lines(at->driver);
        }
        *at = known.contexts.items[--known.contexts.count];
    }
}

gputune_status gt_launcher_prepare(gt_launcher *launcher)
{
    if (!launcher->launch->l2.used) {
        return GPUTUNE_OK;
    }
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&known.lock);
    set_aside *at = find(launcher);
    size_t wanted = launcher->launch->l2.set_aside_bytes;
    gputune_status status = at ? set(at, wanted ? wanted : at->before) : GPUTUNE_OK;
    if (at) {
        forget_lines(at->driver);
    }
    return status;
}

/* The first driver whose launches take the carveout as an attribute for certain; the function's
 * attribute, which every driver has, says the same. */
enum { CARVEOUT_ATTRIBUTE_VERSION = 12080 };

/* Grids are multiples of their clusters, in loops too: a driver does not say which one is not. */
static gputune_status check_clusters(const gt_launch *launch)
{
    gt_iteration run;
    gt_iteration_begin(&run);
    while (gt_launch_next(&run, launch)) {
        const gt_kernel_step *kernel = &launch->steps[run.step];
        const uint32_t preferred = kernel->preferred_cluster;
        for (int axis = 0; axis < 3; axis++) {
            GT_REFUSE(run.grid[axis] % kernel->cluster[axis], GPUTUNE_EINVAL,
                      "kernel %s: a grid of %u blocks is not a multiple of its cluster's %u",
                      kernel->entry, run.grid[axis], kernel->cluster[axis]);
        }
        GT_REFUSE(preferred && (run.grid[0] % preferred || preferred % kernel->cluster[0]),
                  GPUTUNE_EINVAL,
                  "kernel %s: a preferred cluster of %u blocks is no multiple of the cluster, or "
                  "does not divide the grid",
                  kernel->entry, preferred);
    }
    return GPUTUNE_OK;
}

/* Adds an attribute, whose value is then set. */
static CUlaunchAttributeValue *add_attribute(gt_launcher_kernel *kernel, CUlaunchAttributeID id)
{
    CUlaunchAttribute *added = &kernel->attributes[kernel->config.numAttrs++];
    added->id = id;
    return &added->value;
}

/* Its address is missing. */
static void add_window(gt_launcher_kernel *out, const gt_l2_window *l2)
{
    double ratio = (double)l2->set_aside_bytes / (double)l2->window_bytes;
    CUlaunchAttributeValue *value = add_attribute(out, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW);
    value->accessPolicyWindow.num_bytes = l2->window_bytes;
    value->accessPolicyWindow.hitRatio = ratio < 1 ? (float)ratio : 1.0F;
    value->accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
    value->accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_STREAMING;
}

/* The first attributes, as count_resident() expects. A preferred cluster needs a regular one. */
static void add_cluster(gt_launcher_kernel *out, const gt_kernel_step *kernel)
{
    const uint32_t *cluster = kernel->cluster;
    if (gt_volume(cluster) > 1 || kernel->preferred_cluster) {
        memcpy(&add_attribute(out, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)->clusterDim, cluster,
               sizeof kernel->cluster);
    }
    if (kernel->preferred_cluster) {
        const uint32_t preferred[] = {kernel->preferred_cluster, cluster[1], cluster[2]};
        memcpy(&add_attribute(out, CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION)
                    ->preferredClusterDim,
               preferred, sizeof preferred);
    }
}

static void add_attributes(gt_launcher_kernel *out, const gt_launcher *launcher,
                           const gt_kernel_step *kernel)
{
    const int kb = launcher->launch->carveout_kb;
    add_cluster(out, kernel);
    if (kb >= 0 && launcher->driver->version >= CARVEOUT_ATTRIBUTE_VERSION) {
        add_attribute(out, CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
            ->sharedMemCarveout =
            (unsigned)gt_carveout_percent(kb, launcher->device.shared_per_sm_bytes / 1024);
    }
    if (kernel->cooperative) {
        add_attribute(out, CU_LAUNCH_ATTRIBUTE_COOPERATIVE)->cooperative = 1;
    }
    if (kernel->programmatic) {
        add_attribute(out, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
            ->programmaticStreamSerializationAllowed = 1;
    }
    if (launcher->launch->l2.window_bytes) { /* last, where place_window() puts its address */
        add_window(out, &launcher->launch->l2);
    }
}

static void make_config(gt_launcher_kernel *out, const gt_launcher *launcher,
                        const gt_kernel_step *kernel)
{
    out->config = (CUlaunchConfig){.gridDimX = kernel->grid[0],
                                   .gridDimY = kernel->grid[1],
                                   .gridDimZ = kernel->grid[2],
                                   .blockDimX = kernel->block[0],
                                   .blockDimY = kernel->block[1],
                                   .blockDimZ = kernel->block[2],
                                   .sharedMemBytes = kernel->shared_bytes,
                                   .attrs = out->attributes};
    add_attributes(out, launcher, kernel);
}

/* Finds out what the launch needs beside its kernels: staging memory, states for streams, modules
 * of their own. */
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
    for (uint32_t i = 0; i < launch->texture_count; i++) {
        launcher->needs_state |= launch->textures[i].memory != GT_TEXTURE_BUFFER;
    }
}

static bool is_direct(const gt_launcher *launcher)
{
    const gt_launch *launch = launcher->launch;
    bool direct = !launcher->needs_state && !gt_launch_clears(launch) && launch->step_count == 1 &&
                  !gt_launch_has_sequence(launch) && launch->steps[0].times == 1 &&
                  launch->steps[0].parameter_count == launch->parameter_count &&
                  !launch->map_count && !launch->texture_count && !launch->l2.window_bytes;
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        direct = direct && launch->parameters[i].argument == (int)i &&
                 launch->steps[0].parameters[i] == i;
    }
    return direct;
}

/* Loads the launcher's own copy of the image, or attaches to the module of `parent`. */
static gputune_status load_in_context(gt_launcher *launcher, const gt_image *image,
                                      const gt_launcher *parent)
{
    const gt_launch *launch = launcher->launch;
    for (uint32_t i = 0; i < launch->step_count; i++) {
        char **symbol = &launcher->kernels[i].symbol;
        GT_TRY(parent ? gt_strdup(symbol, parent->kernels[i].symbol)
                      : gt_image_entry(symbol, image, launch->steps[i].entry));
    }
    if (parent) {
        launcher->shares_base = true;
        launcher->base.module = parent->base.module;
        GT_TRY(gt_instance_attach(&launcher->base, launcher));
    } else {
        GT_TRY(launcher->needs_module ? gt_image_copy(&launcher->image, image->data, image->bytes)
                                      : GPUTUNE_OK);
        GT_TRY(gt_instance_load(&launcher->base, launcher, image));
        launcher->base.owns_module = launcher->needs_module;
        launcher->held->module = launcher->needs_module ? NULL : launcher->base.module;
    }
    GT_TRY(check_occupancy(launcher));
    return l2_attach(launcher);
}

/* Allocates what only few launches need, for those alone, because an application may keep thousands
 * of launchers. */
static gputune_status make_parts(gt_launcher *launcher)
{
    uint32_t steps = launcher->launch->step_count;
    plan_passing(launcher);
    launcher->is_direct = is_direct(launcher);
    launcher->kernels = steps > 1 ? calloc(steps, sizeof *launcher->kernels) : &launcher->only;
    GT_TRY(gt_allocated(launcher->kernels));
    if (launcher->needs_state) {
        launcher->states = calloc(GT_LAUNCHER_STREAMS, sizeof *launcher->states);
        GT_TRY(gt_allocated(launcher->states));
        for (int i = 0; i < GT_LAUNCHER_STREAMS; i++) {
            pthread_mutex_init(&launcher->states[i].lock, NULL);
        }
    }
    for (uint32_t i = 0; i < steps; i++) {
        make_config(&launcher->kernels[i], launcher, &launcher->launch->steps[i]);
    }
    return GPUTUNE_OK;
}

static gputune_status load(gt_launcher **out, const gt_driver *driver, const gt_device *device,
                           const gt_image *image, const gt_launcher *parent,
                           const gt_launch *launch)
{
    gt_context context;
    GT_TRY(check_clusters(launch));
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
    gputune_status status = gt_module_begin(launcher);
    GT_THEN(status, make_parts(launcher));
    GT_THEN(status, load_in_context(launcher, image, parent));
    gt_relaxed_leave(driver, mode);
    return GT_GIVE(status, out, launcher, gt_launcher_free(launcher));
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
void gt_launcher_free(gt_launcher *launcher)
{
    gt_context_visit visit;
    if (!launcher) {
        return;
    }
    /* else what it had on the device went with the context */
    const bool alive = gt_context_enter(&visit, launcher->driver, &launcher->context) == GPUTUNE_OK;
    l2_detach(launcher, alive);
    for (int i = 0; launcher->states && i < GT_LAUNCHER_STREAMS; i++) {
        if (alive) {
            gt_stream_state_free(&launcher->states[i], launcher->driver);
        }
        pthread_mutex_destroy(&launcher->states[i].lock);
    }
    gt_graphs_leave(launcher, alive);
    if (alive) {
        launcher->base.owns_module &= !launcher->base_taken;
        gt_instance_free(&launcher->base, launcher->driver);
        gt_context_leave(&visit, launcher->driver);
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
