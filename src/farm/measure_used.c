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

static gputune_status time_singles(singles *out, gt_measure *measure, gt_loaded *variant,
                                   uint32_t count)
{
    gputune_status status = GPUTUNE_OK;
    for (uint32_t i = 0; i < count && status == GPUTUNE_OK; ++i) {
        status = gt_sample_single(&out->times[out->count++], measure, variant);
    }
    return status;
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

/* How many of each decide. Of eight and eight that are alike, all of the one are below or above all
 * of the other once in 6,000 times, and by so much more rarely still. */
static uint32_t singles_wanted(double launch_ns)
{
    return launch_ns < 2e7 ? 8 : 1;
}

/* As many as are wanted, where one of each does not tell. Long launches are so steady that one of
 * each shows that there is no difference; short ones cost little. */
static bool is_open(singles *fresh, singles *used, const gt_measure *measure)
{
    static const double steady_ns = 1e5;
    return !measure->device.emulated && (fresh->times[0] < steady_ns || is_clear(fresh, used));
}

static gputune_status time_used(singles *fresh, singles *used, gt_measure *measure,
                                gt_loaded *variant)
{
    GT_TRY(use(measure, variant));
    GT_TRY(time_singles(used, measure, variant, 1));
    return is_open(fresh, used, measure)
               ? time_singles(used, measure, variant, singles_wanted(fresh->times[0]) - 1)
               : GPUTUNE_OK;
}

/* Fresh, used, fresh: a clock that rises or falls meanwhile tells no difference. */
static gputune_status compare(singles *fresh, singles *used, gt_measure *measure,
                              gt_loaded *variant, CUdeviceptr kept)
{
    double first; /* does not count: code, clocks and caches may not be as they will be */
    GT_TRY(gt_sample_single(&first, measure, variant));
    GT_TRY(time_singles(fresh, measure, variant, 1));
    GT_TRY(copy_pristine(measure, kept, false));
    gputune_status status = time_used(fresh, used, measure, variant);
    if (measure->lost) {
        return status;
    }
    GT_TRY(copy_pristine(measure, kept, true));
    return status == GPUTUNE_OK ? time_singles(fresh, measure, variant, used->count - 1) : status;
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
