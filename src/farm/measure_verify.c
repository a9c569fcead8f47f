/* Proves variants: checks that a variant computes the expected results and changes no other memory.
 * Also runs variants under the emulator's sanitizer.
 *
 * The expected results are those of the template's reference. If there is no reference, they are
 * the results of the default variant, which is proved first.
 *
 * A proof has the following steps (prove_variant()). The host queues all launches and checks before
 * it waits for any of them.
 *
 * 1. Fill scratch and shared memory with poison, and reset the buffers.
 * 2. Launch at the odd-tail size and then at the requested size. The second launch is the pilot.
 * 3. If the pilot is too slow to win, check only the guard zones, and end without a proof.
 * 4. Check the results at the odd-tail size. Reset the buffers with different poison, and launch
 *    there again. If the kernel has in_place(), each pair is now one buffer.
 * 5. Check outputs, inputs and guard zones at both sizes.
 * 6. Launch with further data, and check the results (measure_data_proof.c).
 *
 * After the race, the winner is proved again (prove_again()). It is launched twice at the requested
 * size with read-only inputs. In the first launch, scratch memory is as the race has left it. Then
 * the winner is launched with further data.
 *
 * Invariants:
 * - The first launch that is checked is the first launch of the variant, so state that an earlier
 *   launch left behind cannot hide an error.
 * - Memory that a launch may read although nothing was written to it contains poison, and never
 *   results of another variant.
 * - A variant that fails may have changed any memory, which is then restored before
 *   the next proof. After a crash the host starts a new worker. */
#include "farm/measure_verify.h"

#include "base/hash.h"
#include "base/number.h"
#include "base/text.h"
#include "farm/measure_contents.h"
#include "farm/measure_data_proof.h"
#include "farm/measure_memory.h"
#include "farm/measure_report.h"
#include "farm/measure_sample.h"
#include "farm/measure_service.h"
#include "gpu/image.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const void *const *arguments_of(const gt_measure *measure, uint32_t workspace)
{
    return workspace == 0 && measure->guarded ? measure->guard.arguments
                                              : measure->workspaces[workspace].arguments;
}

gputune_status gt_loaded_launch(gt_measure *measure, gt_loaded *variant, uint32_t workspace)
{
    return gt_measure_launch(measure, variant->launchers[workspace],
                             arguments_of(measure, workspace));
}

/* Fills scratch memory and its guard zones with `byte`. Memory with GT_SCRATCH_ZERO gets zeros. */
static gputune_status scratch_poison(gt_measure *measure, gt_loaded *variant, uint32_t workspace,
                                     uint8_t byte)
{
    const gt_launch *launch = &variant->launches[workspace];
    uint32_t guard = measure->device.emulated ? 0 : GT_GUARD_FRONT;
    variant->poison[workspace] = byte;
    for (uint32_t i = 0; i < launch->parameter_count; ++i) {
        CUdeviceptr at;
        uint64_t bytes = launch->parameters[i].scratch_bytes;
        GT_TRY(gt_launcher_scratch(&at, variant->launchers[workspace], measure->stream, i));
        if (at && bytes) {
            GT_CALL(measure, MemsetD8Async, at - guard, byte, bytes + 2 * (uint64_t)guard,
                    measure->stream);
        }
        if (at && bytes && launch->parameters[i].scratch & GT_SCRATCH_ZERO) {
            GT_CALL(measure, MemsetD8Async, at, 0, bytes, measure->stream);
        }
    }
    return GPUTUNE_OK;
}

