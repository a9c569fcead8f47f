#include "farm/measure_parts.h"
#include "farm/measure_value.h"

#include <stdlib.h>

static bool is_timed(const gt_measure *measure, const gt_stage *stage)
{
    return stage == &measure->stages[0];
}

static uint32_t poison_of(const gt_measure *measure, const gt_stage *stage)
{
    return is_timed(measure, stage) ? GT_POISON_TIMED : GT_POISON_AWKWARD;
}

/* Inputs are proved untouched on the cheaper stage. */
static bool hashes_inputs(const gt_measure *measure, const gt_stage *stage)
{
    return stage == &measure->stages[measure->setup.workload_count - 1];
}

static uint32_t guard_seed(uint32_t buffer)
{
    return 0x35 + 7 * buffer;
}

/* ---- Tables that stay ------------------------------------------------------------------------ */

static gputune_status plan_reset(gt_measure *measure, gt_stage *stage)
{
    for (uint32_t i = 0; i < stage->workload.buffer_count; ++i) {
        const gt_buffer *buffer = &stage->workload.buffers[i];
        gt_task task = {.operation = GT_OPERATION_COPY,
                        .target = stage->slots[i].address,
                        .source = stage->slots[i].pristine,
                        .count = buffer->bytes};
        if (buffer->direction == GT_OUT) {
            task.operation = GT_OPERATION_POISON;
            task.source = 0;
            task.pattern = poison_of(measure, stage);
        }
        if (buffer->direction != GT_IN) {
            GT_TRY(gt_table_add(&measure->reset, &task, GT_TILE_RESET, NULL));
        }
    }
    return GPUTUNE_OK;
}

/* Pristine inout buffers to every set; inputs to every set but the first. */
static gputune_status plan_sets(gt_measure *measure, const gt_stage *stage)
{
    uint32_t buffers = stage->workload.buffer_count;
    for (uint32_t i = 0; i < buffers; ++i) {
        const gt_buffer *buffer = &stage->workload.buffers[i];
        gt_task task = {.operation = GT_OPERATION_COPY, .count = buffer->bytes};
        bool is_inout = buffer->direction == GT_INOUT;
        task.source = is_inout ? stage->slots[i].pristine : stage->slots[i].address;
        if (is_inout) {
            task.target = stage->slots[i].address;
            GT_TRY(gt_table_add(&measure->restore, &task, GT_TILE_RESET, NULL));
        }
        if (stage->sets < 2 || buffer->direction == GT_OUT) {
            continue;
        }
        task.target = stage->addresses[buffers + i];
        task.repeats = stage->sets - 1;
        task.stride = stage->sets > 2 ? stage->addresses[2 * buffers + i] - task.target : 0;
        GT_TRY(gt_table_add(is_inout ? &measure->restore : &measure->rotate, &task, GT_TILE_RESET,
                            NULL));
    }
    return GPUTUNE_OK;
}

static gputune_status plan_comparison(gt_measure *measure, gt_stage *stage, uint32_t index)
{
    const gt_workload *workload = &stage->workload;
    const gt_buffer *buffer = &workload->buffers[index];
    gt_slot *slot = &stage->slots[index];
    gt_task task = {.operation = GT_OPERATION_COMPARE,
                    .target = slot->address,
                    .source = slot->expected,
                    .count = buffer->elements,
                    .low = workload->tolerance.atol,
                    .high = workload->tolerance.rtol,
                    .stol = workload->tolerance.stol,
                    .type = buffer->type,
                    .source_type = buffer->reference_type,
                    .scale_type = stage->scale_type,
                    .pattern = poison_of(measure, stage),
                    .flags = buffer->nan_ok ? GT_TASK_NAN_OK : 0};
    gt_type unused;
    uint64_t scale_bytes = gt_plan_scale_bytes(workload, &unused);
    if (buffer->elements * gt_type_bytes(stage->scale_type) <= scale_bytes) {
        task.scale = stage->scale;
    }
    return gt_table_add(&measure->check, &task, GT_TILE, &slot->compare_task);
}

