/* What the service kernels have to do with the buffers of a setup, as tables that are made once:
 * what comes before a launch, and what is looked at behind it. */
#include "farm/measure_parts.h"
#include "farm/measure_value.h"
#include "kernel/tolerance.h"

static bool is_timed(const gt_measure *measure, const gt_rig *rig)
{
    return rig == &measure->rigs[0];
}

/* Inputs are proved untouched on the cheaper rig, those of the other with the winner. */
static bool is_cheapest(const gt_measure *measure, const gt_rig *rig)
{
    return rig == &measure->rigs[measure->setup.workload_count - 1];
}

/* ---- Before a launch ------------------------------------------------------------------------- */

static gputune_status plan_reset(gt_tasks *table, const gt_rig *rig, uint32_t poison)
{
    for (uint32_t i = 0; i < rig->workload.buffer_count; ++i) {
        const gt_buffer *buffer = &rig->workload.buffers[i];
        gt_service_task task = {.operation = GT_DO_COPY,
                                .target = rig->slots[i].address,
                                .source = rig->slots[i].pristine,
                                .count = buffer->bytes};
        if (buffer->direction == GT_OUT) {
            task.operation = GT_DO_POISON;
            task.source = 0;
            task.pattern = poison;
        }
        if (buffer->direction != GT_IN) {
            GT_TRY(gt_tasks_add(table, &task, GT_TILE_RESET, NULL));
        }
    }
    return GPUTUNE_OK;
}

/* Pristine inout buffers to every set; inputs to every set but the first. */
static gputune_status plan_sets(gt_measure *measure, const gt_rig *rig)
{
    uint32_t buffers = rig->workload.buffer_count;
    for (uint32_t i = 0; i < buffers; ++i) {
        const gt_buffer *buffer = &rig->workload.buffers[i];
        gt_service_task task = {.operation = GT_DO_COPY, .count = buffer->bytes};
        bool is_inout = buffer->direction == GT_INOUT;
        task.source = is_inout ? rig->slots[i].pristine : rig->slots[i].address;
        if (is_inout) {
            task.target = rig->slots[i].address;
            GT_TRY(gt_tasks_add(&measure->restore, &task, GT_TILE_RESET, NULL));
        }
        if (rig->sets < 2 || buffer->direction == GT_OUT) {
            continue;
        }
        task.target = rig->addresses[buffers + i];
        task.repeats = rig->sets - 1;
        task.stride = rig->sets > 2 ? rig->addresses[2 * buffers + i] - task.target : 0;
        GT_TRY(gt_tasks_add(is_inout ? &measure->restore : &measure->rotate, &task, GT_TILE_RESET,
                            NULL));
    }
    return GPUTUNE_OK;
}

static gputune_status plan_convert(gt_measure *measure, gt_rig *rig)
{
    for (uint32_t i = 0; i < rig->workload.buffer_count; ++i) {
        const gt_buffer *buffer = &rig->workload.buffers[i];
        gt_service_task task = {.operation = GT_DO_CONVERT,
                                .target = rig->slots[i].expected,
                                .source = rig->slots[i].pristine,
                                .count = buffer->elements,
                                .type = buffer->type};
        if (buffer->direction == GT_INOUT && buffer->reference_type != buffer->type) {
            GT_TRY(gt_tasks_add(&measure->convert, &task, GT_TILE, NULL));
        }
    }
    return GPUTUNE_OK;
}

/* Where steps can be taken: only values that another seed might have given as well, so that
 * whatever the kernel does with them stays within what the template says. The caller's data stay.
 */
static bool can_move(const gt_buffer *buffer, const gt_slot *slot)
{
    return buffer->direction != GT_OUT && !slot->live && gt_type_is_float(buffer->type) &&
           buffer->fill == GT_FILL_UNIFORM;
}

