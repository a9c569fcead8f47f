/* Finds out whether a launch takes another time on inout buffers that a launch before it has used:
 * a kernel that stops where its work is done (a sort, a search by levels) does. The launches of a
 * sample then must not share buffers. */
#include "base/objective.h"
#include "farm/measure_parts.h"
#include "stats/summary.h"

#include <math.h>

enum { SINGLES_MAX = 16 };

/* Times of single launches, each on what the restored buffers hold. */
typedef struct singles {
    double times[SINGLES_MAX];
    uint32_t count;
} singles;

/* How many count, besides the first: short ones are noisy, and of eight and twice eight that are
 * alike all eight are the lowest or highest once in 400,000 times. */
static uint32_t singles_wanted(double launch_ns, bool is_emulated)
{
    return is_emulated ? 1 : launch_ns < 1e5 ? 8 : launch_ns < 2e7 ? 4 : 0;
}

/* The first does not count, because code, clocks and caches may not be as they will be; unless it
 * is so long that nothing of that matters. */
static gputune_status time_singles(singles *out, gt_measure *measure, gt_loaded *variant)
{
    double one;
    GT_TRY(gt_sample_single(&one, measure, variant));
    uint32_t count = singles_wanted(one, measure->device.emulated);
    if (count == 0 && out->count < SINGLES_MAX) {
        out->times[out->count++] = one;
    }
    for (uint32_t i = 0; i < count && out->count < SINGLES_MAX; ++i) {
        GT_TRY(gt_sample_single(&out->times[out->count++], measure, variant));
    }
    return GPUTUNE_OK;
}

/* Copies the inout buffers' untouched contents to `kept` or back. */
static gputune_status copy_pristine(gt_measure *measure, CUdeviceptr kept, bool back)
{
    const gt_workspace *workspace = &measure->workspaces[0];
    for (uint32_t i = 0; i < workspace->workload.buffer_count; ++i) {
        const gt_buffer *buffer = &workspace->workload.buffers[i];
        CUdeviceptr pristine = workspace->slots[i].pristine;
        if (buffer->direction == GT_INOUT) {
            GT_CALL(measure, MemcpyDtoDAsync, back ? pristine : kept, back ? kept : pristine,
                    buffer->bytes, measure->stream);
            kept += buffer->bytes;
        }
    }
    measure->ahead = NULL;
    return GPUTUNE_OK;
}

/* What a launch leaves becomes what buffers are restored to. */
static gputune_status use(gt_measure *measure, gt_loaded *variant)
{
    const gt_workspace *workspace = &measure->workspaces[0];
    GT_TRY(gt_service_reset(measure, &measure->restore, false));
    GT_TRY(gt_launcher_prepare(variant->launchers[0]));
    GT_TRY(gt_loaded_launch(measure, variant, 0));
    for (uint32_t i = 0; i < workspace->workload.buffer_count; ++i) {
        const gt_slot *slot = &workspace->slots[i];
        if (workspace->workload.buffers[i].direction == GT_INOUT) {
            GT_CALL(measure, MemcpyDtoDAsync, slot->pristine, slot->address,
                    workspace->workload.buffers[i].bytes, measure->stream);
        }
    }
    measure->ahead = NULL;
    return GPUTUNE_OK;
}

/* Fresh, used, fresh: a clock that rises or falls meanwhile tells no difference. */
static gputune_status compare(singles *fresh, singles *used, gt_measure *measure,
                              gt_loaded *variant, CUdeviceptr kept)
{
    GT_TRY(time_singles(fresh, measure, variant));
    GT_TRY(copy_pristine(measure, kept, false));
    gputune_status status = use(measure, variant);
    status = status == GPUTUNE_OK ? time_singles(used, measure, variant) : status;
    if (measure->lost) {
        return status;
    }
    GT_TRY(copy_pristine(measure, kept, true));
    return status == GPUTUNE_OK ? time_singles(fresh, measure, variant) : status;
}

/* Sorts. Clear: apart by more than 5%, by more than events tell, and no two of them overlap. */
static bool is_clear(singles *fresh, singles *used)
{
    static const double least_share = 0.05, least_ns = 500;
    gt_sort(fresh->times, fresh->count);
    gt_sort(used->times, used->count);
    double a = gt_median_sorted(fresh->times, fresh->count);
    double b = gt_median_sorted(used->times, used->count);
    bool apart = used->times[used->count - 1] < fresh->times[0] ||
                 used->times[0] > fresh->times[fresh->count - 1];
    return apart && fabs(a - b) > least_ns && fabs(a - b) > least_share * fmax(a, b);
}

static uint64_t inout_bytes(const gt_workload *workload)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < workload->buffer_count; ++i) {
        bytes += workload->buffers[i].direction == GT_INOUT ? workload->buffers[i].bytes : 0;
    }
    return bytes;
}

/* Whether any launch of a sample can find what another one left. */
static bool are_shared(const gt_measure *measure, gputune_objective objective)
{
    bool one_launch = measure->device.emulated && measure->setup.cache == GPUTUNE_CACHE_COLD &&
                      objective != GPUTUNE_OBJECTIVE_LAUNCH;
    return measure->restore.tasks.count > 0 && !one_launch &&
           !gt_objective_facts(objective)->by_energy;
}

gputune_status gt_used_judge(gt_sharing *out, double *ratio, gt_measure *measure,
                             gt_loaded *variant, gputune_objective objective)
{
    singles fresh = {.count = 0}, used = {.count = 0};
    CUdeviceptr kept = 0;
    double launch_ns = variant->launch_ns;
    *out = GT_SHARING_HARMLESS;
    *ratio = 1;
    if (!are_shared(measure, objective) ||
        measure->driver->MemAlloc(&kept, inout_bytes(&measure->workspaces[0].workload)) !=
            CUDA_SUCCESS) {
        return GPUTUNE_OK;
    }
    measure->alone = true;
    gputune_status status = compare(&fresh, &used, measure, variant, kept);
    measure->alone = false;
    variant->launch_ns = launch_ns;
    if (!measure->lost) {
        (void)measure->driver->MemFree(kept); /* waits for the copies */
    }
    GT_TRY(status);
    if (is_clear(&fresh, &used)) {
        *out = GT_SHARING_FELT;
        *ratio =
            gt_median_sorted(used.times, used.count) / gt_median_sorted(fresh.times, fresh.count);
    }
    return GPUTUNE_OK;
}