static gputune_status plan_guards(gt_measure *measure, gt_stage *stage, uint32_t index)
{
    gt_slot *slot = &stage->slots[index];
    gt_task task = {.operation = GT_OPERATION_GUARD,
                    .target = slot->base,
                    .count = slot->address - slot->base,
                    .pattern = guard_seed(index)};
    GT_TRY(gt_table_add(&measure->check, &task, GT_TILE, &slot->guard_task));
    task.target = slot->address + stage->workload.buffers[index].bytes;
    task.count = GT_GUARD_BACK;
    return gt_table_add(&measure->check, &task, GT_TILE, NULL); /* guard_task + 1 */
}

static gputune_status plan_failures(gt_measure *measure, gt_stage *stage)
{
    gt_task task = {.operation = GT_OPERATION_COMPARE,
                    .target = stage->failures,
                    .source = stage->failures + 8,
                    .count = 1,
                    .type = GT_TYPE_U64,
                    .source_type = GT_TYPE_U64};
    return gt_table_add(&measure->check, &task, GT_TILE, &stage->failures_task);
}

static gputune_status plan_check(gt_measure *measure, gt_stage *stage)
{
    stage->failures_task = -1;
    if (stage->check) {
        GT_TRY(plan_failures(measure, stage));
    }
    for (uint32_t i = 0; i < stage->workload.buffer_count; ++i) {
        gt_slot *slot = &stage->slots[i];
        bool is_input = stage->workload.buffers[i].direction == GT_IN;
        slot->compare_task = slot->hash_task = -1;
        if (!is_input && !stage->check) {
            GT_TRY(plan_comparison(measure, stage, i));
        }
        GT_TRY(plan_guards(measure, stage, i));
        if (is_input && hashes_inputs(measure, stage)) {
            gt_task task = {.operation = GT_OPERATION_HASH,
                            .target = slot->address,
                            .count = stage->workload.buffers[i].bytes};
            GT_TRY(gt_table_add(&measure->check, &task, GT_TILE, &slot->hash_task));
        }
    }
    return GPUTUNE_OK;
}

/* Hashes by which two runs of the reference are compared, and inputs later. */
static gputune_status plan_hash(gt_measure *measure, gt_stage *stage)
{
    for (uint32_t i = 0; i < stage->workload.buffer_count; ++i) {
        const gt_buffer *buffer = &stage->workload.buffers[i];
        gt_slot *slot = &stage->slots[i];
        gt_task task = {.operation = GT_OPERATION_HASH,
                        .target = slot->expected,
                        .count = gt_plan_expected_bytes(buffer)};
        slot->reference_task = -1;
        if (buffer->direction == GT_IN && hashes_inputs(measure, stage)) {
            task.target = slot->address;
            task.count = buffer->bytes;
        }
        GT_TRY(gt_table_add(&measure->hash, &task, GT_TILE, &slot->reference_task));
    }
    return GPUTUNE_OK;
}

static gputune_status plan_convert(gt_measure *measure, gt_stage *stage)
{
    for (uint32_t i = 0; i < stage->workload.buffer_count; ++i) {
        const gt_buffer *buffer = &stage->workload.buffers[i];
        gt_task task = {.operation = GT_OPERATION_CONVERT,
                        .target = stage->slots[i].expected,
                        .source = stage->slots[i].pristine,
                        .count = buffer->elements,
                        .type = buffer->type};
        if (buffer->direction == GT_INOUT && buffer->reference_type != buffer->type) {
            GT_TRY(gt_table_add(&measure->convert, &task, GT_TILE, NULL));
        }
    }
    return GPUTUNE_OK;
}

static gputune_status plan_stage(gt_measure *measure, gt_stage *stage)
{
    GT_TRY(plan_reset(measure, stage));
    GT_TRY(plan_check(measure, stage));
    GT_TRY(plan_hash(measure, stage));
    GT_TRY(plan_convert(measure, stage));
    return is_timed(measure, stage) ? plan_sets(measure, stage) : GPUTUNE_OK;
}

