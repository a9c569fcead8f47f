/* Fills inputs, runs the template's own kernels, and computes expected results and tolerances. */
#include "farm/measure_contents.h"

#include "base/number.h"
#include "farm/measure_memory.h"
#include "farm/measure_report.h"
#include "farm/measure_service.h"
#include "farm/measure_tables.h"
#include "farm/measure_value.h"
#include "farm/measure_verify.h"
#include "kernel/bind/tolerance.h"
#include "kernel/bind/vary.h"
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>

/* ---- Kernels of the template ----------------------------------------------------------------- */

static const gt_launch *launch_of(const gt_workload *workload, gt_judge_kind kind)
{
    const gt_launch *const launches[] = {
        [GT_JUDGE_REFERENCE] = workload->has_reference ? &workload->reference : NULL,
        [GT_JUDGE_CHECK] = workload->has_check ? &workload->check : NULL,
        [GT_JUDGE_INIT] = workload->has_init ? &workload->init : NULL};
    return launches[kind];
}

/* Launches the reference, check or init kernel. The reference writes to the expected results, the
 * init kernel to the pristine copies. `own`, if not NULL, is the kernel's last argument. */
static gputune_status launch_judge(gt_measure *measure, const gt_workspace *workspace,
                                   gt_judge_kind kind, const void *own)
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

static gputune_status launch_reference(gt_measure *measure, gt_workspace *workspace)
{
    return launch_judge(measure, workspace, GT_JUDGE_REFERENCE,
                        workspace->scale ? &workspace->scale : NULL);
}

gputune_status gt_check_queue(gt_measure *measure, const gt_tasks *table, uint32_t from,
                              uint32_t to, gt_findings *into)
{
    for (uint32_t s = from; s < to; ++s) {
        const gt_workspace *workspace = &measure->workspaces[s];
        const CUdeviceptr failures = workspace->failures.address;
        if (workspace->workload.has_check) {
            GT_CALL(measure, MemsetD8Async, failures, 0, 16, measure->stream);
            GT_TRY(launch_judge(measure, workspace, GT_JUDGE_CHECK, &failures));
        }
    }
    return gt_service_check(measure, table, to - from == 1, into);
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
        if (!launch) {
            continue;
        }
        const gt_launch *launches[GT_WORKLOAD_MAX];
        for (uint32_t i = 0; i < measure->setup.workload_count; ++i) {
            launches[i] = launch_of(&measure->workspaces[i].workload, kind);
        }
        gputune_status status = gt_measure_load(measure->judges[kind], measure, image, launches);
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
        /* memory for a counter of failures and for the zero with which it is compared */
        if (workspace->workload.has_check) {
            GT_TRY(gt_memory_take(&workspace->failures.address, measure, 16));
        }
    }
    return GPUTUNE_OK;
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

static gputune_status plan_fill(gt_measure *measure, gt_buffer_slot *slot, uint64_t seed)
{
    static const uint32_t flags[] = {[GT_VARIETY_EXTREMES] = GT_TASK_EXTREMES,
                                     [GT_VARIETY_SPECIALS] = GT_TASK_EXTREMES | GT_TASK_SPECIALS,
                                     [GT_VARIETY_TIES] = GT_TASK_TIES,
                                     [GT_VARIETY_REFILLED] = 0};
    const gt_buffer *buffer = slot->buffer;
    gt_service_task fill = {
        .operation = GT_DO_FILL,
        .target = slot->pristine ? slot->pristine : slot->address,
        .count = buffer->elements,
        .seed = gt_fill_seed(seed, buffer->copy_of ? buffer->copy_of - 1 : slot->index),
        .low = buffer->low,
        .high = buffer->high,
        .stol = gt_workload_largest(buffer->type, buffer->low, buffer->high),
        .type = buffer->type,
        .pattern = buffer->fill,
        .flags = flags[buffer->variety] | (buffer->free ? GT_TASK_FREE : 0)};
    gt_service_task guard = {.operation = GT_DO_PATTERN,
                             .target = slot->base,
                             .count = slot->address - slot->base,
                             .pattern = gt_guard_seed(slot->index)};
    if (buffer->direction != GT_OUT && !slot->live) {
        GT_TRY(gt_tasks_add(&measure->fill, slot, &fill));
    }
    GT_TRY(gt_tasks_add(&measure->fill, slot, &guard));
    guard.target = slot->address + buffer->bytes;
    guard.count = slot->guard_back;
    return gt_tasks_add(&measure->fill, slot, &guard);
}

