/* Proving variants right before they are timed, and the winner once more behind its last sample. */
#include "farm/measure_parts.h"

#include "base/number.h"
#include <math.h>

#include <stdlib.h>
#include <string.h>

gt_loaded *gt_loaded_find(gt_measure *measure, uint64_t id)
{
    for (size_t i = 0; i < measure->variants.count; ++i) {
        if (measure->variants.items[i].id == id) {
            return &measure->variants.items[i];
        }
    }
    return NULL;
}

static void free_variant(gt_measure *measure, gt_loaded *variant)
{
    gt_replay_free(&variant->full, measure);
    gt_replay_free(&variant->brief, measure);
    gt_replay_free(&variant->quick, measure);
    gt_replay_free(&variant->single, measure);
    for (int i = GT_WORKLOAD_MAX - 1; i >= 0; --i) { /* the first owns the code */
        gt_launcher_free(variant->launchers[i]);
    }
    free(variant->launches);
    free(variant->variables);
    memset(variant, 0, sizeof *variant);
}

void gt_loaded_free_all(gt_measure *measure)
{
    for (size_t i = 0; i < measure->variants.count; ++i) {
        free_variant(measure, &measure->variants.items[i]);
    }
    for (size_t i = 0; i < measure->dropped.count; ++i) {
        free_variant(measure, &measure->dropped.items[i]);
    }
    measure->variants.count = measure->dropped.count = 0;
}

/* Unloading waits for the device and takes as long as a sample, so that small ones are kept until
 * the race is over. */
static bool is_kept(const gt_measure *measure, const gt_loaded *variant)
{
    enum { KEPT = 256, KEPT_BYTES = 1 << 20 };
    return measure->dropped.count < KEPT && variant->owned_bytes < KEPT_BYTES;
}

static void unload(gt_measure *measure, gt_loaded *variant)
{
    if (!is_kept(measure, variant) || gt_array_push(&measure->dropped, *variant) < 0) {
        free_variant(measure, variant);
    }
}

void gt_measure_drop(gt_measure *measure, uint64_t id)
{
    gt_loaded *variant = gt_loaded_find(measure, id);
    if (variant) {
        unload(measure, variant);
        *variant = measure->variants.items[--measure->variants.count];
    }
}

/* ---- One proof ------------------------------------------------------------------------------- */

const void *const *gt_launch_arguments(const gt_measure *measure, uint32_t workspace)
{
    return workspace == 0 && measure->guarded ? measure->guard.arguments
                                              : measure->workspaces[workspace].arguments;
}

gputune_status gt_loaded_launch_with(gt_measure *measure, gt_loaded *variant, uint32_t workspace,
                                     const void *const *arguments)
{
    gputune_status status =
        gt_launcher_launch(variant->launchers[workspace], measure->stream, arguments);
    measure->lost |= status == GPUTUNE_ECRASHED;
    return status;
}

gputune_status gt_loaded_launch(gt_measure *measure, gt_loaded *variant, uint32_t workspace)
{
    return gt_loaded_launch_with(measure, variant, workspace,
                                 gt_launch_arguments(measure, workspace));
}

/* Poisons the scratch memory, which the variant may read before it writes it: that of the timed
 * workload with zeros if there is another, so that the variant meets both. */
static gputune_status poison_scratch(gt_measure *measure, gt_loaded *variant)
{
    uint32_t count = measure->setup.workload_count;
    for (uint32_t s = 0; s < count; ++s) {
        uint8_t poison = s + 1 < count ? GT_POISON_ZERO : GT_POISON_FIRST;
        GT_TRY(gt_launcher_poison(variant->launchers[s], measure->stream, poison));
    }
    return GPUTUNE_OK;
}

/* Launches on the timed workspace between two events, with the cache as before a sample. */
static gputune_status launch_pilot(gt_measure *measure, gt_loaded *variant)
{
    enum { HOST_AHEAD_NS = 10000 }; /* the host queues the launch meanwhile */
    GT_TRY(measure->sweep ? gt_service_sweep(measure) : gt_service_delay(measure, HOST_AHEAD_NS));
    GT_CALL(measure, EventRecord, measure->start, measure->stream);
    GT_TRY(gt_loaded_launch(measure, variant, 0));
    GT_CALL(measure, EventRecord, measure->stop, measure->stream);
    return GPUTUNE_OK;
}