gputune_status gt_contents_plan(gt_measure *measure)
{
    gt_table *const tables[] = {&measure->reset, &measure->restore, &measure->rotate,
                                &measure->check, &measure->hash,    &measure->convert};
    size_t count = sizeof tables / sizeof tables[0];
    for (uint32_t i = 0; i < measure->setup.workload_count; ++i) {
        GT_TRY(plan_stage(measure, &measure->stages[i]));
        for (size_t k = 0; i == 0 && k < count; ++k) {
            gt_table_mark_timed(tables[k]);
        }
    }
    for (size_t k = 0; k < count; ++k) {
        GT_TRY(gt_table_upload(measure, tables[k]));
    }
    return GPUTUNE_OK;
}

/* ---- Contents -------------------------------------------------------------------------------- */

static gputune_status plan_fill_slot(gt_measure *measure, gt_stage *stage, uint32_t index,
                                     uint64_t seed)
{
    const gt_buffer *buffer = &stage->workload.buffers[index];
    const gt_slot *slot = &stage->slots[index];
    gt_task fill = {.operation = GT_OPERATION_FILL,
                    .target = slot->pristine ? slot->pristine : slot->address,
                    .count = buffer->elements,
                    .seed = gt_fill_seed(seed, index),
                    .low = buffer->low,
                    .high = buffer->high,
                    .type = buffer->type,
                    .pattern = buffer->fill};
    gt_task guard = {.operation = GT_OPERATION_PATTERN,
                     .target = slot->base,
                     .count = slot->address - slot->base,
                     .pattern = guard_seed(index)};
    if (buffer->direction != GT_OUT && !slot->live) {
        GT_TRY(gt_table_add(&measure->fill, &fill, GT_TILE, NULL));
    }
    GT_TRY(gt_table_add(&measure->fill, &guard, GT_TILE, NULL));
    guard.target = slot->address + buffer->bytes;
    guard.count = GT_GUARD_BACK;
    return gt_table_add(&measure->fill, &guard, GT_TILE, NULL);
}

static gputune_status fill_block(gt_measure *measure, gt_stage *stage, uint64_t seed)
{
    const gt_buffer *block = &stage->workload.block;
    if (!stage->workload.has_block) {
        return GPUTUNE_OK;
    }
    gt_fill_host(stage->block, block, gt_fill_seed(seed, GT_PARAMETER_MAX));
    GT_CALL(measure, MemcpyHtoDAsync, stage->device_block, stage->block, block->bytes,
            measure->stream);
    return GPUTUNE_OK;
}

static gputune_status fill_stages(gt_measure *measure, uint64_t seed, uint32_t stages)
{
    gt_table_reset(&measure->fill);
    for (uint32_t s = 0; s < stages; ++s) {
        gt_stage *stage = &measure->stages[s];
        for (uint32_t i = 0; i < stage->workload.buffer_count; ++i) {
            GT_TRY(plan_fill_slot(measure, stage, i, seed));
        }
        GT_TRY(fill_block(measure, stage, seed));
    }
    GT_TRY(gt_table_upload(measure, &measure->fill));
    GT_TRY(gt_service_run(measure, GT_SERVICE_FILL, &measure->fill, false));
    for (uint32_t i = 0; i < measure->stages[0].workload.buffer_count; ++i) {
        const gt_slot *slot = &measure->stages[0].slots[i];
        if (slot->live && slot->pristine) {
            GT_CALL(measure, MemcpyDtoDAsync, slot->address, slot->pristine,
                    measure->stages[0].workload.buffers[i].bytes, measure->stream);
        }
    }
    return gt_service_run(measure, GT_SERVICE_RESET, &measure->rotate, false);
}

/* ---- The reference --------------------------------------------------------------------------- */

static gputune_status ready_expected(gt_measure *measure, const gt_stage *stage)
{
    for (uint32_t i = 0; i < stage->workload.buffer_count; ++i) {
        const gt_buffer *buffer = &stage->workload.buffers[i];
        const gt_slot *slot = &stage->slots[i];
        if (buffer->direction == GT_OUT) {
            GT_CALL(measure, MemsetD8Async, slot->expected,
                    (unsigned char)poison_of(measure, stage), gt_plan_expected_bytes(buffer),
                    measure->stream);
        } else if (buffer->direction == GT_INOUT && buffer->reference_type == buffer->type) {
            GT_CALL(measure, MemcpyDtoDAsync, slot->expected, slot->pristine, buffer->bytes,
                    measure->stream);
        }
    }
    return GPUTUNE_OK;
}

