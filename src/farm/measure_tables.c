/* Makes the tables of tasks for a setup. Each table is run by a service kernel. */
#include "farm/measure_tables.h"

#include "farm/measure_service.h"
#include "farm/measure_value.h"
#include "kernel/bind/tolerance.h"
#include "kernel/bind/vary.h"

/* Returns true for the last, smallest workspace. The table `edges` checks inputs only there. */
static bool is_cheapest(const gt_measure *measure, const gt_workspace *workspace)
{
    return workspace == &measure->workspaces[measure->setup.workload_count - 1];
}

/* Returns the poison for outputs before the first launch. It differs from last_poison(). */
static uint32_t first_poison(const gt_measure *measure, const gt_workspace *workspace)
{
    return GT_POISON_MIXED + (is_cheapest(measure, workspace) ? 0 : 3);
}

static uint32_t last_poison(const gt_measure *measure, const gt_workspace *workspace)
{
    return GT_POISON_MIXED + (is_cheapest(measure, workspace) ? 1 : 2);
}

/* ---- Before a launch ------------------------------------------------------------------------- */

static gputune_status plan_reset(gt_tasks *table, gt_buffer_slot *slot, uint32_t poison)
{
    const gt_buffer *buffer = slot->buffer;
    gt_service_task task = {.operation = GT_DO_COPY,
                            .target = slot->address,
                            .source = slot->pristine,
                            .count = buffer->bytes};
    if (buffer->direction == GT_OUT) {
        task.operation = GT_DO_POISON;
        task.source = 0;
        task.pattern = poison;
    }
    return buffer->direction != GT_IN ? gt_tasks_add(table, slot, &task) : GPUTUNE_OK;
}

/* Adds tasks that copy inputs to the other buffer sets, and restore inout buffers in all sets. */
static gputune_status plan_sets(gt_measure *measure, gt_buffer_slot *slot)
{
    const gt_workspace *workspace = slot->workspace;
    const CUdeviceptr *next = workspace->addresses + workspace->workload.buffer_count;
    bool is_inout = slot->buffer->direction == GT_INOUT;
    gt_service_task task = {.operation = GT_DO_COPY,
                            .target = slot->address,
                            .source = is_inout ? slot->pristine : slot->address,
                            .count = slot->buffer->bytes};
    if (is_inout) {
        GT_TRY(gt_tasks_add(&measure->restore, slot, &task));
    }
    if (workspace->sets < 2 || slot->buffer->direction == GT_OUT) {
        return GPUTUNE_OK;
    }
    task.target = next[slot->index];
    task.repeats = workspace->sets - 1;
    if (workspace->sets > 2) {
        task.stride = next[workspace->workload.buffer_count + slot->index] - task.target;
    }
    return gt_tasks_add(is_inout ? &measure->restore : &measure->rotate, slot, &task);
}

/* Adds a task that changes an input slightly or, for an inout buffer, the copy that the reference
 * uses. */
static gputune_status plan_move(gt_measure *measure, gt_buffer_slot *slot)
{
    static const double beyond = 1e30; /* a finite bound above all values of data sets */
    const gt_buffer *buffer = slot->buffer;
    const gt_workload *workload = &slot->workspace->workload;
    bool is_expected = buffer->direction == GT_INOUT && workload->has_reference;
    bool is_zero = buffer->low == 0 && buffer->high == 0;
    bool is_refilled = buffer->variety == GT_VARIETY_REFILLED && !is_zero;
    gt_service_task task = {.operation = GT_DO_MOVE,
                            .target = is_expected ? slot->expected : slot->address,
                            .count = buffer->elements,
                            .low = is_refilled ? buffer->least : buffer->low,
                            .high = is_refilled ? buffer->most : buffer->high,
                            .stol = gt_tolerance_step(workload),
                            .type = is_expected ? buffer->reference_type : buffer->type};
    if (buffer->free && buffer->variety != GT_VARIETY_PLAIN) {
        task.low = -beyond;
        task.high = beyond;
        task.flags = GT_TASK_FREE;
    }
    bool other_layout = buffer->number_count > 0 && buffer->reference_type != buffer->type;
    slot->moves =
        task.stol > 0 && task.count > 0 && buffer->direction != GT_OUT && !other_layout &&
        gt_type_is_float(buffer->type) &&
        (slot->live ? buffer->number_count == 0 : buffer->fill == GT_FILL_UNIFORM || is_refilled);
    return slot->moves ? gt_tasks_add(&measure->move, slot, &task) : GPUTUNE_OK;
}