/* Launches on the last workspace first, because its results are checked and nothing may have run
 * before it. If there are two, shared memory is not poisoned again before the pilot: changing the
 * setup of a multiprocessor might cost the pilot time. */
static gputune_status launch_first(gt_measure *measure, gt_loaded *variant,
                                   uint32_t workspace_count)
{
    GT_TRY(gt_service_poison_shared(measure, GT_POISON_MIXED));
    for (uint32_t s = workspace_count - 1; s > 0; --s) {
        GT_TRY(gt_loaded_launch(measure, variant, s));
    }
    return launch_pilot(measure, variant);
}

static gputune_status launch_again(gt_measure *measure, gt_loaded *variant, const gt_tasks *reset,
                                   uint32_t workspace)
{
    GT_TRY(gt_service_reset(measure, reset, workspace == 0));
    GT_TRY(gt_service_poison_shared(measure, GT_POISON_MIXED + 1));
    return gt_loaded_launch_in_place(measure, variant, workspace);
}

static gputune_status check_first(gt_measure *measure, gt_workspace *workspace)
{
    if (workspace->check) {
        GT_TRY(gt_check_launch(measure, workspace));
    }
    return gt_service_check(measure, &workspace->first, false, measure->first);
}

static gputune_status check_all(gt_measure *measure, uint32_t workspace_count)
{
    for (uint32_t s = 0; s < workspace_count; ++s) {
        if (measure->workspaces[s].check) {
            GT_TRY(gt_check_launch(measure, &measure->workspaces[s]));
        }
    }
    return gt_service_check(measure, &measure->check, workspace_count == 1, measure->findings);
}

/* What was checked after the launches. */
typedef enum extent {
    EDGES, /* only what they must not touch */
    PROOF, /* that, and their results */
    AGAIN  /* the same after the race */
} extent;

/* Waits for the findings and judges them. Before the race other variants follow, so that the reset
 * for the next one is queued meanwhile. */
static gputune_status conclude(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                               extent extent)
{
    gt_damage damage = GT_DAMAGE_NONE;
    GT_TRY(gt_service_look_for_stray(measure));
    GT_CALL(measure, EventRecord, measure->checked, measure->stream);
    if (extent != AGAIN) {
        GT_TRY(gt_service_reset_ahead(measure, &measure->launch));
    }
    GT_CALL(measure, EventSynchronize, measure->checked);
    gputune_status status = extent == EDGES
                                ? gt_report_edges(&damage, measure)
                                : gt_report_findings(out, &damage, measure, extent == AGAIN);
    gputune_status stray = gt_service_judge_stray(measure);
    damage = stray < 0 ? GT_DAMAGE_EVERYTHING : damage;
    status = status < 0 ? status : stray;
    if (status == GPUTUNE_OK) {
        status = gt_scratch_look(measure, variant);
        damage = status < 0 ? GT_DAMAGE_EVERYTHING : damage;
    }
    measure->damage = damage > measure->damage ? damage : measure->damage;
    GT_TRY(status);
    if (!(out->pilot_ns > 0)) {
        GT_TRY(gt_measure_elapsed(&out->pilot_ns, measure));
    }
    out->proved = extent != EDGES;
    variant->launch_ns = out->pilot_ns;
    return gt_launcher_resources(variant->launchers[0], &out->resources, &out->occupancy);
}

/* Whether the first launch at the requested size took so long that the variant cannot win; luck may
 * have slowed one that is not far off. */
static gputune_status is_slower(bool *out, gt_verified *verified, gt_measure *measure,
                                gt_loaded *variant, const gt_verify_job *job)
{
    static const double far_off = 1.15;
    *out = false;
    if (job->slower_ns <= 0) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_measure_elapsed(&verified->pilot_ns, measure));
    *out = verified->pilot_ns > job->slower_ns;
    if (*out && job->look_twice && verified->pilot_ns < far_off * job->slower_ns) {
        double second_ns;
        GT_TRY(gt_service_reset(measure, &measure->launch, true));
        GT_TRY(launch_pilot(measure, variant));
        GT_TRY(gt_measure_elapsed(&second_ns, measure));
        verified->pilot_ns = fmin(verified->pilot_ns, second_ns);
        *out = verified->pilot_ns > job->slower_ns;
    }
    return GPUTUNE_OK;
}