static double number_at(const unsigned char *elements, uint64_t index, gt_type type)
{
    uint64_t bits = 0;
    memcpy(&bits, elements + index * gt_type_bytes(type), gt_type_bytes(type));
    return gt_bits_to_double(type, bits);
}

/* Returns true if rising integers that end at `last` may be row pointers: a buffer has `last`
 * elements, or can be divided into one row fewer than there are integers. Otherwise, they may be
 * indices at which a kernel stores, and equal ones would make the order of stores matter. */
static bool may_point_to_rows(const gt_workload *workload, const gt_buffer *pointers, double last)
{
    bool may = pointers->fill == GT_FILL_PREFIX;
    for (uint32_t i = 0; i < workload->buffer_count; ++i) {
        const uint64_t count = gt_buffer_count(&workload->buffers[i]);
        may |= (double)count == last || count % (pointers->elements - 1) == 0;
    }
    return may;
}

/* Makes some rows empty if the integers are rising. In a prefix(), also makes one long row. */
static gputune_status vary_rows(gt_measure *measure, const gt_buffer_slot *slot)
{
    enum { EVERY = 8 };
    const gt_buffer *buffer = slot->buffer;
    const uint64_t count = buffer->elements, size = gt_type_bytes(buffer->type);
    GT_FREED unsigned char *elements = malloc(buffer->bytes + 1);
    GT_TRY(gt_allocated(elements));
    GT_CALL(measure, MemcpyDtoHAsync, elements, slot->address, buffer->bytes, measure->stream);
    GT_TRY(gt_measure_wait(measure));
    bool rises = count > 2 && may_point_to_rows(&slot->workspace->workload, buffer,
                                                number_at(elements, count - 1, buffer->type));
    for (uint64_t i = 1; i < count && rises; ++i) {
        rises = number_at(elements, i - 1, buffer->type) <= number_at(elements, i, buffer->type);
    }
    for (uint64_t i = 1; i + 1 < count && rises; ++i) {
        bool is_long = buffer->fill == GT_FILL_PREFIX && i >= count / 4 && i < count / 2;
        if (i % EVERY == 1 || is_long) {
            memcpy(elements + i * size, elements + (i - 1) * size, size);
        }
    }
    if (rises) {
        memcpy(elements + (count - 2) * size, elements + (count - 1) * size, size);
    }
    GT_CALL(measure, MemcpyHtoDAsync, slot->address, elements, buffer->bytes, measure->stream);
    return gt_measure_wait(measure);
}

/* Launches the init kernel and waits for it, so no later kernel is blamed for its failure. */
static gputune_status initialise_inputs(gt_measure *measure, uint64_t seed,
                                        uint32_t workspace_count)
{
    for (uint32_t s = 0; s < workspace_count; ++s) {
        GT_TRY(launch_judge(measure, &measure->workspaces[s], GT_JUDGE_INIT, &seed));
    }
    return gt_measure_wait(measure);
}