/* ---- After a launch -------------------------------------------------------------------------- */

/* Returns a task that compares an output with the expected results, without tolerances. */
static gt_service_task comparison(const gt_buffer_slot *slot, uint32_t poison)
{
    const gt_buffer *buffer = slot->buffer;
    const gt_workspace *workspace = slot->workspace;
    gt_service_task task = {.operation = GT_DO_COMPARE,
                            .target = slot->address,
                            .source = slot->expected,
                            .count = buffer->elements,
                            .type = buffer->type,
                            .source_type = buffer->reference_type,
                            .scale_type = workspace->scale_type,
                            .pattern = poison,
                            .source_pattern = workspace->workload.has_reference ? GT_POISON_SECOND
                                                                                : GT_POISON_FIRST,
                            .flags = (buffer->nan_ok ? GT_TASK_NAN_OK : 0) |
                                     (workspace->workload.unbounded ? GT_TASK_UNBOUNDED : 0) |
                                     (workspace->workload.huge ? GT_TASK_HUGE : 0)};
    gt_type unused;
    uint64_t scale_bytes = gt_plan_scale_bytes(&workspace->workload, &unused);
    if (buffer->elements * gt_type_bytes(workspace->scale_type) <= scale_bytes) {
        task.scale = workspace->scale;
    } else if (slot->scale) {
        task.scale = slot->scale;
        task.scale_type = GT_TYPE_F32;
    }
    return task;
}

static gputune_status plan_input(gt_tasks *table, gt_buffer_slot *slot)
{
    gt_service_task hash = {
        .operation = GT_DO_HASH, .target = slot->address, .count = slot->buffer->bytes};
    return slot->buffer->direction == GT_IN ? gt_tasks_add(table, slot, &hash) : GPUTUNE_OK;
}

static gputune_status plan_edges(gt_tasks *table, const gt_measure *measure, gt_buffer_slot *slot)
{
    gt_service_task task = {.operation = GT_DO_GUARD,
                            .target = slot->base,
                            .count = slot->address - slot->base,
                            .pattern = gt_guard_seed(slot->index)};
    GT_TRY(gt_tasks_add(table, slot, &task));
    task.target = slot->address + slot->buffer->bytes;
    task.count = slot->guard_back;
    GT_TRY(gt_tasks_add(table, slot, &task));
    return is_cheapest(measure, slot->workspace) ? plan_input(table, slot) : GPUTUNE_OK;
}

static gputune_status plan_failures(gt_tasks *table, gt_workspace *workspace)
{
    gt_service_task task = {.operation = GT_DO_COMPARE,
                            .target = workspace->failures.address,
                            .source = workspace->failures.address + 8,
                            .count = 1,
                            .type = GT_TYPE_U64,
                            .source_type = GT_TYPE_U64};
    return workspace->workload.has_check ? gt_tasks_add(table, &workspace->failures, &task)
                                         : GPUTUNE_OK;
}

/* Returns true if the buffer has results that are compared with expected results. */
static bool is_compared(const gt_buffer_slot *slot)
{
    const gt_buffer *buffer = slot->buffer;
    return buffer->direction != GT_IN && !buffer->is_placeholder &&
           !slot->workspace->workload.has_check;
}

