/* Loads and launches the template's reference, check and init kernels, and finds the expected
 * results and the tolerances. */
#include "base/number.h"
#include "farm/measure_parts.h"
#include "gpu/launcher.h"
#include "kernel/bind/tolerance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const gt_launch *launch_of(const gt_workload *workload, gt_judge_kind kind)
{
    const gt_launch *const launches[] = {
        [GT_JUDGE_REFERENCE] = workload->has_reference ? &workload->reference : NULL,
        [GT_JUDGE_CHECK] = workload->has_check ? &workload->check : NULL,
        [GT_JUDGE_INIT] = workload->has_init ? &workload->init : NULL};
    return launches[kind];
}

/* Queues one launch: the reference works on the expected results, the init kernel on pristine
 * copies (not of data that were sent, which are copied later). Behind the caller's arguments are
 * the values that the launch states, and the last of them is `own`, unless that is NULL. */
static gputune_status launch(gt_measure *measure, const gt_workspace *workspace, gt_judge_kind kind,
                             const void *own)
{
    CUdeviceptr buffers[GT_PARAMETER_MAX];
    const void *arguments[GT_PARAMETER_MAX + GT_BLOCK_MAX];
    const gt_workload *workload = &workspace->workload;
    const gt_launch *launch = launch_of(workload, kind);
    const uint32_t callers = workload->argument_count + workload->block_count;
    for (const gt_buffer_slot *slot = workspace->slots; slot < workspace->slots_end; ++slot) {
        const CUdeviceptr others[] = {[GT_JUDGE_REFERENCE] = slot->expected,
                                      [GT_JUDGE_INIT] = slot->live ? 0 : slot->pristine,
                                      [GT_JUDGE_CHECK] = 0};
        buffers[slot->index] = others[kind] ? others[kind] : slot->address;
    }
    gt_workspace_bind(arguments, workspace, buffers);
    for (uint32_t i = 0; i < launch->parameter_count; ++i) {
        const gt_parameter *parameter = &launch->parameters[i];
        if (parameter->argument >= (int)callers) {
            arguments[parameter->argument] =
                own && i + 1 == launch->parameter_count ? own : &parameter->scratch_bytes;
        }
    }
    return gt_measure_launch(measure, measure->judges[kind][workspace - measure->workspaces],
                             arguments);
}

static gputune_status launch_reference(gt_measure *measure, const gt_workspace *workspace)
{
    return launch(measure, workspace, GT_JUDGE_REFERENCE,
                  workspace->scale ? &workspace->scale : NULL);
}

gputune_status gt_init_launch(gt_measure *measure, gt_workspace *workspace, uint64_t seed)
{
    return launch(measure, workspace, GT_JUDGE_INIT, &seed);
}