static gputune_status fill_contents(gt_measure *measure, uint64_t seed, uint32_t workspace_count)
{
    gt_tasks_reset(&measure->fill);
    measure->ahead = NULL;
    const gt_buffer_slot *end = gt_slots_end(measure, workspace_count);
    for (gt_buffer_slot *slot = measure->slots; slot < end; ++slot) {
        GT_TRY(plan_fill(measure, slot, seed));
    }
    for (uint32_t s = 0; s < workspace_count; ++s) {
        gt_workspace *workspace = &measure->workspaces[s];
        for (uint32_t i = 0; i < workspace->workload.block_count; ++i) {
            if (!(workspace->sent_blocks >> i & 1)) {
                gt_fill_host(workspace->blocks[i], &workspace->workload,
                             &workspace->workload.blocks[i],
                             gt_fill_seed(seed, GT_PARAMETER_MAX + i));
            }
        }
    }
    GT_TRY(gt_tasks_upload(measure, &measure->fill));
    GT_TRY(gt_service_run(measure, GT_SERVICE_FILL, &measure->fill, false));
    const gt_workload *workload = &measure->workspaces[0].workload;
    GT_REFUSE(workload->has_init && initialise_inputs(measure, seed, workspace_count) < 0,
              GPUTUNE_ETEMPLATE, "the init kernel '%s' failed: %s", workload->init.steps[0].entry,
              gt_message());
    for (const gt_buffer_slot *slot = measure->slots; slot < end; ++slot) {
        /* inouts are restored before each launch; the init kernel fills inputs that are not live */
        if (slot->live && slot->buffer->direction == GT_IN) {
            GT_CALL(measure, MemcpyDtoDAsync, slot->address, slot->pristine, slot->buffer->bytes,
                    measure->stream);
        }
        if (slot->buffer->variety == GT_VARIETY_ROWS) {
            GT_TRY(vary_rows(measure, slot));
        }
    }
    return gt_service_run(measure, GT_SERVICE_RESET, &measure->rotate, false);
}

enum { SAMPLE_PIECES = 64, SAMPLE_BYTES = 16384 };

/* Finds the smallest and the largest finite value of a buffer; low > high if there are none. Only
 * parts of a large buffer are read. */
static gputune_status find_span(gt_service_task *out, gt_measure *measure,
                                const gt_buffer_slot *slot)
{
    unsigned char room[SAMPLE_BYTES];
    const gt_buffer *buffer = slot->buffer;
    CUdeviceptr from = slot->pristine ? slot->pristine : slot->address;
    const uint32_t size = gt_type_bytes(buffer->type);
    uint64_t pieces = (buffer->bytes + SAMPLE_BYTES - 1) / SAMPLE_BYTES;
    uint64_t step = pieces > SAMPLE_PIECES ? (pieces - 1) / (SAMPLE_PIECES - 1) : 1;
    out->low = INFINITY;
    out->high = -INFINITY;
    for (uint64_t piece = 0; piece < pieces; piece += step) {
        uint64_t at = piece * SAMPLE_BYTES, left = buffer->bytes - at;
        uint64_t bytes = left < SAMPLE_BYTES ? left : SAMPLE_BYTES;
        GT_CALL(measure, MemcpyDtoHAsync, room, from + at, bytes, measure->stream);
        GT_TRY(gt_measure_wait(measure));
        for (uint64_t i = 0; i + size <= bytes; i += size) {
            double value = number_at(room, i / size, buffer->type);
            out->low = isfinite(value) ? fmin(out->low, value) : out->low;
            out->high = isfinite(value) ? fmax(out->high, value) : out->high;
        }
    }
    return GPUTUNE_OK;
}

/* Finds the range of data that came from the host or the init kernel. Slightly changed inputs, for
 * tolerances, must stay in this range. Whole numbers stay unchanged, as they may be indices. */
static gputune_status find_spans(gt_measure *measure)
{
    for (size_t i = 0; i < measure->move.tasks.count; ++i) {
        gt_service_task *task = &measure->move.tasks.items[i];
        const gt_buffer_slot *slot = measure->move.slots.items[i];
        bool is_data = slot->live || slot->workspace->workload.has_init;
        if (is_data && slot->buffer->number_count == 0) {
            GT_TRY(find_span(task, measure, slot));
            task->flags = GT_TASK_WHOLE;
        }
    }
    return GPUTUNE_OK;
}