/* Returns EWRONG if the variant has written outside of its scratch memory. */
static gputune_status scratch_look(gt_measure *measure, gt_loaded *variant)
{
    for (uint32_t s = 0; s < measure->setup.workload_count && !measure->device.emulated; ++s) {
        const gt_launch *launch = &variant->launches[s];
        for (uint32_t i = 0; i < launch->parameter_count; ++i) {
            CUdeviceptr at;
            uint8_t seen[2][GT_GUARD_FRONT];
            uint64_t bytes = launch->parameters[i].scratch_bytes;
            GT_TRY(gt_launcher_scratch(&at, variant->launchers[s], measure->stream, i));
            if (!at || !bytes) {
                continue;
            }
            GT_CALL(measure, MemcpyDtoHAsync, seen[0], at - GT_GUARD_FRONT, sizeof seen[0],
                    measure->stream);
            GT_CALL(measure, MemcpyDtoHAsync, seen[1], at + bytes, sizeof seen[1], measure->stream);
            GT_TRY(gt_measure_wait(measure));
            for (size_t k = 0; k < sizeof seen; ++k) {
                const size_t side = k / sizeof seen[0];
                GT_REFUSE(seen[side][k % sizeof seen[0]] != variant->poison[s], GPUTUNE_EWRONG,
                          "bytes %s scratch memory were overwritten",
                          side == 0 ? "before" : "after");
            }
        }
    }
    return GPUTUNE_OK;
}

enum { VARIABLES_MAX = 32, BYTES_MAX = 1 << 16 };

struct gt_variables {
    const gt_launch *launch; /* has the symbols of pass blocks, which are not in `names` */
    uint32_t count;
    char names[VARIABLES_MAX][GT_NAME_MAX];
    uint64_t hashes[VARIABLES_MAX];
};

static void add_change(void *user, const char *name, size_t length)
{
    gt_variables *all = user;
    bool fits = all->count < VARIABLES_MAX && length > 0 && length < GT_NAME_MAX;
    for (uint32_t i = 0; i < all->launch->block_count; i++) {
        const char *symbol = all->launch->blocks[i].symbol;
        fits &= strlen(symbol) != length || memcmp(symbol, name, length) != 0;
    }
    if (fits) {
        memcpy(all->names[all->count], name, length);
        all->names[all->count++][length] = '\0';
    }
}

/* Sets *changed to a module variable that has changed since the last call, or to NULL. Only the
 * beginning of each variable is compared. */
static gputune_status variables_note(const char **changed, gt_measure *measure, gt_loaded *variant)
{
    gt_variables *all = variant->variables;
    GT_FREED void *room = all ? malloc(BYTES_MAX) : NULL;
    *changed = NULL;
    if (!room) {
        return all ? gt_fail_memory() : GPUTUNE_OK;
    }
    for (uint32_t i = 0; i < all->count; ++i) {
        CUdeviceptr address;
        size_t bytes; /* size of the variable; 0: there is none */
        uint64_t before = all->hashes[i];
        GT_TRY(gt_launcher_variable(&address, &bytes, variant->launchers[0], all->names[i]));
        bytes = bytes < BYTES_MAX ? bytes : BYTES_MAX;
        if (bytes > 0) {
            GT_CALL(measure, MemcpyDtoHAsync, room, address, bytes, measure->stream);
            GT_TRY(gt_measure_wait(measure));
            all->hashes[i] = gt_hash64(room, bytes);
        }
        *changed = !*changed && all->hashes[i] != before ? all->names[i] : *changed;
    }
    return GPUTUNE_OK;
}

uint32_t gt_argument_place(const gt_workload *workload, uint32_t buffer)
{
    uint32_t place = 0;
    while (!workload->arguments[place].is_buffer || workload->arguments[place].index != buffer) {
        place++;
    }
    return workload->block_count + place;
}

/* Launches a variant with one buffer for each pair of in_place(): copies the input to the output,
 * and passes the output as both. */
static gputune_status loaded_launch_in_place(gt_measure *measure, gt_loaded *variant,
                                             uint32_t workspace)
{
    const gt_workspace *on = &measure->workspaces[workspace];
    const void *arguments[GT_BLOCK_MAX + GT_PARAMETER_MAX];
    memcpy(arguments, arguments_of(measure, workspace), on->argument_count * sizeof *arguments);
    for (const gt_buffer_slot *output = on->slots; output < on->slots_end; ++output) {
        if (output->buffer->in_place) {
            const gt_buffer_slot *input = &on->slots[output->buffer->in_place - 1];
            GT_CALL(measure, MemcpyDtoDAsync, output->address, input->address, input->buffer->bytes,
                    measure->stream);
            arguments[gt_argument_place(&on->workload, input->index)] =
                arguments[gt_argument_place(&on->workload, output->index)];
        }
    }
    return gt_measure_launch(measure, variant->launchers[workspace], arguments);
}