gputune_status gt_check_queue(gt_measure *measure, const gt_tasks *table, uint32_t from,
                              uint32_t to, gt_findings *into)
{
    for (uint32_t s = from; s < to; ++s) {
        const gt_workspace *workspace = &measure->workspaces[s];
        const CUdeviceptr failures = workspace->failures.address;
        if (workspace->workload.has_check) {
            GT_CALL(measure, MemsetD8Async, failures, 0, 16, measure->stream);
            GT_TRY(launch(measure, workspace, GT_JUDGE_CHECK, &failures));
        }
    }
    return gt_service_check(measure, table, to - from == 1, into);
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* One kernel, at each size. */
static gputune_status load(gt_measure *measure, const gt_image *image, gt_judge_kind kind)
{
    gt_launcher **out = measure->judges[kind];
    const gt_launch *timed = launch_of(&measure->workspaces[0].workload, kind);
    GT_TRY(gt_launcher_load(&out[0], measure->driver, &measure->device, image, NULL, timed));
    GT_TRY(gt_launcher_check_count(out[0]));
    for (uint32_t i = 1; i < measure->setup.workload_count; ++i) {
        GT_TRY(gt_launcher_load(&out[i], measure->driver, &measure->device, image,
                                gt_launcher_module(out[0]),
                                launch_of(&measure->workspaces[i].workload, kind)));
    }
    return GPUTUNE_OK;
}

void gt_reference_free(gt_measure *measure)
{
    for (int kind = 0; kind < GT_JUDGE_COUNT; ++kind) {
        for (int i = 0; i < GT_WORKLOAD_MAX; ++i) {
            gt_launcher_free(measure->judges[kind][i]);
            measure->judges[kind][i] = NULL;
        }
    }
}

gputune_status gt_reference_load(gt_measure *measure, const gt_image *image)
{
    for (gt_judge_kind kind = 0; kind < GT_JUDGE_COUNT; ++kind) {
        const gt_workload *timed = &measure->workspaces[0].workload;
        const gt_launch *launch = launch_of(timed, kind);
        GT_REFUSE(launch && !image->data, GPUTUNE_EINVAL,
                  "the setup brings no image of the reference kernel %s", launch->steps[0].entry);
        gputune_status status = launch ? load(measure, image, kind) : GPUTUNE_OK;
        if (status < 0) {
            static const char *const words[] = {[GT_JUDGE_REFERENCE] = "the reference kernel",
                                                [GT_JUDGE_CHECK] = "the check kernel",
                                                [GT_JUDGE_INIT] = "the init kernel"};
            bool itself = kind == GT_JUDGE_REFERENCE && timed->refers_to_itself;
            return itself ? gt_fail_prefix(status, "reference(self)")
                          : gt_fail_prefix(status, "%s %s", words[kind], launch->steps[0].entry);
        }
    }
    for (uint32_t i = 0; i < measure->setup.workload_count; ++i) {
        gt_workspace *workspace = &measure->workspaces[i];
        if (workspace->workload.has_check) { /* the count, and zeros beside it */
            GT_TRY(gt_memory_take(&workspace->failures.address, measure, 16));
        }
    }
    return GPUTUNE_OK;
}

/* The kernel whose results are expected: the reference, or a variant. */
typedef struct author {
    gt_loaded *variant;       /* NULL: the reference */
    uint32_t workspace_count; /* how many workspaces it runs on */
} author;

/* ---- One run --------------------------------------------------------------------------------- */

/* The reference fills the expected results. */
static gputune_status run_reference(gt_measure *measure, uint32_t workspace_count, uint32_t poison,
                                    bool moved)
{
    const gt_buffer_slot *end = gt_slots_end(measure, workspace_count);
    for (const gt_buffer_slot *slot = measure->slots; slot < end; ++slot) {
        const gt_buffer *buffer = slot->buffer;
        if (buffer->direction == GT_OUT) {
            GT_CALL(measure, MemsetD8Async, slot->expected, (unsigned char)poison,
                    gt_plan_expected_bytes(buffer), measure->stream);
        } else if (buffer->direction == GT_INOUT && buffer->reference_type == buffer->type) {
            GT_CALL(measure, MemcpyDtoDAsync, slot->expected, slot->pristine, buffer->bytes,
                    measure->stream);
        }
    }
    GT_TRY(gt_service_run(measure, GT_SERVICE_FILL, &measure->convert, workspace_count == 1));
    if (moved) {
        GT_TRY(gt_service_run(measure, GT_SERVICE_FILL, &measure->move, workspace_count == 1));
    }
    GT_CALL(measure, EventRecord, measure->start, measure->stream);
    GT_TRY(launch_reference(measure, &measure->workspaces[0]));
    GT_CALL(measure, EventRecord, measure->stop, measure->stream);
    return workspace_count > 1 ? launch_reference(measure, &measure->workspaces[1]) : GPUTUNE_OK;
}

/* A variant fills the slots. Elements that it leaves unwritten get another poison than those of
 * later variants. */
static gputune_status run_variant(gt_measure *measure, const author *author, bool moved)
{
    const gt_buffer_slot *end = gt_slots_end(measure, author->workspace_count);
    GT_TRY(gt_service_reset(measure, &measure->reset, author->workspace_count == 1));
    for (const gt_buffer_slot *slot = measure->slots; slot < end; ++slot) {
        if (slot->buffer->direction == GT_OUT) {
            GT_CALL(measure, MemsetD8Async, slot->address, GT_POISON_FIRST, slot->buffer->bytes,
                    measure->stream);
        }
    }
    if (moved) {
        GT_TRY(
            gt_service_run(measure, GT_SERVICE_FILL, &measure->move, author->workspace_count == 1));
    }
    for (uint32_t s = 0; s < author->workspace_count; ++s) {
        GT_TRY(gt_loaded_launch(measure, author->variant, s));
    }
    return GPUTUNE_OK;
}

static gputune_status run(gt_measure *measure, const author *author, bool moved)
{
    return author->variant
               ? run_variant(measure, author, moved)
               : run_reference(measure, author->workspace_count, GT_POISON_FIRST, moved);
}

/* ---- How far results move with the inputs ---------------------------------------------------- */

typedef gt_sensitivity sensitivities[GT_WORKLOAD_MAX * GT_PARAMETER_MAX]; /* by slot */
typedef void (*note)(gt_sensitivity *seen, const gt_finding *found, const gt_buffer *buffer);

static void note_spread(gt_sensitivity *seen, const gt_finding *found, const gt_buffer *buffer)
{
    (void)buffer;
    seen->moved = fmax(seen->moved, gt_finding_double(found[0].worst));
    seen->relative = fmax(seen->relative, gt_finding_double(found[0].need));
    seen->largest = gt_finding_double(found[1].worst);
}

static void note_still(gt_sensitivity *seen, const gt_finding *found, const gt_buffer *buffer)
{
    if (buffer->elements >= GT_TOLERANCE_FEW) {
        seen->still = 1 - (double)found->count / (double)buffer->elements;
    }
}

static void note_all(sensitivities seen, const gt_measure *measure, uint32_t workspace_count,
                     note note)
{
    for (size_t i = 0; i < gt_tasks_count(&measure->spread, workspace_count == 1); i += 2) {
        const gt_buffer_slot *slot = measure->spread.slots.items[i];
        note(&seen[slot - measure->slots], &measure->findings->items[i], slot->buffer);
    }
}

/* Measures one step from the results of unmoved inputs. Restores the inputs before it returns. */
static gputune_status take_step(sensitivities seen, gt_measure *measure, const author *author,
                                uint64_t seed, bool sparse)
{
    if (measure->move.tasks.count > 0) {
        GT_TRY(gt_tables_move(measure, seed, sparse ? GT_TOLERANCE_SPARSE : 1));
        GT_TRY(run(measure, author, true));
    }
    GT_TRY(gt_service_check(measure, &measure->spread, author->workspace_count == 1,
                            measure->findings));
    GT_TRY(gt_measure_wait(measure));
    note_all(seen, measure, author->workspace_count, sparse ? note_still : note_spread);
    return gt_contents_fill(measure, measure->seed, author->workspace_count);
}

/* Takes as many steps as the tolerances need; none if they are stated. One more step follows if
 * some output has enough elements to count terms by. */
static gputune_status take_steps(sensitivities seen, gt_measure *measure, const author *author)
{
    const bool stated = measure->workspaces[0].workload.tolerance.stated;
    const bool moves = measure->move.tasks.count > 0;
    bool many = false;
    uint32_t steps = 0;
    for (size_t i = 0; i < measure->spread.timed_count && !stated; i += 2) {
        const gt_buffer_slot *slot = measure->spread.slots.items[i];
        bool few = slot->buffer->elements < GT_TOLERANCE_FEW;
        bool all = moves && (few || slot->scale || steps == GT_TOLERANCE_STEPS);
        steps = all ? GT_TOLERANCE_STEPS : 1;
        many |= !few && moves;
    }
    if (steps > 0) {
        GT_TRY(gt_contents_span(measure));
    }
    const gt_buffer_slot *end = gt_slots_end(measure, measure->setup.workload_count);
    for (const gt_buffer_slot *slot = measure->slots; slot < end; ++slot) {
        if (slot->scale) {
            GT_CALL(measure, MemsetD8Async, slot->scale, 0, slot->buffer->elements * sizeof(float),
                    measure->stream);
        }
    }
    for (uint32_t k = 0; k < steps; ++k) {
        GT_TRY(take_step(seen, measure, author, measure->seed + (uint64_t)(0x51ed270b * (k + 1)),
                         false));
    }
    return many ? take_step(seen, measure, author, ~measure->seed, true) : GPUTUNE_OK;
}

/* Returns true if all inputs that results may depend on were moved. */
static bool all_moved(const gt_workspace *workspace)
{
    bool all = true;
    for (const gt_buffer_slot *slot = workspace->slots; slot < workspace->slots_end; ++slot) {
        all &= slot->buffer->direction == GT_OUT || !gt_type_is_float(slot->buffer->type) ||
               slot->moves;
    }
    return all;
}

static gputune_status find_tolerances(gt_measure *measure, const author *author)
{
    sensitivities seen = {0};
    GT_TRY(take_steps(seen, measure, author));
    const size_t timed = measure->move.timed_count, odd = measure->move.tasks.count - timed;
    for (gt_buffer_slot *slot = measure->slots;
         slot < gt_slots_end(measure, author->workspace_count); ++slot) {
        const gt_workload *workload = &slot->workspace->workload;
        gt_sensitivity *its = &seen[slot - measure->slots];
        if (!(its->moved > 0)) {
            its->still = 0; /* an output that never moves tells nothing of its terms */
        }
        if ((slot->workspace == measure->workspaces ? timed : odd) > 0) {
            its->step = gt_tolerance_step(workload);
        }
        if (!slot->scale || !all_moved(slot->workspace) ||
            !gt_tolerance_of_element(&slot->tolerance, workload, slot->index, its)) {
            slot->tolerance = gt_tolerance_of(workload, slot->index, its);
        }
    }
    measure->has_tolerances = true;
    return GPUTUNE_OK;
}

/* ---- The reference --------------------------------------------------------------------------- */

static gputune_status blame_reference(gputune_status status, const gt_measure *measure)
{
    const gt_launch *launch = &measure->workspaces[0].workload.reference;
    char blocks[GT_SHAPES_TEXT], grids[GT_SHAPES_TEXT];
    gt_launch_blocks(blocks, launch);
    gt_launch_grids(grids, launch);
    const char *why = status < 0 ? gt_message() : "unknown";
    const char *odd_tail = measure->setup.odd_tail;
    char advice[256] = "";
    if (strstr(why, "ILLEGAL_ADDRESS")) {
        gt_snprintf(advice, sizeof advice,
                    "%s%s; is a length in args() too small, or a require() missing?",
                    odd_tail[0] ? ", at these sizes or at " : "", odd_tail);
    }
    return gt_fail(GPUTUNE_ETEMPLATE,
                   "the reference kernel %s, with block %s and grid %s, failed: %s%s",
                   launch->steps[0].entry, blocks, grids, why, advice);
}

/* Judges if both runs agree. Elements that neither has written are ignored. */
static gputune_status judge_agreement(gt_measure *measure, bool timed_only)
{
    for (size_t i = 0; i < gt_tasks_count(&measure->hash, timed_only); ++i) {
        const gt_buffer_slot *slot = measure->hash.slots.items[i];
        GT_REFUSE(
            measure->first->items[i].count != slot->hash, GPUTUNE_ETEMPLATE,
            "the reference kernel %s changes %s, an input: declare it inout, or write to an output",
            slot->workspace->workload.reference.steps[0].entry, slot->buffer->name);
    }
    for (size_t i = 0; i < gt_tasks_count(&measure->agree, timed_only); ++i) {
        gt_buffer_slot *slot = measure->agree.slots.items[i];
        const gt_finding *found = &measure->findings->items[i];
        const gt_workload *workload = &slot->workspace->workload;
        char text[128], name[GT_COMPONENT_TEXT];
        const bool is_timed = slot->workspace == measure->workspaces;
        slot->gaps = found->gaps;
        GT_REFUSE(found->count != 0, GPUTUNE_ETEMPLATE,
                  "the reference kernel %s gives other values of %s when it runs again%s%s (the "
                  "first is %s, the tolerance %s); possible causes: an output that is added to "
                  "without clear(), a race or a read of memory that was not written ('gputune "
                  "check' looks for both), or atomics in any order (check(KERNEL) can judge such "
                  "results)",
                  workload->reference.steps[0].entry, slot->buffer->name, is_timed ? "" : " at ",
                  is_timed ? "" : measure->setup.odd_tail,
                  gt_component_name(name, workload, slot->buffer, found->first),
                  gt_tolerance_text(text, measure, slot));
    }
    return gt_tables_judge(measure);
}

/* On a trial's data, results of which less than three quarters are finite end it before the
 * reference runs again and again: it may be slow. */
static gputune_status refer(gt_measure *measure, const author *author)
{
    bool timed_only = author->workspace_count == 1;
    GT_TRY(run(measure, author, false));
    GT_TRY(gt_service_run(measure, GT_SERVICE_FILL, &measure->keep, timed_only));
    if (measure->is_trial && !measure->workspaces[0].workload.unbounded) {
        GT_TRY(gt_service_check(measure, &measure->spread, false, measure->findings));
        GT_TRY(gt_measure_wait(measure));
        for (size_t i = 0; i < measure->spread.timed_count; i += 2) {
            const gt_buffer *buffer = measure->spread.slots.items[i]->buffer;
            GT_REFUSE(measure->findings->items[i + 1].count > buffer->elements / 4, GPUTUNE_EWRONG,
                      "hardly any element of %s is finite", buffer->name);
        }
    }
    if (!measure->has_tolerances) {
        GT_TRY(find_tolerances(measure, author));
        GT_TRY(gt_tables_judge(measure));
    }
    GT_TRY(run_reference(measure, author->workspace_count, GT_POISON_SECOND, false));
    GT_TRY(gt_service_check(measure, &measure->agree, timed_only, measure->findings));
    GT_TRY(gt_service_check(measure, &measure->hash, timed_only, measure->first));
    return gt_measure_wait(measure);
}

gputune_status gt_expected_refer(gt_measure *measure, uint32_t workspace_count)
{
    const author author = {NULL, workspace_count};
    measure->ahead = NULL; /* the slots hold the first run's results for a while */
    gputune_status status = refer(measure, &author);
    if (status < 0) {
        return blame_reference(status, measure);
    }
    GT_TRY(judge_agreement(measure, workspace_count == 1));
    measure->has_expected = true;
    return gt_measure_elapsed(&measure->reference_ns, measure);
}

gputune_status gt_expected_take(gt_measure *measure)
{
    sensitivities seen = {0}; /* how large results are, and nothing else */
    uint32_t count = measure->setup.workload_count;
    GT_TRY(gt_service_check(measure, &measure->spread, false, measure->findings));
    GT_TRY(gt_measure_wait(measure));
    note_all(seen, measure, count, note_spread);
    for (gt_buffer_slot *slot = measure->slots; slot < gt_slots_end(measure, count); ++slot) {
        slot->tolerance =
            gt_tolerance_of(&slot->workspace->workload, slot->index, &seen[slot - measure->slots]);
    }
    measure->has_expected = measure->has_tolerances = true;
    return gt_tables_judge(measure);
}

gputune_status gt_expected_adopt(gt_measure *measure, gt_loaded *variant)
{
    const author author = {variant, measure->setup.workload_count};
    GT_TRY(run(measure, &author, false));
    const gt_buffer_slot *end = gt_slots_end(measure, author.workspace_count);
    for (const gt_buffer_slot *slot = measure->slots; slot < end; ++slot) {
        if (slot->expected) {
            GT_CALL(measure, MemcpyDtoDAsync, slot->expected, slot->address, slot->buffer->bytes,
                    measure->stream);
        }
    }
    GT_TRY(find_tolerances(measure, &author));
    measure->has_expected = true;
    return gt_tables_judge(measure);
}