/* One launch on each workspace, and a second one on the last, which finds what the first has left
 * in scratch memory and in the module. If there are two workspaces, the timed one takes as long to
 * reset, launch and compare as a sample. Its second launch is left to the winner's proof
 * (prove_again), because most variants leave the race before. The only wait is at the end. */
static gputune_status prove(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                            const gt_verify_job *job)
{
    bool slower;
    uint32_t workspace_count = measure->setup.workload_count;
    GT_TRY(poison_scratch(measure, variant));
    if (!measure->has_expected) {
        GT_TRY(gt_expected_adopt(measure, variant));
        GT_TRY(poison_scratch(measure, variant));
    }
    GT_TRY(gt_service_reset(measure, &measure->launch, false));
    GT_TRY(launch_first(measure, variant, workspace_count));
    GT_TRY(is_slower(&slower, out, measure, variant, job));
    if (slower || job->proved) {
        GT_TRY(gt_service_check(measure, &measure->edges, false, measure->findings));
        GT_TRY(conclude(out, measure, variant, EDGES));
        out->proved = !slower;
        return GPUTUNE_OK;
    }
    GT_TRY(check_first(measure, &measure->workspaces[workspace_count - 1]));
    GT_TRY(launch_again(measure, variant,
                        workspace_count > 1 ? &measure->relaunch : &measure->again,
                        workspace_count - 1));
    GT_TRY(check_all(measure, workspace_count));
    GT_TRY(gt_trial_queue(measure, variant));
    GT_TRY(conclude(out, measure, variant, PROOF));
    return gt_trial_judge(out, measure, variant, job->standard);
}

/* The same for a winner on the timed workspace, in the other order: first with the scratch memory
 * that the race has left, then with poisoned scratch memory. The results of both launches are
 * checked. */
static gputune_status prove_twice(gt_verified *out, gt_measure *measure, gt_loaded *variant)
{
    GT_TRY(gt_service_reset(measure, &measure->reset, true));
    GT_TRY(launch_first(measure, variant, 1));
    GT_TRY(check_first(measure, &measure->workspaces[0]));
    GT_TRY(gt_launcher_poison(variant->launchers[0], measure->stream, GT_POISON_NEGATIVE));
    GT_TRY(launch_again(measure, variant, &measure->again, 0));
    GT_TRY(check_all(measure, 1));
    return conclude(out, measure, variant, AGAIN);
}

/* A variant that writes an input and puts it right again within the launch passes every comparison.
 * So the winner's inputs cannot be written: such a write ends the process that measures. */
static gputune_status prove_again(gt_verified *out, gt_measure *measure, gt_loaded *variant)
{
    gputune_status status = gt_guard_inputs(measure);
    if (status == GPUTUNE_OK) {
        measure->guarded = true;
        status = prove_twice(out, measure, variant);
        measure->guarded = false;
    }
    if (status == GPUTUNE_ECRASHED && measure->guard.view_count) {
        status = gt_fail_prefix(status, "launched with inputs that cannot be written");
    }
    CUresult waited = CUDA_SUCCESS;
    if (status < 0 && !measure->lost) {
        waited = measure->driver->StreamSynchronize(measure->stream);
        measure->lost = gt_cuda_fatal(waited);
    }
    if (waited == CUDA_SUCCESS) {
        gt_guard_free(measure);
    }
    return status;
}

static gputune_status usable(const gt_measure *measure)
{
    if (measure->lost) {
        return gt_fail(GPUTUNE_ECRASHED, "this process lost the GPU to an earlier failure");
    }
    return measure->ready ? GPUTUNE_OK : gt_fail(GPUTUNE_EINVAL, "nothing was prepared");
}

/* After a failure nothing of the variant may still be running when it is unloaded. */
static void discard(gt_measure *measure, gt_loaded *variant)
{
    if (!measure->lost) {
        measure->lost = gt_cuda_fatal(measure->driver->StreamSynchronize(measure->stream));
    }
    free_variant(measure, variant);
}