static unsigned check_flags(bool is_set, bool races)
{
    return (is_set ? EMU_CHECK_SET : 0) | (races ? EMU_CHECK_RACES : 0);
}

/* Describes the buffers to the sanitizer: their names, and whether their contents are defined. */
static gputune_status note_memory(gt_measure *measure, const gt_loaded *variant, uint32_t index)
{
    const gt_workspace *workspace = &measure->workspaces[index];
    const gt_launch *launch = &variant->launches[index];
    for (const gt_buffer_slot *slot = workspace->slots; slot < workspace->slots_end; ++slot) {
        GT_CALL(measure, EmuCheckMemory, slot->address, slot->buffer->bytes, slot->buffer->name,
                gt_buffer_element_bytes(slot->buffer),
                check_flags(slot->buffer->direction != GT_OUT, slot->buffer->races));
    }
    for (uint32_t i = 0; i < launch->parameter_count; ++i) {
        CUdeviceptr scratch;
        GT_TRY(gt_launcher_scratch(&scratch, variant->launchers[index], measure->stream, i));
        if (scratch) {
            GT_CALL(measure, EmuCheckMemory, scratch, launch->parameters[i].scratch_bytes,
                    "scratch bytes", 1,
                    check_flags(launch->parameters[i].scratch & GT_SCRATCH_ZERO,
                                launch->parameters[i].scratch & GT_SCRATCH_RACES));
        }
    }
    return GPUTUNE_OK;
}

static gputune_status check_launch(gt_text *text, gt_measure *measure, gt_loaded *variant,
                                   uint32_t index, bool in_place)
{
    GT_TRY(gt_service_reset(measure, &measure->launch, false));
    GT_TRY(scratch_poison(measure, variant, index, GT_POISON_FIRST));
    GT_TRY(gt_measure_wait(measure));
    GT_TRY(gt_measure_check(measure, measure->driver->EmuCheckBegin(), "emuCheckBegin"));
    gputune_status status = note_memory(measure, variant, index);
    GT_THEN(status, in_place ? loaded_launch_in_place(measure, variant, index)
                             : gt_loaded_launch(measure, variant, index));
    GT_THEN(status, gt_measure_wait(measure));
    gt_text_printf(text, "size\t%u\n%s", index, measure->driver->EmuCheckEnd());
    return status;
}

bool gt_has_in_place(const gt_workload *workload)
{
    bool any = false;
    for (uint32_t i = 0; i < workload->buffer_count; ++i) {
        any |= workload->buffers[i].in_place != 0;
    }
    return any;
}

/* Runs a variant under the sanitizer. EUNSUPPORTED on a GPU. */
static gputune_status loaded_check(gt_verified *out, gt_measure *measure, gt_loaded *variant)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    GT_REFUSE(!measure->driver->EmuCheckBegin, GPUTUNE_EUNSUPPORTED,
              "kernels can be checked only on the emulator");
    measure->damaged = true;
    for (uint32_t i = 0; i < measure->setup.workload_count; ++i) {
        GT_TRY(check_launch(&text, measure, variant, i, false));
        if (gt_has_in_place(&measure->workspaces[i].workload)) {
            GT_TRY(check_launch(&text, measure, variant, i, true));
        }
    }
    out->proved = true;
    out->pilot_ns = 1;
    return gt_strdup(&out->findings, gt_text_string(&text));
}

static gt_loaded **place_of_variant(gt_measure *measure, uint64_t id)
{
    gt_loaded **place = &measure->variants;
    while (*place && (*place)->id != id) {
        place = &(*place)->next;
    }
    return place;
}

gt_loaded *gt_loaded_find(gt_measure *measure, uint64_t id)
{
    return *place_of_variant(measure, id);
}