static gputune_status plan_result(gt_tasks *table, gt_buffer_slot *slot, uint32_t poison)
{
    gt_service_task compare = comparison(slot, poison);
    return is_compared(slot) ? gt_tasks_add(table, slot, &compare) : GPUTUNE_OK;
}

/* ---- The reference --------------------------------------------------------------------------- */

/* Adds a task that copies the results of the reference's first run to the slots, and a task that
 * compares this copy with the results of the second run. The comparison accepts NaN if both results
 * are NaN, because only the verification of a variant decides whether NaN is allowed. */
static gputune_status plan_agreement(gt_measure *measure, gt_buffer_slot *slot)
{
    gt_service_task task = comparison(slot, GT_POISON_FIRST);
    gt_service_task keep = {.operation = GT_DO_NARROW,
                            .target = task.target,
                            .source = task.source,
                            .count = task.count,
                            .type = task.type,
                            .source_type = task.source_type,
                            .source_pattern = GT_POISON_FIRST};
    task.flags |= GT_TASK_NAN_OK | GT_TASK_GAPS;
    GT_TRY(gt_tasks_add(&measure->keep, slot, &keep));
    return gt_tasks_add(&measure->agree, slot, &task);
}

/* Adds a task that compares the results with those for slightly changed inputs, and a task that
 * measures their magnitude. Without a reference, the results are those of a variant. */
static gputune_status plan_spread(gt_measure *measure, gt_buffer_slot *slot)
{
    const gt_buffer *buffer = slot->buffer;
    bool has_reference = slot->workspace->workload.has_reference;
    gt_service_task task = {.operation = GT_DO_SPREAD,
                            .target = has_reference ? slot->address : slot->expected,
                            .source = has_reference ? slot->expected : slot->address,
                            .scale = slot->scale,
                            .count = buffer->elements,
                            .type = buffer->type,
                            .source_type = buffer->reference_type,
                            .pattern = GT_POISON_FIRST};
    if (!gt_type_is_float(buffer->type)) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_tasks_add(&measure->spread, slot, &task));
    task.source = 0;
    return gt_tasks_add(&measure->spread, slot, &task);
}

static gputune_status plan_result_hash(gt_measure *measure, CUdeviceptr address, uint64_t bytes)
{
    gt_service_task hash = {.operation = GT_DO_HASH, .target = address, .count = bytes};
    return address ? gt_tasks_add(&measure->results, NULL, &hash) : GPUTUNE_OK;
}

static gputune_status plan_reference(gt_measure *measure, gt_buffer_slot *slot)
{
    const gt_buffer *buffer = slot->buffer;
    GT_TRY(plan_input(&measure->hash, slot));
    if (is_compared(slot)) {
        GT_TRY(plan_agreement(measure, slot));
        GT_TRY(plan_spread(measure, slot));
    }
    GT_TRY(plan_result_hash(measure, slot->expected, gt_plan_expected_bytes(buffer)));
    GT_TRY(plan_result_hash(measure, slot->live ? slot->pristine : 0, buffer->bytes));
    gt_service_task convert = {.operation = GT_DO_NARROW,
                               .target = slot->expected,
                               .source = slot->pristine,
                               .count = buffer->elements,
                               .type = buffer->reference_type,
                               .source_type = buffer->type};
    return buffer->direction == GT_INOUT && buffer->reference_type != buffer->type
               ? gt_tasks_add(&measure->convert, NULL, &convert)
               : GPUTUNE_OK;
}

