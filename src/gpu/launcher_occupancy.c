/* Whether a launch fits on the device, and how well it fills it. */
#include "gpu/context.h"
#include "gpu/launcher_parts.h"

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

/* All blocks of a cooperative launch must be resident at once. */
static gputune_status check_cooperative(const gt_launcher *launcher, const gt_kernel_step *kernel,
                                        int clusters, int blocks)
{
    uint32_t cluster = gt_volume(kernel->cluster);
    double most =
        cluster > 1 ? (double)clusters * cluster : (double)blocks * launcher->device.sm_count;
    double grid = (double)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
    return !kernel->cooperative || grid <= most
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_ECUDA,
                         "a cooperative grid of %.0f blocks does not fit on the device at once; "
                         "with this code there is room for %.0f",
                         grid, most);
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
    if (blocks < 1) {
        return gt_fail(GPUTUNE_ECUDA,
                       "a block of %u threads with %u bytes of dynamic shared memory does not fit "
                       "on a multiprocessor",
                       gt_volume(kernel->block), kernel->shared_bytes);
    }
    return clusters >= 1
               ? check_cooperative(launcher, kernel, clusters, blocks)
               : gt_fail(GPUTUNE_ECUDA,
                         "a cluster of %u blocks of %u threads with %u bytes of dynamic shared "
                         "memory each does not fit on the device",
                         cluster, gt_volume(kernel->block), kernel->shared_bytes);
}

gputune_status gt_launcher_check_occupancy(const gt_launcher *launcher)
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

/* Each figure is the largest one of a pipeline's kernels. */
static gputune_status add_resources(gt_resources *out, const gt_launcher *launcher,
                                    CUfunction function)
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
        GT_CUDA(launcher->driver, FuncGetAttribute, &value, figures[i].which, function);
        *figures[i].to = (uint32_t)value > *figures[i].to ? (uint32_t)value : *figures[i].to;
    }
    return GPUTUNE_OK;
}

static gputune_status read_resources(gt_launcher *launcher, gt_resources *out)
{
    for (uint32_t i = 0; i < launcher->launch->step_count; i++) {
        GT_TRY(add_resources(out, launcher, launcher->base.functions[i]));
    }
    return GPUTUNE_OK;
}

static double resident_share(const gt_launcher *launcher, const gt_kernel_step *kernel,
                             int clusters, int blocks)
{
    const gt_device *device = &launcher->device;
    uint32_t cluster = gt_volume(kernel->cluster);
    double warp = device->warp_size > 0 ? device->warp_size : 32;
    double warps = (double)(uint32_t)((gt_volume(kernel->block) + warp - 1) / warp);
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
    const gt_kernel_step *first = &launcher->launch->steps[0];
    gt_context_visit visit;
    GT_TRY(gt_context_enter(&visit, launcher->driver, &launcher->context));
    gputune_status status = read_resources(launcher, &resources);
    GT_THEN(status, count_resident(launcher, 0, &clusters, &blocks));
    gt_context_leave(&visit, launcher->driver);
    GT_TRY(status);
    *out = resources;
    *occupancy = resident_share(launcher, first, clusters, blocks);
    return GPUTUNE_OK;
}