/* The reference works on the expected results, a variant on the slots. */
static gputune_status plan_move(gt_measure *measure, gt_rig *rig)
{
    double step = gt_tolerance_step(&rig->workload);
    for (uint32_t i = 0; i < rig->workload.buffer_count && step > 0; ++i) {
        const gt_buffer *buffer = &rig->workload.buffers[i];
        const gt_slot *slot = &rig->slots[i];
        bool is_expected = buffer->direction == GT_INOUT && rig->reference;
        gt_service_task task = {.operation = GT_DO_MOVE,
                                .target = is_expected ? slot->expected : slot->address,
                                .count = buffer->elements,
                                .low = buffer->low,
                                .high = buffer->high,
                                .stol = step,
                                .type = is_expected ? buffer->reference_type : buffer->type};
        if (can_move(buffer, slot)) {
            GT_TRY(gt_tasks_add(&measure->move, &task, GT_TILE, NULL));
        }
    }
    return GPUTUNE_OK;
}

/* ---- Behind it ------------------------------------------------------------------------------- */

/* An output against what is expected; the tolerance follows. */
static gt_service_task comparison(const gt_rig *rig, uint32_t index, uint32_t poison)
{
    const gt_buffer *buffer = &rig->workload.buffers[index];
    const gt_slot *slot = &rig->slots[index];
    gt_service_task task = {.operation = GT_DO_COMPARE,
                            .target = slot->address,
                            .source = slot->expected,
                            .count = buffer->elements,
                            .type = buffer->type,
                            .source_type = buffer->reference_type,
                            .scale_type = rig->scale_type,
                            .pattern = poison,
                            .source_pattern = GT_POISON_SECOND,
                            .flags = buffer->nan_ok ? GT_TASK_NAN_OK : 0};
    gt_type unused;
    uint64_t scale_bytes = gt_plan_scale_bytes(&rig->workload, &unused);
    if (buffer->elements * gt_type_bytes(rig->scale_type) <= scale_bytes) {
        task.scale = rig->scale;
    }
    return task;
}

static gputune_status plan_guards(gt_measure *measure, gt_rig *rig, uint32_t index)
{
    gt_slot *slot = &rig->slots[index];
    gt_service_task task = {.operation = GT_DO_GUARD,
                            .target = slot->base,
                            .count = slot->address - slot->base,
                            .pattern = gt_guard_seed(index)};
    GT_TRY(gt_tasks_add(&measure->check, &task, GT_TILE, &slot->guard_task));
    task.target = slot->address + rig->workload.buffers[index].bytes;
    task.count = GT_GUARD_BACK;
    return gt_tasks_add(&measure->check, &task, GT_TILE, NULL); /* guard_task + 1 */
}

static gputune_status plan_failures(gt_tasks *table, const gt_rig *rig, int *index)
{
    gt_service_task task = {.operation = GT_DO_COMPARE,
                            .target = rig->failures,
                            .source = rig->failures + 8,
                            .count = 1,
                            .type = GT_TYPE_U64,
                            .source_type = GT_TYPE_U64};
    *index = -1;
    return rig->check ? gt_tasks_add(table, &task, GT_TILE, index) : GPUTUNE_OK;
}

static gputune_status plan_input(gt_tasks *table, const gt_rig *rig, uint32_t index, int *task)
{
    gt_service_task hash = {.operation = GT_DO_HASH,
                            .target = rig->slots[index].address,
                            .count = rig->workload.buffers[index].bytes};
    return gt_tasks_add(table, &hash, GT_TILE, task);
}

/* After the second launch: everything. */
static gputune_status plan_check(gt_measure *measure, gt_rig *rig)
{
    GT_TRY(plan_failures(&measure->check, rig, &rig->failures_task));
    for (uint32_t i = 0; i < rig->workload.buffer_count; ++i) {
        gt_slot *slot = &rig->slots[i];
        bool is_input = rig->workload.buffers[i].direction == GT_IN;
        gt_service_task task = comparison(rig, i, GT_POISON_SECOND);
        slot->compare_task = slot->hash_task = -1;
        if (!is_input && !rig->check) {
            GT_TRY(gt_tasks_add(&measure->check, &task, GT_TILE, &slot->compare_task));
        }
        GT_TRY(plan_guards(measure, rig, i));
        if (is_input && is_cheapest(measure, rig)) {
            GT_TRY(plan_input(&measure->check, rig, i, &slot->hash_task));
        }
    }
    return GPUTUNE_OK;
}