/* ---- Expected results ------------------------------------------------------------------------ */

/* The kernel that computes the expected results. */
typedef struct author {
    gt_loaded *variant; /* NULL: the reference */
    uint32_t workspace_count;
} author;

/* Launches the reference after changing floating-point scalars by a small relative step. */
static gputune_status launch_moved(gt_measure *measure, gt_workspace *workspace)
{
    double own[GT_NUMBER_MAX];
    gt_workload *workload = &workspace->workload;
    const double factor = 1 + gt_tolerance_step(workload);
    for (uint32_t i = 0; i < workload->number_count; ++i) {
        own[i] = workload->numbers[i].low;
        workload->numbers[i].low *= gt_type_is_float(workload->numbers[i].type) ? factor : 1;
    }
    gputune_status status = gt_workspace_values(measure, workspace);
    GT_THEN(status, launch_reference(measure, workspace));
    for (uint32_t i = 0; i < workload->number_count; ++i) {
        workload->numbers[i].low = own[i];
    }
    GT_THEN(status, gt_workspace_values(measure, workspace));
    return status;
}

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
    const bool moves_scalars = moved && measure->workspaces[0].workload.huge;
    GT_TRY((moves_scalars ? launch_moved : launch_reference)(measure, &measure->workspaces[0]));
    GT_CALL(measure, EventRecord, measure->stop, measure->stream);
    return workspace_count > 1 ? launch_reference(measure, &measure->workspaces[1]) : GPUTUNE_OK;
}

/* Runs a variant after filling its outputs with a poison that proofs never use for outputs. */
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

static gputune_status run_author(gt_measure *measure, const author *author, bool moved)
{
    return author->variant
               ? run_variant(measure, author, moved)
               : run_reference(measure, author->workspace_count, GT_POISON_FIRST, moved);
}

/* ---- Sensitivity of results ------------------------------------------------------------------ */

typedef gt_sensitivity sensitivities[GT_WORKLOAD_MAX * GT_PARAMETER_MAX]; /* indexed by slot */

/* Records how much the results have changed. `sparse`: only a few inputs were changed. */
static void note_step(sensitivities seen, const gt_measure *measure, uint32_t workspace_count,
                      bool sparse)
{
    for (size_t i = 0; i < gt_tasks_count(&measure->spread, workspace_count == 1); i += 2) {
        const gt_buffer_slot *slot = measure->spread.slots.items[i];
        const gt_finding *found = &measure->findings->items[i];
        const uint64_t elements = slot->buffer->elements;
        gt_sensitivity *its = &seen[slot - measure->slots];
        if (!sparse) {
            its->moved = fmax(its->moved, gt_finding_double(found[0].worst));
            its->relative = fmax(its->relative, gt_finding_double(found[0].need));
            its->largest = gt_finding_double(found[1].worst);
        } else if (elements >= GT_TOLERANCE_FEW) {
            its->still = 1 - (double)found->count / (double)elements;
        }
    }
}

/* Changes the inputs slightly, measures how much the results change, and restores the inputs. */
static gputune_status take_step(sensitivities seen, gt_measure *measure, const author *author,
                                uint64_t seed, bool sparse)
{
    if (measure->move.tasks.count > 0) {
        GT_TRY(gt_tables_move(measure, seed, sparse ? GT_TOLERANCE_SPARSE : 1));
        GT_TRY(run_author(measure, author, true));
    }
    GT_TRY(gt_service_check(measure, &measure->spread, author->workspace_count == 1,
                            measure->findings));
    GT_TRY(gt_measure_wait(measure));
    note_step(seen, measure, author->workspace_count, sparse);
    return fill_contents(measure, measure->seed, author->workspace_count);
}

/* Returns true if each element of an output gets its own sensitivity S (kernel/bind/tolerance.h).
 * Constant or rising inputs make the elements similar, so the largest S then serves all of them. */
