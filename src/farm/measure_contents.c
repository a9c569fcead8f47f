#include "farm/measure_parts.h"
#include "farm/measure_value.h"

#include <stdlib.h>

static bool is_timed(const gt_measure *measure, const gt_rig *rig)
{
    return rig == &measure->rigs[0];
}

static uint32_t poison_of(const gt_measure *measure, const gt_rig *rig)
{
    return is_timed(measure, rig) ? GT_POISON_TIMED : GT_POISON_AWKWARD;
}

/* Inputs are proved untouched on the cheaper rig. */
static bool hashes_inputs(const gt_measure *measure, const gt_rig *rig)
{
    return rig == &measure->rigs[measure->setup.workload_count - 1];
}

static uint32_t guard_seed(uint32_t buffer)
{
    return 0x35 + 7 * buffer;
}

/* ---- Tables that stay ------------------------------------------------------------------------ */

static gputune_status plan_reset(gt_measure *measure, gt_rig *rig)
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
            task.pattern = poison_of(measure, rig);
        }
        if (buffer->direction != GT_IN) {
            GT_TRY(gt_tasks_add(&measure->reset, &task, GT_TILE_RESET, NULL));
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

static gputune_status plan_comparison(gt_measure *measure, gt_rig *rig, uint32_t index)
{
    const gt_workload *workload = &rig->workload;
    const gt_buffer *buffer = &workload->buffers[index];
    gt_slot *slot = &rig->slots[index];
    gt_service_task task = {.operation = GT_DO_COMPARE,
                            .target = slot->address,
                            .source = slot->expected,
                            .count = buffer->elements,
                            .low = workload->tolerance.atol,
                            .high = workload->tolerance.rtol,
                            .stol = workload->tolerance.stol,
                            .type = buffer->type,
                            .source_type = buffer->reference_type,
                            .scale_type = rig->scale_type,
                            .pattern = poison_of(measure, rig),
                            .flags = buffer->nan_ok ? GT_TASK_NAN_OK : 0};
    gt_type unused;
    uint64_t scale_bytes = gt_plan_scale_bytes(workload, &unused);
    if (buffer->elements * gt_type_bytes(rig->scale_type) <= scale_bytes) {
        task.scale = rig->scale;
    }
    return gt_tasks_add(&measure->check, &task, GT_TILE, &slot->compare_task);
}

static gputune_status plan_guards(gt_measure *measure, gt_rig *rig, uint32_t index)
{
    gt_slot *slot = &rig->slots[index];
    gt_service_task task = {.operation = GT_DO_GUARD,
                            .target = slot->base,
                            .count = slot->address - slot->base,
                            .pattern = guard_seed(index)};
    GT_TRY(gt_tasks_add(&measure->check, &task, GT_TILE, &slot->guard_task));
    task.target = slot->address + rig->workload.buffers[index].bytes;
    task.count = GT_GUARD_BACK;
    return gt_tasks_add(&measure->check, &task, GT_TILE, NULL); /* guard_task + 1 */
}

static gputune_status plan_failures(gt_measure *measure, gt_rig *rig)
{
    gt_service_task task = {.operation = GT_DO_COMPARE,
                            .target = rig->failures,
                            .source = rig->failures + 8,
                            .count = 1,
                            .type = GT_TYPE_U64,
                            .source_type = GT_TYPE_U64};
    return gt_tasks_add(&measure->check, &task, GT_TILE, &rig->failures_task);
}

static gputune_status plan_check(gt_measure *measure, gt_rig *rig)
{
    rig->failures_task = -1;
    if (rig->check) {
        GT_TRY(plan_failures(measure, rig));
    }
    for (uint32_t i = 0; i < rig->workload.buffer_count; ++i) {
        gt_slot *slot = &rig->slots[i];
        bool is_input = rig->workload.buffers[i].direction == GT_IN;
        slot->compare_task = slot->hash_task = -1;
        if (!is_input && !rig->check) {
            GT_TRY(plan_comparison(measure, rig, i));
        }
        GT_TRY(plan_guards(measure, rig, i));
        if (is_input && hashes_inputs(measure, rig)) {
            gt_service_task task = {.operation = GT_DO_HASH,
                                    .target = slot->address,
                                    .count = rig->workload.buffers[i].bytes};
            GT_TRY(gt_tasks_add(&measure->check, &task, GT_TILE, &slot->hash_task));
        }
    }
    return GPUTUNE_OK;
}

/* Hashes by which two runs of the reference are compared, and inputs later. */
static gputune_status plan_hash(gt_measure *measure, gt_rig *rig)
{
    for (uint32_t i = 0; i < rig->workload.buffer_count; ++i) {
        const gt_buffer *buffer = &rig->workload.buffers[i];
        gt_slot *slot = &rig->slots[i];
        gt_service_task task = {.operation = GT_DO_HASH,
                                .target = slot->expected,
                                .count = gt_plan_expected_bytes(buffer)};
        slot->reference_task = -1;
        if (buffer->direction == GT_IN && hashes_inputs(measure, rig)) {
            task.target = slot->address;
            task.count = buffer->bytes;
        }
        GT_TRY(gt_tasks_add(&measure->hash, &task, GT_TILE, &slot->reference_task));
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

static gputune_status plan_rig(gt_measure *measure, gt_rig *rig)
{
    GT_TRY(plan_reset(measure, rig));
    GT_TRY(plan_check(measure, rig));
    GT_TRY(plan_hash(measure, rig));
    GT_TRY(plan_convert(measure, rig));
    return is_timed(measure, rig) ? plan_sets(measure, rig) : GPUTUNE_OK;
}

gputune_status gt_contents_plan(gt_measure *measure)
{
    gt_tasks *const tables[] = {&measure->reset, &measure->restore, &measure->rotate,
                                &measure->check, &measure->hash,    &measure->convert};
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

/* ---- Contents -------------------------------------------------------------------------------- */

static gputune_status plan_fill_slot(gt_measure *measure, gt_rig *rig, uint32_t index,
                                     uint64_t seed)
{
    const gt_buffer *buffer = &rig->workload.buffers[index];
    const gt_slot *slot = &rig->slots[index];
    gt_service_task fill = {.operation = GT_DO_FILL,
                            .target = slot->pristine ? slot->pristine : slot->address,
                            .count = buffer->elements,
                            .seed = gt_fill_seed(seed, index),
                            .low = buffer->low,
                            .high = buffer->high,
                            .type = buffer->type,
                            .pattern = buffer->fill};
    gt_service_task guard = {.operation = GT_DO_PATTERN,
                             .target = slot->base,
                             .count = slot->address - slot->base,
                             .pattern = guard_seed(index)};
    if (buffer->direction != GT_OUT && !slot->live) {
        GT_TRY(gt_tasks_add(&measure->fill, &fill, GT_TILE, NULL));
    }
    GT_TRY(gt_tasks_add(&measure->fill, &guard, GT_TILE, NULL));
    guard.target = slot->address + buffer->bytes;
    guard.count = GT_GUARD_BACK;
    return gt_tasks_add(&measure->fill, &guard, GT_TILE, NULL);
}

static gputune_status fill_block(gt_measure *measure, gt_rig *rig, uint64_t seed)
{
    const gt_buffer *block = &rig->workload.block;
    if (!rig->workload.has_block) {
        return GPUTUNE_OK;
    }
    gt_fill_host(rig->block, block, gt_fill_seed(seed, GT_PARAMETER_MAX));
    GT_CALL(measure, MemcpyHtoDAsync, rig->device_block, rig->block, block->bytes, measure->stream);
    return GPUTUNE_OK;
}

static gputune_status fill_rigs(gt_measure *measure, uint64_t seed, uint32_t rigs)
{
    gt_tasks_reset(&measure->fill);
    measure->ahead = NULL;
    for (uint32_t s = 0; s < rigs; ++s) {
        gt_rig *rig = &measure->rigs[s];
        for (uint32_t i = 0; i < rig->workload.buffer_count; ++i) {
            GT_TRY(plan_fill_slot(measure, rig, i, seed));
        }
        GT_TRY(fill_block(measure, rig, seed));
    }
    GT_TRY(gt_tasks_upload(measure, &measure->fill));
    GT_TRY(gt_service_run(measure, GT_SERVICE_FILL, &measure->fill, false));
    for (uint32_t i = 0; i < measure->rigs[0].workload.buffer_count; ++i) {
        const gt_slot *slot = &measure->rigs[0].slots[i];
        if (slot->live && slot->pristine) {
            GT_CALL(measure, MemcpyDtoDAsync, slot->address, slot->pristine,
                    measure->rigs[0].workload.buffers[i].bytes, measure->stream);
        }
    }
    return gt_service_run(measure, GT_SERVICE_RESET, &measure->rotate, false);
}

/* ---- The reference --------------------------------------------------------------------------- */

static gputune_status ready_expected(gt_measure *measure, const gt_rig *rig)
{
    for (uint32_t i = 0; i < rig->workload.buffer_count; ++i) {
        const gt_buffer *buffer = &rig->workload.buffers[i];
        const gt_slot *slot = &rig->slots[i];
        if (buffer->direction == GT_OUT) {
            GT_CALL(measure, MemsetD8Async, slot->expected, (unsigned char)poison_of(measure, rig),
                    gt_plan_expected_bytes(buffer), measure->stream);
        } else if (buffer->direction == GT_INOUT && buffer->reference_type == buffer->type) {
            GT_CALL(measure, MemcpyDtoDAsync, slot->expected, slot->pristine, buffer->bytes,
                    measure->stream);
        }
    }
    return GPUTUNE_OK;
}

/* One run on every rig; hashes of what it made are queued too. */
static gputune_status run_reference(gt_measure *measure, uint32_t rigs)
{
    for (uint32_t s = 0; s < rigs; ++s) {
        GT_TRY(ready_expected(measure, &measure->rigs[s]));
    }
    GT_TRY(gt_service_run(measure, GT_SERVICE_FILL, &measure->convert, rigs == 1));
    GT_CALL(measure, EventRecord, measure->start, measure->stream);
    GT_TRY(gt_reference_launch(measure, &measure->rigs[0]));
    GT_CALL(measure, EventRecord, measure->stop, measure->stream);
    if (rigs > 1) {
        GT_TRY(gt_reference_launch(measure, &measure->rigs[1]));
    }
    GT_TRY(gt_service_check(measure, &measure->hash, rigs == 1));
    return gt_measure_wait(measure);
}

/* Takes over the hashes of the last run; says whether they are those of the run before. */
static const char *note_hashes(gt_measure *measure, uint32_t rigs)
{
    const char *changed = NULL;
    for (uint32_t s = 0; s < rigs; ++s) {
        gt_rig *rig = &measure->rigs[s];
        for (uint32_t i = 0; i < rig->workload.buffer_count; ++i) {
            gt_slot *slot = &rig->slots[i];
            if (slot->reference_task < 0) {
                continue;
            }
            uint64_t hash = measure->findings->items[slot->reference_task].count;
            changed = hash == slot->hash ? changed : rig->workload.buffers[i].name;
            slot->hash = hash;
        }
    }
    return changed;
}

static gputune_status blame_reference(gputune_status status, const gt_measure *measure)
{
    return gt_fail(GPUTUNE_ETEMPLATE, "the reference kernel %s failed: %s",
                   measure->rigs[0].workload.reference.entry,
                   status < 0 ? gt_message() : "unknown");
}

static gputune_status make_expected(gt_measure *measure, uint32_t rigs)
{
    const char *changed = NULL;
    for (int run = 0; run < 2; ++run) {
        gputune_status status = run_reference(measure, rigs);
        if (status < 0) {
            return blame_reference(status, measure);
        }
        changed = note_hashes(measure, rigs);
    }
    if (changed) {
        return gt_fail(GPUTUNE_ETEMPLATE,
                       "the reference kernel %s gives other values of %s when it runs again: it "
                       "must be deterministic and leave its inputs alone",
                       measure->rigs[0].workload.reference.entry, changed);
    }
    measure->has_expected = true;
    return gt_measure_elapsed(&measure->reference_ns, measure);
}

gputune_status gt_contents_make(gt_measure *measure, uint64_t seed, bool timed_only)
{
    uint32_t rigs = timed_only ? 1 : measure->setup.workload_count;
    GT_TRY(fill_rigs(measure, seed, rigs));
    measure->seed = seed;
    if (measure->rigs[0].reference) {
        return make_expected(measure, rigs);
    }
    GT_TRY(gt_service_check(measure, &measure->hash, timed_only));
    GT_TRY(gt_measure_wait(measure));
    (void)note_hashes(measure, rigs);
    return GPUTUNE_OK;
}

gputune_status gt_contents_adopt(gt_measure *measure)
{
    for (uint32_t s = 0; s < measure->setup.workload_count; ++s) {
        const gt_rig *rig = &measure->rigs[s];
        for (uint32_t i = 0; i < rig->workload.buffer_count; ++i) {
            const gt_slot *slot = &rig->slots[i];
            if (slot->expected) {
                GT_CALL(measure, MemcpyDtoDAsync, slot->expected, slot->address,
                        rig->workload.buffers[i].bytes, measure->stream);
            }
        }
    }
    measure->has_expected = true;
    return GPUTUNE_OK;
}

gputune_status gt_contents_refresh(gt_measure *measure)
{
    if (measure->damage == GT_DAMAGE_EVERYTHING) {
        GT_TRY(gt_contents_make(measure, measure->setup.seed, false));
    } else if (measure->damage == GT_DAMAGE_INPUTS) {
        GT_TRY(fill_rigs(measure, measure->setup.seed, measure->setup.workload_count));
    }
    measure->damage = GT_DAMAGE_NONE;
    return GPUTUNE_OK;
}