static gputune_status plan_workspace(gt_measure *measure, gt_workspace *workspace)
{
    gt_type unused;
    const uint32_t first = first_poison(measure, workspace), last = last_poison(measure, workspace);
    const bool twice = is_cheapest(measure, workspace);
    const uint32_t before_race = twice ? first : last;
    gt_tasks_reset(&workspace->first);
    GT_TRY(plan_failures(&measure->check, workspace));
    GT_TRY(plan_failures(&workspace->first, workspace));
    for (gt_buffer_slot *slot = workspace->slots; slot < workspace->slots_end; ++slot) {
        GT_TRY(plan_reset(&measure->reset, slot, first));
        GT_TRY(plan_reset(&measure->again, slot, last));
        GT_TRY(plan_reset(&measure->launch, slot, before_race));
        /* `check` compares the results of the last launch. `first` compares the results of the
         * first launch, and hashes the inputs that `check` does not hash. */
        GT_TRY(plan_result(&measure->check, slot, last));
        GT_TRY(plan_edges(&measure->check, measure, slot));
        GT_TRY(plan_edges(&measure->edges, measure, slot));
        GT_TRY(plan_result(&workspace->first, slot, first));
        if (twice) {
            GT_TRY(plan_reset(&measure->relaunch, slot, last));
        } else {
            GT_TRY(plan_input(&workspace->first, slot));
        }
        GT_TRY(plan_reference(measure, slot));
        GT_TRY(plan_move(measure, slot));
        if (workspace == measure->workspaces) {
            GT_TRY(plan_sets(measure, slot));
        }
    }
    gt_tasks_mark_timed(&workspace->first);
    GT_TRY(gt_tasks_upload(measure, &workspace->first));
    return plan_result_hash(measure, workspace->scale,
                            gt_plan_scale_bytes(&workspace->workload, &unused));
}

gputune_status gt_tables_plan(gt_measure *measure)
{
    for (size_t k = 0; k < GT_TABLES; ++k) {
        gt_tasks_reset(&measure->tables[k]);
    }
    for (uint32_t i = 0; i < measure->setup.workload_count; ++i) {
        GT_TRY(plan_workspace(measure, &measure->workspaces[i]));
        for (size_t k = 0; i == 0 && k < GT_TABLES; ++k) {
            gt_tasks_mark_timed(&measure->tables[k]);
        }
    }
    for (size_t k = 0; k < GT_TABLES; ++k) {
        GT_TRY(gt_tasks_upload(measure, &measure->tables[k]));
    }
    return GPUTUNE_OK;
}

/* ---- Tolerances ------------------------------------------------------------------------------ */

/* Sets the tolerances of the comparisons in a table. If `gaps` is true, elements that neither side
 * has written count as equal in buffers that the reference leaves partly unwritten. */
static gputune_status judge_table(gt_measure *measure, gt_tasks *table, bool gaps)
{
    for (size_t i = 0; i < table->tasks.count; ++i) {
        gt_service_task *task = &table->tasks.items[i];
        const gt_buffer_slot *slot = table->slots.items[i];
        if (task->operation != GT_DO_COMPARE || !slot->buffer) {
            continue;
        }
        bool narrowed = !gaps && slot->buffer->type != slot->buffer->reference_type;
        task->low = slot->tolerance.atol;
        task->high = slot->tolerance.rtol + (narrowed ? gt_type_roundoff(slot->buffer->type) : 0);
        task->stol = slot->tolerance.stol;
        if (gaps) {
            uint32_t flags = task->flags & ~(uint32_t)GT_TASK_GAPS;
            task->flags = flags | (slot->gaps ? GT_TASK_GAPS : 0);
        }
    }
    return gt_tasks_upload(measure, table);
}

gputune_status gt_tables_judge(gt_measure *measure)
{
    for (uint32_t s = 0; s < measure->setup.workload_count; ++s) {
        GT_TRY(judge_table(measure, &measure->workspaces[s].first, true));
    }
    GT_TRY(judge_table(measure, &measure->agree, false));
    return judge_table(measure, &measure->check, true);
}

gputune_status gt_tables_move(gt_measure *measure, uint64_t seed, uint32_t sparse)
{
    for (size_t i = 0; i < measure->move.tasks.count; ++i) {
        measure->move.tasks.items[i].seed = gt_fill_seed(seed, (uint32_t)i);
        measure->move.tasks.items[i].sparse = sparse;
    }
    return gt_tasks_upload(measure, &measure->move);
}