static void free_variant(gt_measure *measure, gt_loaded *variant)
{
    gt_replay_free(&variant->full, measure);
    gt_replay_free(&variant->brief, measure);
    gt_replay_free(&variant->quick, measure);
    gt_replay_free(&variant->single, measure);
    for (int i = 0; i < GT_WORKLOAD_MAX; ++i) {
        gt_launcher_free(variant->launchers[i]);
    }
    free(variant->variables);
    free(variant);
}

static void free_list(gt_measure *measure, gt_loaded *list)
{
    for (gt_loaded *next; list; list = next) {
        next = list->next;
        free_variant(measure, list);
    }
}

void gt_loaded_free_all(gt_measure *measure)
{
    free_list(measure, measure->variants);
    free_list(measure, measure->dropped);
    measure->variants = measure->dropped = NULL;
    measure->dropped_count = 0;
}

/* Unloads a variant. A small variant stays loaded until the setup changes, because unloading waits
 * for the device and takes as long as a sample. If device memory is limited, a variant stays loaded
 * only if it owns no device memory. */
static void unload_variant(gt_measure *measure, gt_loaded *variant)
{
    enum { KEPT = 256, KEPT_BYTES = 1 << 20 };
    const uint64_t most = measure->budget.limit_bytes ? 0 : KEPT_BYTES - 1;
    if (measure->dropped_count >= KEPT || variant->owned_bytes > most) {
        free_variant(measure, variant);
        return;
    }
    variant->next = measure->dropped;
    measure->dropped = variant;
    measure->dropped_count++;
}

void gt_measure_drop(gt_measure *measure, uint64_t id)
{
    gt_loaded **place = place_of_variant(measure, id), *variant = *place;
    if (variant) {
        *place = variant->next;
        unload_variant(measure, variant);
    }
}

/* ---- Proofs ---------------------------------------------------------------------------------- */

/* Fills scratch memory with poison or, at the requested size if there is an odd-tail size, with
 * zeros. A variant that reads scratch memory before it writes there may be correct with one of the
 * two, but not with both. */
static gputune_status poison_scratch(gt_measure *measure, gt_loaded *variant)
{
    uint32_t count = measure->setup.workload_count;
    for (uint32_t s = 0; s < count; ++s) {
        uint8_t poison = s + 1 < count ? GT_POISON_ZERO : GT_POISON_FIRST;
        GT_TRY(scratch_poison(measure, variant, s, poison));
    }
    return GPUTUNE_OK;
}

/* Launches on the timed workspace between two events, after a sweep if the cache must be cold. */
static gputune_status launch_pilot(gt_measure *measure, gt_loaded *variant)
{
    enum { HOST_AHEAD_NS = 10000 }; /* time that the host needs to queue the launch */
    if (measure->sweep) {
        GT_TRY(gt_service_sweep(measure));
    } else {
        GT_TRY(gt_service_delay(measure, HOST_AHEAD_NS));
    }
    GT_CALL(measure, EventRecord, measure->start, measure->stream);
    GT_TRY(gt_loaded_launch(measure, variant, 0));
    GT_CALL(measure, EventRecord, measure->stop, measure->stream);
    return GPUTUNE_OK;
}

/* Queues the variant's first launch on each workspace, the last workspace first: its results are
 * checked first, and those must be of the variant's very first launch. Poisons shared memory only
 * once, because poisoning just before the pilot (the last launch) might change its time. */
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
                                   uint32_t workspace_count)
{
    const uint32_t last = workspace_count - 1;
    GT_TRY(gt_check_queue(measure, &measure->workspaces[last].first, last, workspace_count,
                          measure->first));
    GT_TRY(gt_service_reset(measure, reset, last == 0));
    GT_TRY(gt_service_poison_shared(measure, GT_POISON_MIXED + 1));
    GT_TRY(loaded_launch_in_place(measure, variant, last));
    return gt_check_queue(measure, &measure->check, 0, workspace_count, measure->findings);
}

typedef enum extent {
    EDGES, /* check only guard zones and inputs, which a launch must not change */
    PROOF, /* EDGES and results */
    AGAIN  /* the checks of a winner's second proof */
} extent;

