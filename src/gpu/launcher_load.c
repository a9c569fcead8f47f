/* Loads code for a launcher: the module, which launchers of the same image share; what the kernels
 * need beside it, in an instance for each stream or graph; level-2 cache that is set aside. And
 * frees a launcher. */
#include "base/array.h"
#include "base/condition.h"
#include "base/text.h"
#include "gpu/driver.h"
#include "gpu/image.h"
#include "gpu/launcher_parts.h"
#include "gpu/module.h"

#include <stdlib.h>
#include <string.h>

enum { PORTABLE_CLUSTER = 8 };

int gt_carveout_percent(int kb, int max_kb)
{
    return max_kb > 0 ? (kb >= max_kb ? 100 : kb * 100 / max_kb) : -1;
}

/* ---- modules that launchers share ---- */

/* The symbol of a kernel that launches name `entry`. */
typedef struct symbol {
    char *entry, *name;
} symbol;

struct gt_module {
    const gt_driver *driver;
    gt_context context;
    CUmodule handle; /* NULL: each instance has a module of its own */
    atomic_uint holders;
    GT_ARRAY(symbol) symbols;
};

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
    for (size_t i = 0; i < module->symbols.count; i++) {
        free(module->symbols.items[i].entry);
        free(module->symbols.items[i].name);
    }
    gt_array_free(&module->symbols);
    free(module);
}

void gt_module_release(gt_module *module)
{
    gt_context_visit visit;
    const gt_driver *driver = module->driver;
    const bool alive = gt_context_enter(&visit, driver, &module->context) == GPUTUNE_OK;
    gt_module_drop(module, alive);
    if (alive) {
        gt_context_leave(&visit, driver);
    }
}

const gt_context *gt_module_context(const gt_module *module)
{
    return &module->context;
}

/* Finds the symbol of a kernel in the module's image. */
static gputune_status find_kernel(const char **out, gt_module *module, const gt_image *image,
                                  const char *entry)
{
    GT_FREED char *name = NULL, *key = NULL;
    for (size_t i = 0; i < module->symbols.count; i++) {
        if (strcmp(module->symbols.items[i].entry, entry) == 0) {
            *out = module->symbols.items[i].name;
            return GPUTUNE_OK;
        }
    }
    GT_TRY(gt_image_entry(&name, image, entry));
    GT_TRY(gt_strdup(&key, entry));
    GT_TRY(gt_array_reserve(&module->symbols));
    *out = name;
    module->symbols.items[module->symbols.count++] = (symbol){gt_take(&key), gt_take(&name)};
    return GPUTUNE_OK;
}

/* ---- instances ---- */

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
                   launcher->device->emulated ? " (the emulator's count, not ptxas's)" : "", most);
}

static gputune_status allow_shared(const gt_launcher *launcher, CUfunction function,
                                   const gt_kernel_step *kernel)
{
    int fixed;
    uint32_t dynamic = kernel->shared_bytes;
    GT_CUDA(launcher->driver, FuncGetAttribute, &fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
            function);
    uint32_t sum = (uint32_t)fixed + dynamic;
    if (sum <= (uint32_t)launcher->device->shared_per_block_bytes) {
        return GPUTUNE_OK;
    }
    int allowed; /* by an earlier launcher of this function */
    GT_CUDA(launcher->driver, FuncGetAttribute, &allowed,
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function);
    GT_REFUSE(sum > (uint32_t)launcher->device->shared_per_block_optin_bytes, GPUTUNE_ECUDA,
              "a block has %u bytes of shared memory (%u of them dynamic); the device allows %d",
              sum, dynamic, launcher->device->shared_per_block_optin_bytes);
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
                gt_carveout_percent(carveout_kb, launcher->device->shared_per_sm_bytes / 1024));
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

/* Finds the functions and symbols of out->module, checks them against the launch and sets the
 * functions' attributes. */
static gputune_status attach_instance(gt_instance *out, const gt_launcher *launcher)
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