/* One run on every stage; hashes of what it made are queued too. */
static gputune_status run_reference(gt_measure *measure, uint32_t stages)
{
    for (uint32_t s = 0; s < stages; ++s) {
        GT_TRY(ready_expected(measure, &measure->stages[s]));
    }
    GT_TRY(gt_service_run(measure, GT_SERVICE_FILL, &measure->convert, stages == 1));
    GT_CALL(measure, EventRecord, measure->start, measure->stream);
    GT_TRY(gt_reference_launch(measure, &measure->stages[0]));
    GT_CALL(measure, EventRecord, measure->stop, measure->stream);
    if (stages > 1) {
        GT_TRY(gt_reference_launch(measure, &measure->stages[1]));
    }
    GT_TRY(gt_service_check(measure, &measure->hash, stages == 1));
    return gt_measure_wait(measure);
}

/* Takes over the hashes of the last run; says whether they are those of the run before. */
static const char *note_hashes(gt_measure *measure, uint32_t stages)
{
    const char *changed = NULL;
    for (uint32_t s = 0; s < stages; ++s) {
        gt_stage *stage = &measure->stages[s];
        for (uint32_t i = 0; i < stage->workload.buffer_count; ++i) {
            gt_slot *slot = &stage->slots[i];
            if (slot->reference_task < 0) {
                continue;
            }
            uint64_t hash = measure->findings->items[slot->reference_task].count;
            changed = hash == slot->hash ? changed : stage->workload.buffers[i].name;
            slot->hash = hash;
        }
    }
    return changed;
}

static gputune_status blame_reference(gputune_status status, const gt_measure *measure)
{
    return gt_fail(GPUTUNE_ETEMPLATE, "the reference kernel %s failed: %s",
                   measure->stages[0].workload.reference.entry,
                   status < 0 ? gt_message() : "unknown");
}

static gputune_status make_expected(gt_measure *measure, uint32_t stages)
{
    const char *changed = NULL;
    for (int run = 0; run < 2; ++run) {
        gputune_status status = run_reference(measure, stages);
        if (status < 0) {
            return blame_reference(status, measure);
        }
        changed = note_hashes(measure, stages);
    }
    if (changed) {
        return gt_fail(GPUTUNE_ETEMPLATE,
                       "the reference kernel %s gives other values of %s when it runs again: it "
                       "must be deterministic and leave its inputs alone",
                       measure->stages[0].workload.reference.entry, changed);
    }
    measure->has_expected = true;
    return gt_measure_elapsed(&measure->reference_ns, measure);
}

gputune_status gt_contents_make(gt_measure *measure, uint64_t seed, bool timed_only)
{
    uint32_t stages = timed_only ? 1 : measure->setup.workload_count;
    GT_TRY(fill_stages(measure, seed, stages));
    measure->seed = seed;
    if (measure->stages[0].reference) {
        return make_expected(measure, stages);
    }
    GT_TRY(gt_service_check(measure, &measure->hash, timed_only));
    GT_TRY(gt_measure_wait(measure));
    (void)note_hashes(measure, stages);
    return GPUTUNE_OK;
}

gputune_status gt_contents_adopt(gt_measure *measure)
{
    for (uint32_t s = 0; s < measure->setup.workload_count; ++s) {
        const gt_stage *stage = &measure->stages[s];
        for (uint32_t i = 0; i < stage->workload.buffer_count; ++i) {
            const gt_slot *slot = &stage->slots[i];
            if (slot->expected) {
                GT_CALL(measure, MemcpyDtoDAsync, slot->expected, slot->address,
                        stage->workload.buffers[i].bytes, measure->stream);
            }
        }
    }
    measure->has_expected = true;
    return GPUTUNE_OK;
}

gputune_status gt_contents_refresh(gt_measure *measure)
{
    if (!measure->stale) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_contents_make(measure, measure->setup.seed, false));
    measure->stale = false;
    return GPUTUNE_OK;
}