/* Waits for a proof and judges it. Before the race, first queues the reset for the next variant. */
static gputune_status conclude_proof(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                                     extent extent)
{
    GT_TRY(gt_service_look_for_stray(measure));
    GT_CALL(measure, EventRecord, measure->checked, measure->stream);
    if (extent != AGAIN) {
        GT_TRY(gt_service_reset_ahead(measure, &measure->launch));
    }
    GT_CALL(measure, EventSynchronize, measure->checked);
    gputune_status status =
        extent == EDGES ? gt_report_edges(measure, &measure->edges, false, measure->findings)
                        : gt_report_findings(out, measure, extent == AGAIN);
    gputune_status stray = gt_service_judge_stray(measure);
    status = status < 0 ? status : stray;
    GT_THEN(status, scratch_look(measure, variant));
    GT_TRY(status);
    if (!(out->pilot_ns > 0)) {
        GT_TRY(gt_measure_elapsed(&out->pilot_ns, measure));
    }
    out->proved = extent != EDGES;
    variant->launch_ns = out->pilot_ns;
    return gt_launcher_occupancy(&out->occupancy, variant->launchers[0]);
}

/* Sets *out to true if the variant is too slow to win. If it is only slightly too slow, launches
 * again, because other work may have delayed the launch. */
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

/* Proves a variant. On the last workspace, it is launched twice, to find out whether a launch
 * depends on an earlier one. On the timed workspace, it is launched only once, because most
 * variants will not win. */
static gputune_status prove_variant(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                                    const gt_verify_job *job)
{
    bool slower;
    uint32_t workspace_count = measure->setup.workload_count;
    GT_TRY(poison_scratch(measure, variant));
    if (!measure->has_expected) {
        GT_TRY(gt_contents_adopt(measure, variant));
        GT_TRY(poison_scratch(measure, variant));
    }
    GT_TRY(gt_service_reset(measure, &measure->launch, false));
    GT_TRY(launch_first(measure, variant, workspace_count));
    GT_TRY(is_slower(&slower, out, measure, variant, job));
    if (slower) {
        GT_TRY(gt_service_check(measure, &measure->edges, false, measure->findings));
        return conclude_proof(out, measure, variant, EDGES);
    }
    GT_TRY(launch_again(measure, variant, &measure->relaunch, workspace_count));
    const uint64_t checked = measure->sequence;
    gputune_status status = gt_data_proof_queue(measure, variant, job);
    GT_THEN(status, conclude_proof(out, measure, variant, PROOF));
    if (status == GPUTUNE_ECRASHED && measure->findings->sequence == checked) {
        /* the other launches were checked, so the launch with further data has crashed */
        status = gt_data_proof_name(status, measure);
    }
    GT_TRY(status);
    return gt_data_proof_judge(out, measure, variant, job);
}

/* Proves a winner again with two launches. The first uses scratch memory as the race left it.
 * Before the second, scratch memory is filled with poison. Inputs are read-only if possible, so a
 * variant that writes to one crashes. A comparison would not notice an input that is restored
 * later. */