/* Loads a module of the instance's own. */
static gputune_status load_instance(gt_instance *out, const gt_launcher *launcher,
                                    const gt_image *image)
{
    gt_instance made = {.owns_module = true};
    GT_TRY(gt_image_load(&made.module, launcher->driver, image));
    gputune_status status = attach_instance(&made, launcher);
    if (status != GPUTUNE_OK) {
        launcher->driver->ModuleUnload(made.module);
        return status;
    }
    *out = made;
    return GPUTUNE_OK;
}

/* The base module goes to the first state that needs a module of its own. */
static gputune_status take_module(gt_instance *out, gt_launcher *launcher)
{
    gt_instance loaded = launcher->base;
    if (launcher->needs_module && atomic_exchange(&launcher->base_taken, true)) {
        GT_TRY(load_instance(&loaded, launcher, &launcher->image));
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
            if (parameter->scratch & GT_SCRATCH_ZERO) {
                GT_TRY(zero(launcher->driver, out->scratch[i], bytes));
            }
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
    *out = (gt_instance){0};
    gputune_status status = make_buffers(out, launcher);
    GT_THEN(status, make_arrays(out, launcher));
    GT_THEN(status, take_module(out, launcher));
    if (status != GPUTUNE_OK) {
        gt_instance_free(out, launcher->driver);
    }
    return status;
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

/* ---- residency, and level-2 cache that is set aside ---- */

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
        cluster > 1 ? (double)clusters * cluster : (double)blocks * launcher->device->sm_count;
    const double grid = (double)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
    GT_REFUSE(kernel->cooperative && grid > most, GPUTUNE_ECUDA,
              "a cooperative grid of %.0f blocks does not fit on the device at once; with this "
              "code %.0f fit",
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
    const gt_device *device = launcher->device;
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
                  "kernel %s: a preferred cluster of %u blocks is not a multiple of the cluster, "
                  "or does not divide the grid",
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

/* Returns true if a launch passes the caller's arguments on as they are, and does no more. */
static bool is_direct(const gt_launcher *launcher)
{
    const gt_launch *launch = launcher->launch;
    bool direct = !launcher->needs_state && !gt_launch_clears(launch) && launch->step_count == 1 &&
                  !gt_launch_has_sequence(launch) && gt_launch_kernels(launch) == 1 &&
                  launch->steps[0].parameter_count == launch->parameter_count &&
                  !launch->map_count && !launch->texture_count && !launch->l2.window_bytes;
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        direct = direct && launch->parameters[i].argument == (int)i &&
                 launch->steps[0].parameters[i] == i;
    }
    return direct;
}

static void make_config(gt_launcher_kernel *out, const gt_launcher *launcher,
                        const gt_kernel_step *kernel)
{
    const int kb = launcher->launch->carveout_kb;
    const gt_l2_window *l2 = &launcher->launch->l2;
    out->config = (CUlaunchConfig){.gridDimX = kernel->grid[0],
                                   .gridDimY = kernel->grid[1],
                                   .gridDimZ = kernel->grid[2],
                                   .blockDimX = kernel->block[0],
                                   .blockDimY = kernel->block[1],
                                   .blockDimZ = kernel->block[2],
                                   .sharedMemBytes = kernel->shared_bytes,
                                   .attrs = out->attributes};
    /* count_resident() expects the cluster first; a preferred cluster needs a regular one */
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
    if (kb >= 0 && launcher->driver->version >= CARVEOUT_ATTRIBUTE_VERSION) {
        add_attribute(out, CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
            ->sharedMemCarveout =
            (unsigned)gt_carveout_percent(kb, launcher->device->shared_per_sm_bytes / 1024);
    }
    if (kernel->cooperative) {
        add_attribute(out, CU_LAUNCH_ATTRIBUTE_COOPERATIVE)->cooperative = 1;
    }
    if (kernel->programmatic) {
        add_attribute(out, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
            ->programmaticStreamSerializationAllowed = 1;
    }
    if (l2->window_bytes) { /* last: launch_run() sets its address */
        double ratio = (double)l2->set_aside_bytes / (double)l2->window_bytes;
        CUlaunchAttributeValue *value =
            add_attribute(out, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW);
        value->accessPolicyWindow.num_bytes = l2->window_bytes;
        value->accessPolicyWindow.hitRatio = ratio < 1 ? (float)ratio : 1.0F;
        value->accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
        value->accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_STREAMING;
    }
}

/* Allocates what only few launches need, for those alone, because an application may keep thousands
 * of launchers: staging memory, states for streams, modules of their own. */
static gputune_status make_parts(gt_launcher *launcher)
{
    const gt_launch *launch = launcher->launch;
    const uint32_t steps = launch->step_count;
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
        make_config(&launcher->kernels[i], launcher, &launch->steps[i]);
    }
    return GPUTUNE_OK;
}

/* Loads the image, unless the launcher's module is loaded, and checks that the kernels fit. */
static gputune_status load_in_context(gt_launcher *launcher, const gt_image *image)
{
    gt_module *module = launcher->held->module;
    for (uint32_t i = 0; i < launcher->launch->step_count; i++) {
        GT_TRY(find_kernel(&launcher->kernels[i].symbol, module, image,
                           launcher->launch->steps[i].entry));
    }
    if (module->handle) {
        launcher->base.module = module->handle;
        GT_TRY(attach_instance(&launcher->base, launcher));
    } else {
        GT_TRY(load_instance(&launcher->base, launcher, image));
        launcher->base.owns_module = launcher->needs_module;
        module->handle = launcher->needs_module ? NULL : launcher->base.module;
    }
    if (launcher->needs_module) {
        GT_TRY(gt_image_copy(&launcher->image, image->data, image->bytes));
    }
    GT_TRY(check_occupancy(launcher));
    return l2_attach(launcher);
}

static gputune_status load(gt_launcher *launcher, const gt_image *image, gt_module *module)
{
    GT_TRY(gt_held_module_make(launcher));
    GT_TRY(make_parts(launcher));
    if (module && !launcher->needs_module) {
        launcher->held->module = gt_module_retain(module);
        return load_in_context(launcher, image);
    }
    module = launcher->held->module = calloc(1, sizeof *module);
    GT_TRY(gt_allocated(module));
    module->driver = launcher->driver;
    module->context = launcher->context;
    atomic_init(&module->holders, 1);
    return load_in_context(launcher, image);
}

gputune_status gt_launcher_load(gt_launcher **out, const gt_driver *driver, const gt_device *device,
                                const gt_image *image, gt_module *module, const gt_launch *launch)
{
    gt_context context;
    gt_graph_orphans_collect();
    GT_TRY(check_clusters(launch));
    GT_TRY(gt_context_current(&context, driver));
    gt_launcher *launcher = calloc(1, sizeof *launcher);
    GT_TRY(gt_allocated(launcher));
    launcher->driver = driver;
    launcher->context = context;
    launcher->device = device;
    launcher->launch = launch;
    pthread_mutex_init(&launcher->lock, NULL);
    pthread_mutex_init(&launcher->clear_lock, NULL);
    pthread_mutex_init(&launcher->texture_lock, NULL);
    CUstreamCaptureMode mode = gt_relaxed_enter(driver);
    gputune_status status = load(launcher, image, module);
    gt_relaxed_leave(driver, mode);
    if (status != GPUTUNE_OK) {
        gt_launcher_free(launcher);
        return status;
    }
    *out = launcher;
    return GPUTUNE_OK;
}

gt_module *gt_launcher_module(const gt_launcher *launcher)
{
    return launcher->held->module->handle ? launcher->held->module : NULL;
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
    if (launcher->kernels != &launcher->only) {
        free(launcher->kernels);
    }
    free(launcher);
    gt_graph_orphans_collect();
}