static bool has_scales(const gt_buffer_slot *slot)
{
    bool has = slot->scale != 0;
    for (uint32_t i = 0; i < slot->workspace->workload.buffer_count; ++i) {
        has &= slot->workspace->workload.buffers[i].variety != GT_VARIETY_REFILLED;
    }
    return has;
}

/* Measures how much results change if the inputs change slightly, unless the template states the
 * tolerances. If an output has many elements, a last step changes only a few elements of the
 * inputs, to estimate how many terms contribute to an element of the output. */
static gputune_status take_steps(sensitivities seen, gt_measure *measure, const author *author)
{
    const bool stated = measure->workspaces[0].workload.tolerance.stated;
    const bool moves = measure->move.tasks.count > 0;
    bool many = false;
    uint32_t steps = 0;
    for (size_t i = 0; i < measure->spread.timed_count && !stated; i += 2) {
        const gt_buffer_slot *slot = measure->spread.slots.items[i];
        bool few = slot->buffer->elements < GT_TOLERANCE_FEW;
        bool all = moves && (few || has_scales(slot) || steps == GT_TOLERANCE_STEPS);
        steps = all ? GT_TOLERANCE_STEPS : 1;
        many |= !few && moves && (!slot->scale || has_scales(slot));
    }
    if (steps > 0) {
        GT_TRY(find_spans(measure));
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

/* Returns true if all floating-point inputs have been changed. */
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
            its->still = 0; /* no result has changed, so the number of terms is unknown */
        }
        GT_REFUSE(workload->huge && its->moved > its->largest / 8, GPUTUNE_EWRONG,
                  "%s is hardly more than rounding errors", slot->buffer->name);
        if ((slot->workspace == measure->workspaces ? timed : odd) > 0) {
            its->step = gt_tolerance_step(workload);
        }
        if (!has_scales(slot) || !all_moved(slot->workspace) ||
            !gt_tolerance_of_element(&slot->tolerance, workload, slot->index, its)) {
            slot->tolerance = gt_tolerance_of(workload, slot->index, its);
        }
    }
    measure->has_tolerances = true;
    return GPUTUNE_OK;
}

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
                   "the reference kernel '%s', with block %s and grid %s, failed: %s%s",
                   launch->steps[0].entry, blocks, grids, why, advice);
}

/* Fails if two runs of the reference differ. Elements that neither run writes count as equal. */
static gputune_status judge_agreement(gt_measure *measure, bool timed_only)
{
    for (size_t i = 0; i < gt_tasks_count(&measure->hash, timed_only); ++i) {
        const gt_buffer_slot *slot = measure->hash.slots.items[i];
        GT_REFUSE(
            measure->first->items[i].count != slot->hash, GPUTUNE_ETEMPLATE,
            "the reference kernel '%s' changes the input '%s'; declare it inout if that is "
            "meant, or check the indices of all stores (is a length in args() too small, or a "
            "require() missing?)",
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
                  "two runs of the reference kernel '%s' give different values of %s%s%s (first "
                  "difference: %s, tolerance: %s); possible causes: an output that is accumulated "
                  "without clear(), a race or an uninitialised read ('gputune check' looks for "
                  "both), or atomics, whose order varies (check(KERNEL) can judge such results)",
                  workload->reference.steps[0].entry, slot->buffer->name, is_timed ? "" : " at ",
                  is_timed ? "" : measure->setup.odd_tail,
                  gt_component_name(name, workload, slot->buffer, found->first),
                  gt_tolerance_text(text, measure, slot));
    }
    return gt_tables_judge(measure);
}

/* Runs the reference, determines the tolerances, and runs the reference again. In a data proof,
 * skips the second run to save time, and fails if over a quarter of the results are not finite. */