static gputune_status prove_again(gt_verified *out, gt_measure *measure, gt_loaded *variant)
{
    gputune_status status = gt_guard_inputs(measure);
    measure->guarded = status == GPUTUNE_OK;
    GT_THEN(status, gt_service_reset(measure, &measure->reset, true));
    GT_THEN(status, launch_first(measure, variant, 1));
    GT_THEN(status, scratch_poison(measure, variant, 0, GT_POISON_NEGATIVE));
    GT_THEN(status, launch_again(measure, variant, &measure->again, 1));
    GT_THEN(status, conclude_proof(out, measure, variant, AGAIN));
    measure->guarded = false;
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

static gputune_status load_variant(gt_measure *measure, gt_loaded *variant,
                                   const gt_verify_job *job)
{
    variant->owned_bytes =
        gt_plan_variant_bytes(&job->launches[0]) + gt_plan_variant_bytes(&job->launches[1]);
    memcpy(variant->launches, job->launches, sizeof job->launches);
    GT_FREED gt_variables *all = calloc(1, sizeof *all);
    GT_TRY(gt_allocated(all));
    all->launch = &variant->launches[0];
    gt_image_each_variable(&job->image, add_change, all);
    variant->variables = all->count ? gt_take(&all) : NULL;
    const gt_launch *const launches[] = {&variant->launches[0], &variant->launches[1]};
    GT_TRY(gt_measure_load(variant->launchers, measure, &job->image, launches));
    for (uint32_t s = 0; s < measure->setup.workload_count && !measure->device.emulated; ++s) {
        gt_launcher_guard(variant->launchers[s], GT_GUARD_FRONT);
    }
    variant->kernels = gt_launch_kernels(&variant->launches[0]);
    return GPUTUNE_OK;
}

/* Records a failure of a variant. Its kernels may still be running and writing to any memory. */
static gputune_status note_failure(gt_measure *measure, gputune_status status)
{
    measure->lost |= status == GPUTUNE_ECRASHED;
    if (!measure->lost) {
        measure->lost = gt_cuda_fatal(measure->driver->StreamSynchronize(measure->stream));
    }
    if (!measure->lost) {
        status = gt_contents_doubt(measure, gt_data_proof_doubt(measure, status));
        measure->lost |= status == GPUTUNE_ECRASHED;
    }
    return status;
}

gputune_status gt_measure_verify(gt_measure *measure, const gt_verify_job *job, gt_verified *out)
{
    gt_verified verified = {0};
    GT_TRY(gt_measure_usable(measure));
    GT_TRY(gt_contents_refresh(measure));
    gt_measure_drop(measure, job->id);
    gt_loaded *variant = calloc(1, sizeof *variant);
    GT_TRY(gt_allocated(variant));
    variant->id = job->id;
    gputune_status status = load_variant(measure, variant, job);
    bool adopting = !measure->has_expected, loaded = status == GPUTUNE_OK;
    GT_THEN(status, measure->setup.check ? loaded_check(&verified, measure, variant)
                                         : prove_variant(&verified, measure, variant, job));
    measure->lost |= status == GPUTUNE_ECRASHED;
    if (status < 0) {
        status = loaded ? note_failure(measure, status) : status;
        measure->has_expected &= !adopting;
        measure->has_tolerances &= !adopting;
        free_variant(measure, variant);
        return status;
    }
    *out = verified;
    if (!verified.proved) {
        unload_variant(measure, variant);
        return GPUTUNE_OK;
    }
    variant->next = measure->variants;
    measure->variants = variant;
    /* the emulator's times are exact, so the pilot is a sample if it was cold and copied nothing */
    if (measure->device.emulated && measure->sweep && !gt_launch_copies(&job->launches[0])) {
        variant->modelled[GPUTUNE_OBJECTIVE_KERNEL] = variant->launch_ns;
    }
    return GPUTUNE_OK;
}

gputune_status gt_measure_recheck(gt_measure *measure, const gt_recheck_job *job, gt_verified *out)
{
    gt_verified verified = {0};
    const char *changed = NULL;
    GT_TRY(gt_measure_usable(measure));
    gt_loaded *variant = gt_loaded_find(measure, job->id);
    GT_REFUSE(!variant, GPUTUNE_EINVAL, "variant %llu is not loaded", (unsigned long long)job->id);
    if (measure->workspaces[0].workload.has_reference && job->seed != measure->setup.seed) {
        /* the setup's seed is another, so all buffers must be refilled after this proof */
        measure->damaged = true;
        GT_TRY(gt_contents_make(measure, job->seed, true));
    } else {
        GT_TRY(gt_contents_refresh(measure));
    }
    GT_TRY(variables_note(&changed, measure, variant));
    gputune_status status = prove_again(&verified, measure, variant);
    GT_THEN(status, variables_note(&changed, measure, variant));
    gt_snprintf(verified.writes, sizeof verified.writes, "%s", changed ? changed : "");
    GT_THEN(status, gt_data_proof_winner(&verified, measure, variant, job->share));
    if (status < 0) {
        return note_failure(measure, status);
    }
    *out = verified;
    return GPUTUNE_OK;
}