/* After the first launch: results; and the inputs that plan_check() leaves out. */
static gputune_status plan_first(gt_measure *measure, gt_rig *rig)
{
    GT_TRY(plan_failures(&rig->first, rig, &rig->first_failures_task));
    for (uint32_t i = 0; i < rig->workload.buffer_count; ++i) {
        gt_slot *slot = &rig->slots[i];
        bool is_input = rig->workload.buffers[i].direction == GT_IN;
        gt_service_task task = comparison(rig, i, GT_POISON_FIRST);
        slot->first_task = slot->first_hash_task = -1;
        if (!is_input && !rig->check) {
            GT_TRY(gt_tasks_add(&rig->first, &task, GT_TILE, &slot->first_task));
        }
        if (is_input && !is_cheapest(measure, rig)) {
            GT_TRY(plan_input(&rig->first, rig, i, &slot->first_hash_task));
        }
    }
    gt_tasks_mark_timed(&rig->first);
    return gt_tasks_upload(measure, &rig->first);
}

/* ---- Around the reference -------------------------------------------------------------------- */

/* Two runs of the reference: the first, as a variant would have left it, against the second. NaNs
 * are judged with the variants. */
static gputune_status plan_agreement(gt_measure *measure, gt_rig *rig, uint32_t index)
{
    gt_slot *slot = &rig->slots[index];
    gt_service_task task = comparison(rig, index, GT_POISON_FIRST);
    gt_service_task keep = {.operation = GT_DO_NARROW,
                            .target = task.target,
                            .source = task.source,
                            .count = task.count,
                            .type = task.type,
                            .source_type = task.source_type,
                            .source_pattern = GT_POISON_FIRST};
    task.flags = GT_TASK_NAN_OK | GT_TASK_GAPS;
    GT_TRY(gt_tasks_add(&measure->keep, &keep, GT_TILE, NULL));
    return gt_tasks_add(&measure->agree, &task, GT_TILE, &slot->agree_task);
}

/* Results against those of moved inputs, and how large they are (spread_task + 1). The reference's
 * own are kept in the slot, a variant's are the expected ones. */
static gputune_status plan_spread(gt_measure *measure, gt_rig *rig, uint32_t index)
{
    const gt_buffer *buffer = &rig->workload.buffers[index];
    gt_slot *slot = &rig->slots[index];
    gt_service_task task = {.operation = GT_DO_SPREAD,
                            .target = rig->reference ? slot->address : slot->expected,
                            .source = rig->reference ? slot->expected : slot->address,
                            .count = buffer->elements,
                            .type = buffer->type,
                            .source_type = buffer->reference_type};
    if (!gt_type_is_float(buffer->type)) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_tasks_add(&measure->spread, &task, GT_TILE, &slot->spread_task));
    task.source = 0;
    return gt_tasks_add(&measure->spread, &task, GT_TILE, NULL);
}