static gputune_status compute_reference(gt_measure *measure, const author *author)
{
    bool timed_only = author->workspace_count == 1;
    GT_TRY(run_author(measure, author, false));
    GT_TRY(gt_service_run(measure, GT_SERVICE_FILL, &measure->keep, timed_only));
    if (measure->parent && !measure->workspaces[0].workload.unbounded) {
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

static gputune_status expect_reference(gt_measure *measure, uint32_t workspace_count)
{
    const author author = {NULL, workspace_count};
    /* cancel the reset that was queued, because it would overwrite the results of the first run */
    measure->ahead = NULL;
    gputune_status status = compute_reference(measure, &author);
    if (status < 0) {
        return blame_reference(status, measure);
    }
    GT_TRY(judge_agreement(measure, workspace_count == 1));
    measure->has_expected = true;
    return gt_measure_elapsed(&measure->reference_ns, measure);
}

static gputune_status expect_data(gt_measure *measure)
{
    sensitivities seen = {0}; /* only `largest` is set, as no inputs were changed */
    uint32_t count = measure->setup.workload_count;
    GT_TRY(gt_service_check(measure, &measure->spread, false, measure->findings));
    GT_TRY(gt_measure_wait(measure));
    note_step(seen, measure, count, false);
    for (gt_buffer_slot *slot = measure->slots; slot < gt_slots_end(measure, count); ++slot) {
        slot->tolerance =
            gt_tolerance_of(&slot->workspace->workload, slot->index, &seen[slot - measure->slots]);
    }
    measure->has_expected = measure->has_tolerances = true;
    return gt_tables_judge(measure);
}

/* Computes a hash of the expected results and of the host's data. The hash is never 0. */
static gputune_status hash_results(uint64_t *out, gt_measure *measure)
{
    static const uint64_t multiplier = 0x9e3779b97f4a7c15ull;
    uint64_t hash = 0;
    GT_TRY(gt_service_check(measure, &measure->results, false, measure->findings));
    GT_TRY(gt_measure_wait(measure));
    for (size_t i = 0; i < measure->results.tasks.count; ++i) {
        hash = (hash + measure->findings->items[i].count) * multiplier;
    }
    *out = hash | 1;
    return GPUTUNE_OK;
}

gputune_status gt_contents_adopt(gt_measure *measure, gt_loaded *variant)
{
    const author author = {variant, measure->setup.workload_count};
    measure->results_hash = 0;
    GT_TRY(run_author(measure, &author, false));
    const gt_buffer_slot *end = gt_slots_end(measure, author.workspace_count);
    for (const gt_buffer_slot *slot = measure->slots; slot < end; ++slot) {
        if (slot->expected) {
            GT_CALL(measure, MemcpyDtoDAsync, slot->expected, slot->address, slot->buffer->bytes,
                    measure->stream);
        }
    }
    GT_TRY(find_tolerances(measure, &author));
    measure->has_expected = true;
    GT_TRY(gt_tables_judge(measure));
    return hash_results(&measure->results_hash, measure);
}

/* ---- All contents ---------------------------------------------------------------------------- */

gputune_status gt_contents_make(gt_measure *measure, uint64_t seed, bool timed_only)
{
    uint32_t workspace_count = timed_only ? 1 : measure->setup.workload_count;
    measure->results_hash = 0;
    GT_TRY(fill_contents(measure, seed, workspace_count));
    measure->seed = seed;
    GT_TRY(gt_service_check(measure, &measure->hash, workspace_count == 1, measure->findings));
    GT_TRY(gt_measure_wait(measure));
    for (size_t i = 0; i < gt_tasks_count(&measure->hash, workspace_count == 1); ++i) {
        measure->hash.slots.items[i]->hash = measure->findings->items[i].count;
    }
    if (measure->setup.check) {
        return GPUTUNE_OK; /* with the sanitizer, the reference runs later */
    }
    if (measure->workspaces[0].workload.has_reference) {
        GT_TRY(expect_reference(measure, workspace_count));
    } else if (measure->workspaces[0].workload.has_expected) {
        GT_TRY(expect_data(measure));
    }
    return timed_only ? GPUTUNE_OK : hash_results(&measure->results_hash, measure);
}

gputune_status gt_contents_doubt(gt_measure *measure, gputune_status status)
{
    uint64_t hash = 0;
    measure->damaged = true;
    if (measure->lost || !measure->results_hash) {
        return status;
    }
    GT_TRY(hash_results(&hash, measure));
    return hash == measure->results_hash
               ? status
               : gt_fail_prefix(GPUTUNE_ECRASHED, "memory far from its buffers was overwritten");
}

gputune_status gt_contents_refresh(gt_measure *measure)
{
    if (!measure->damaged) {
        return GPUTUNE_OK;
    }
    if (measure->results_hash || !measure->workspaces[0].workload.has_reference) {
        GT_TRY(fill_contents(measure, measure->setup.seed, measure->setup.workload_count));
    } else {
        GT_TRY(gt_contents_make(measure, measure->setup.seed, false));
    }
    measure->damaged = false;
    return GPUTUNE_OK;
}

/* Computes the median magnitude of the first elements of a buffer; 0 if none of them is finite. */
static gputune_status find_median(double *out, gt_measure *measure, const gt_buffer_slot *slot)
{
    enum { MOST = SAMPLE_BYTES / 8 };
    const gt_buffer *buffer = slot->buffer;
    unsigned char room[SAMPLE_BYTES];
    double values[MOST];
    uint32_t size = gt_type_bytes(buffer->type), count = 0;
    uint64_t elements = buffer->elements < MOST ? buffer->elements : MOST;
    GT_CALL(measure, MemcpyDtoHAsync, room, slot->address, elements * size, measure->stream);
    GT_TRY(gt_measure_wait(measure));
    for (uint64_t i = 0; i < elements; ++i) {
        uint64_t bits = 0;
        memcpy(&bits, room + i * size, size);
        double value = fabs(gt_bits_to_double(buffer->type, bits));
        if (isfinite(value)) {
            values[count++] = value;
        }
    }
    gt_sort(values, count);
    *out = gt_median_sorted(values, count);
    return GPUTUNE_OK;
}

gputune_status gt_contents_changed(bool *out, gt_measure *measure, const gt_buffer_slot *slot,
                                   const gt_number *number)
{
    const gt_buffer *buffer = slot->buffer;
    const uint64_t pitch =
        buffer->number_count ? gt_buffer_element_bytes(buffer) : gt_type_bytes(number->type);
    const uint64_t bytes = buffer->bytes < SAMPLE_BYTES ? buffer->bytes : SAMPLE_BYTES;
    unsigned char room[SAMPLE_BYTES];
    *out = false;
    if (!slot->expected || buffer->reference_type != buffer->type) {
        return GPUTUNE_OK;
    }
    GT_CALL(measure, MemcpyDtoHAsync, room, slot->expected, bytes, measure->stream);
    GT_TRY(gt_measure_wait(measure));
    for (uint64_t at = 0; at + pitch <= bytes; at += pitch) {
        *out |= number_at(room + at + number->offset, 0, number->type) != number->low;
    }
    return GPUTUNE_OK;
}

gputune_status gt_contents_loose(gt_prepared *out, gt_measure *measure)
{
    bool has_reference = measure->workspaces[0].workload.has_reference;
    size_t count = has_reference ? measure->spread.timed_count : 0;
    for (size_t i = 0; i < count && !out->loose[0]; i += 2) {
        const gt_buffer_slot *slot = measure->spread.slots.items[i];
        double median;
        if (slot->buffer->number_count) {
            continue;
        }
        GT_TRY(find_median(&median, measure, slot));
        double tolerance = slot->tolerance.atol + slot->tolerance.rtol * median;
        if (median > 0 && tolerance > median) {
            memcpy(out->loose, slot->buffer->name, sizeof out->loose);
            out->loose_tolerance = tolerance;
            out->loose_median = median;
        }
    }
    return GPUTUNE_OK;
}