/* Device memory that launches of the variant take, without its code. */
static uint64_t owned_bytes(const gt_launch *launch)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < launch->block_count; ++i) {
        bytes += launch->blocks[i].bytes;
    }
    for (uint32_t i = 0; i < launch->parameter_count && i < GT_PARAMETER_MAX; ++i) {
        bytes += launch->parameters[i].scratch_bytes;
    }
    return bytes;
}

static gputune_status load(gt_measure *measure, gt_loaded *variant, const gt_verify_job *job)
{
    variant->owned_bytes = owned_bytes(&job->launches[0]) + owned_bytes(&job->launches[1]);
    variant->clears = job->launches[0].clear_count > 0;
    variant->launches = malloc(sizeof job->launches);
    GT_TRY(gt_allocated(variant->launches));
    memcpy(variant->launches, job->launches, sizeof job->launches);
    GT_TRY(gt_variables_find(&variant->variables, &job->image));
    GT_TRY(gt_launcher_load(&variant->launchers[0], measure->driver, &measure->device, &job->image,
                            &variant->launches[0]));
    gt_scratch_guard(measure, variant->launchers[0]);
    variant->kernels = gt_launch_kernels(&variant->launches[0]);
    if (measure->setup.workload_count < 2) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_launcher_share(&variant->launchers[1], variant->launchers[0], &variant->launches[1]));
    gt_scratch_guard(measure, variant->launchers[1]);
    return GPUTUNE_OK;
}

/* The pilot launch on an emulated device was as good as a sample, unless it copied a block. */
static void note_model(const gt_measure *measure, gt_loaded *variant, const gt_verify_job *job)
{
    if (measure->device.emulated && measure->sweep && !gt_launch_copies(&job->launches[0])) {
        variant->modelled[GPUTUNE_OBJECTIVE_KERNEL] = variant->launch_ns;
    }
}

gputune_status gt_measure_verify(gt_measure *measure, const gt_verify_job *job, gt_verified *out)
{
    gt_loaded variant = {.id = job->id};
    gt_verified verified = {0};
    GT_TRY(usable(measure));
    GT_TRY(gt_contents_refresh(measure));
    gt_measure_drop(measure, job->id);
    gputune_status status = gt_array_reserve(&measure->variants);
    GT_THEN(status, load(measure, &variant, job));
    bool adopting = !measure->has_expected;
    GT_THEN(status, measure->setup.check ? gt_loaded_check(&verified, measure, &variant)
                                         : prove(&verified, measure, &variant, job));
    if (status == GPUTUNE_OK && verified.proved && job->save_count) {
        status = gt_outputs_save(measure, &variant, job);
    }
    measure->lost |= status == GPUTUNE_ECRASHED;
    if (status < 0) {
        gt_trial_doubt(measure);
        measure->has_expected &= !adopting;
        measure->has_tolerances &= !adopting;
        discard(measure, &variant);
        return status;
    }
    *out = verified;
    if (!verified.proved) {
        unload(measure, &variant);
        return GPUTUNE_OK;
    }
    measure->variants.items[measure->variants.count++] = variant;
    note_model(measure, &measure->variants.items[measure->variants.count - 1], job);
    return GPUTUNE_OK;
}

gputune_status gt_measure_recheck(gt_measure *measure, const gt_recheck_job *job, gt_verified *out)
{
    gt_verified verified = {0};
    const char *changed = NULL;
    GT_TRY(usable(measure));
    gt_loaded *variant = gt_loaded_find(measure, job->id);
    if (!variant) {
        return gt_fail(GPUTUNE_EINVAL, "variant %llu is not loaded", (unsigned long long)job->id);
    }
    if (measure->workspaces[0].workload.has_reference && job->seed != measure->setup.seed) {
        measure->damage = GT_DAMAGE_EVERYTHING; /* until the setup's own contents are back */
        GT_TRY(gt_contents_make(measure, job->seed, true));
    } else {
        GT_TRY(gt_contents_refresh(measure));
    }
    GT_TRY(gt_variables_note(&changed, measure, variant));
    GT_TRY(prove_again(&verified, measure, variant));
    GT_TRY(gt_variables_note(&changed, measure, variant));
    gt_snprintf(verified.writes, sizeof verified.writes, "%s", changed ? changed : "");
    GT_TRY(gt_trial_winner(&verified, measure, variant, job->share));
    *out = verified;
    return GPUTUNE_OK;
}