static gputune_status plan_reference(gt_measure *measure, gt_rig *rig)
{
    for (uint32_t i = 0; i < rig->workload.buffer_count; ++i) {
        gt_slot *slot = &rig->slots[i];
        slot->agree_task = slot->spread_task = slot->input_task = -1;
        if (rig->workload.buffers[i].direction == GT_IN) {
            GT_TRY(plan_input(&measure->hash, rig, i, &slot->input_task));
        } else if (!rig->check) {
            GT_TRY(plan_agreement(measure, rig, i));
            GT_TRY(plan_spread(measure, rig, i));
        }
    }
    return plan_convert(measure, rig);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static gputune_status plan_rig(gt_measure *measure, gt_rig *rig)
{
    GT_TRY(plan_reset(&measure->reset, rig, GT_POISON_FIRST));
    GT_TRY(plan_reset(&measure->again, rig, GT_POISON_SECOND));
    /* the results of a proof's last launch on a rig are looked at with the second poison */
    bool twice = rig == &measure->rigs[measure->setup.workload_count - 1];
    GT_TRY(plan_reset(&measure->launch, rig, twice ? GT_POISON_FIRST : GT_POISON_SECOND));
    if (twice) {
        GT_TRY(plan_reset(&measure->relaunch, rig, GT_POISON_SECOND));
    }
    GT_TRY(plan_check(measure, rig));
    GT_TRY(plan_first(measure, rig));
    GT_TRY(plan_reference(measure, rig));
    GT_TRY(plan_move(measure, rig));
    return is_timed(measure, rig) ? plan_sets(measure, rig) : GPUTUNE_OK;
}

gputune_status gt_tables_plan(gt_measure *measure)
{
    gt_tasks *const tables[] = {
        &measure->launch, &measure->reset, &measure->again,  &measure->relaunch, &measure->restore,
        &measure->rotate, &measure->check, &measure->hash,   &measure->keep,     &measure->agree,
        &measure->spread, &measure->move,  &measure->convert};
    size_t count = sizeof tables / sizeof tables[0];
    for (uint32_t i = 0; i < measure->setup.workload_count; ++i) {
        GT_TRY(plan_rig(measure, &measure->rigs[i]));
        for (size_t k = 0; i == 0 && k < count; ++k) {
            gt_tasks_mark_timed(tables[k]);
        }
    }
    for (size_t k = 0; k < count; ++k) {
        GT_TRY(gt_tasks_upload(measure, tables[k]));
    }
    return GPUTUNE_OK;
}

/* ---- What is only known later ---------------------------------------------------------------- */

static void judge_task(gt_tasks *table, int index, const gt_slot *slot, double rounding)
{
    if (index < 0) {
        return;
    }
    gt_service_task *task = &table->tasks.items[index];
    task->low = slot->tolerance.atol;
    task->high = slot->tolerance.rtol + rounding;
    task->stol = slot->tolerance.stol;
}

static void allow_gaps(gt_tasks *table, int index, bool gaps)
{
    if (index >= 0) {
        uint32_t flags = table->tasks.items[index].flags & ~(uint32_t)GT_TASK_GAPS;
        table->tasks.items[index].flags = flags | (gaps ? GT_TASK_GAPS : 0);
    }
}

static void judge_slot(gt_measure *measure, gt_rig *rig, uint32_t index)
{
    const gt_buffer *buffer = &rig->workload.buffers[index];
    const gt_slot *slot = &rig->slots[index];
    bool narrowed = buffer->type != buffer->reference_type;
    judge_task(&measure->check, slot->compare_task, slot, 0);
    judge_task(&rig->first, slot->first_task, slot, 0);
    judge_task(&measure->agree, slot->agree_task, slot,
               narrowed ? gt_type_roundoff(buffer->type) : 0);
    allow_gaps(&measure->check, slot->compare_task, slot->gaps);
    allow_gaps(&rig->first, slot->first_task, slot->gaps);
}

gputune_status gt_tables_judge(gt_measure *measure)
{
    for (uint32_t s = 0; s < measure->setup.workload_count; ++s) {
        gt_rig *rig = &measure->rigs[s];
        for (uint32_t i = 0; i < rig->workload.buffer_count; ++i) {
            judge_slot(measure, rig, i);
        }
        GT_TRY(gt_tasks_upload(measure, &rig->first));
    }
    GT_TRY(gt_tasks_upload(measure, &measure->agree));
    return gt_tasks_upload(measure, &measure->check);
}

gputune_status gt_tables_move(gt_measure *measure, uint64_t seed, uint32_t sparse)
{
    for (size_t i = 0; i < measure->move.tasks.count; ++i) {
        measure->move.tasks.items[i].seed = gt_fill_seed(seed, (uint32_t)i);
        measure->move.tasks.items[i].sparse = sparse;
    }
    return gt_tasks_upload(measure, &measure->move);
}
