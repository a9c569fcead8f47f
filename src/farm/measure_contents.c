/* Fills the buffers: inputs from a seed, pristine copies, guard zones, expected results. Fills them
 * again after a variant has damaged them. */
#include "farm/measure_parts.h"
#include "farm/measure_value.h"
#include "kernel/vary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t fill_flags(const gt_buffer *buffer)
{
    static const uint32_t of_variety[] = {[GT_VARIETY_EXTREMES] = GT_TASK_EXTREMES,
                                          [GT_VARIETY_SPECIALS] =
                                              GT_TASK_EXTREMES | GT_TASK_SPECIALS};
    return of_variety[buffer->variety] | (buffer->free ? GT_TASK_FREE : 0);
}

static gputune_status plan_fill_slot(gt_measure *measure, gt_workspace *workspace, uint32_t index,
                                     uint64_t seed)
{
    const gt_buffer *buffer = &workspace->workload.buffers[index];
    const gt_slot *slot = &workspace->slots[index];
    gt_service_task fill = {.operation = GT_DO_FILL,
                            .target = slot->pristine ? slot->pristine : slot->address,
                            .count = buffer->elements,
                            .seed = gt_fill_seed(seed, index),
                            .low = buffer->low,
                            .high = buffer->high,
                            .stol = gt_workload_largest(buffer),
                            .type = buffer->type,
                            .pattern = buffer->fill,
                            .flags = fill_flags(buffer)};
    gt_service_task guard = {.operation = GT_DO_PATTERN,
                             .target = slot->base,
                             .count = slot->address - slot->base,
                             .pattern = gt_guard_seed(index)};
    gt_task_set_numbers(&fill, workspace, index);
    if (buffer->direction != GT_OUT && !slot->live) {
        GT_TRY(gt_tasks_add(&measure->fill, &fill, GT_TILE, NULL));
    }
    GT_TRY(gt_tasks_add(&measure->fill, &guard, GT_TILE, NULL));
    guard.target = slot->address + buffer->bytes;
    guard.count = slot->guard_back;
    return gt_tasks_add(&measure->fill, &guard, GT_TILE, NULL);
}

static gputune_status fill_blocks(gt_measure *measure, gt_workspace *workspace, uint64_t seed)
{
    for (uint32_t i = 0; i < workspace->workload.block_count; ++i) {
        const gt_buffer *block = &workspace->workload.blocks[i];
        if (!(workspace->sent_blocks >> i & 1)) {
            gt_fill_host(workspace->blocks[i], &workspace->workload, block,
                         gt_fill_seed(seed, GT_PARAMETER_MAX + i));
        }
        GT_CALL(measure, MemcpyHtoDAsync, workspace->device_blocks[i], workspace->blocks[i],
                block->bytes, measure->stream);
    }
    return GPUTUNE_OK;
}

/* Others than inputs are copied before each launch, and may hold results until then. */
static gputune_status copy_sent(gt_measure *measure, const gt_workspace *workspace)
{
    for (uint32_t i = 0; i < workspace->workload.buffer_count; ++i) {
        const gt_slot *slot = &workspace->slots[i];
        if (slot->live && workspace->workload.buffers[i].direction == GT_IN) {
            GT_CALL(measure, MemcpyDtoDAsync, slot->address, slot->pristine,
                    workspace->workload.buffers[i].bytes, measure->stream);
        }
    }
    return GPUTUNE_OK;
}

/* Waits, so that a failure is reported as this kernel's. */
static gputune_status initialise(gt_measure *measure, uint64_t seed, uint32_t workspace_count)
{
    const gt_workload *workload = &measure->workspaces[0].workload;
    gputune_status status = GPUTUNE_OK;
    if (!workload->has_init) {
        return GPUTUNE_OK;
    }
    for (uint32_t s = 0; s < workspace_count && status == GPUTUNE_OK; ++s) {
        status = gt_init_launch(measure, &measure->workspaces[s], seed);
    }
    GT_THEN(status, gt_measure_wait(measure));
    return status == GPUTUNE_OK ? status
                                : gt_fail(GPUTUNE_ETEMPLATE, "the init kernel %s failed: %s",
                                          workload->init.steps[0].entry, gt_message());
}

gputune_status gt_contents_fill(gt_measure *measure, uint64_t seed, uint32_t workspace_count)
{
    gt_tasks_reset(&measure->fill);
    measure->ahead = NULL;
    for (uint32_t s = 0; s < workspace_count; ++s) {
        gt_workspace *workspace = &measure->workspaces[s];
        for (uint32_t i = 0; i < workspace->workload.buffer_count; ++i) {
            GT_TRY(plan_fill_slot(measure, workspace, i, seed));
        }
        GT_TRY(fill_blocks(measure, workspace, seed));
    }
    GT_TRY(gt_tasks_upload(measure, &measure->fill));
    GT_TRY(gt_service_run(measure, GT_SERVICE_FILL, &measure->fill, false));
    GT_TRY(initialise(measure, seed, workspace_count));
    for (uint32_t s = 0; s < workspace_count; ++s) {
        GT_TRY(copy_sent(measure, &measure->workspaces[s]));
    }
    return gt_service_run(measure, GT_SERVICE_RESET, &measure->rotate, false);
}

/* ---- What inputs span ------------------------------------------------------------------------ */

enum { SAMPLE_PIECES = 64, SAMPLE_BYTES = 16384 };

typedef struct span {
    double low, high; /* low > high: no finite value yet */
} span;

static void widen(span *out, gt_type type, const unsigned char *elements, uint64_t bytes)
{
    uint32_t size = gt_type_bytes(type);
    for (uint64_t i = 0; i + size <= bytes; i += size) {
        uint64_t bits = 0;
        memcpy(&bits, elements + i, size);
        double value = gt_bits_to_double(type, bits);
        if (isfinite(value)) {
            out->low = fmin(out->low, value);
            out->high = fmax(out->high, value);
        }
    }
}

/* Of all of a buffer, or of pieces spread over a large one. */
static gputune_status find_span(span *out, gt_measure *measure, const gt_slot *slot,
                                const gt_buffer *buffer)
{
    unsigned char room[SAMPLE_BYTES];
    CUdeviceptr from = slot->pristine ? slot->pristine : slot->address;
    uint64_t pieces = (buffer->bytes + SAMPLE_BYTES - 1) / SAMPLE_BYTES;
    uint64_t step = pieces > SAMPLE_PIECES ? (pieces - 1) / (SAMPLE_PIECES - 1) : 1;
    *out = (span){INFINITY, -INFINITY};
    for (uint64_t piece = 0; piece < pieces; piece += step) {
        uint64_t at = piece * SAMPLE_BYTES, left = buffer->bytes - at;
        uint64_t bytes = left < SAMPLE_BYTES ? left : SAMPLE_BYTES;
        GT_CALL(measure, MemcpyDtoHAsync, room, from + at, bytes, measure->stream);
        GT_TRY(gt_measure_wait(measure));
        widen(out, buffer->type, room, bytes);
    }
    return GPUTUNE_OK;
}

static bool is_data(const gt_workspace *workspace, uint32_t index)
{
    const gt_slot *slot = &workspace->slots[index];
    return slot->move_task >= 0 && (slot->live || workspace->workload.has_init) &&
           workspace->workload.buffers[index].number_count == 0;
}

gputune_status gt_contents_span(gt_measure *measure)
{
    for (uint32_t s = 0; s < measure->setup.workload_count; ++s) {
        const gt_workspace *workspace = &measure->workspaces[s];
        for (uint32_t i = 0; i < workspace->workload.buffer_count; ++i) {
            span of_slot;
            const gt_slot *slot = &workspace->slots[i];
            if (is_data(workspace, i)) {
                GT_TRY(find_span(&of_slot, measure, slot, &workspace->workload.buffers[i]));
                gt_tables_span(measure, slot->move_task, of_slot.low, of_slot.high);
            }
        }
    }
    return GPUTUNE_OK;
}

/* ---- Tolerances that excuse almost anything ---------------------------------------------------
 */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median magnitude of the first elements. */
static gputune_status find_median(double *out, gt_measure *measure, const gt_slot *slot,
                                  const gt_buffer *buffer)
{
    enum { MOST = SAMPLE_BYTES / 8 };
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
    qsort(values, count, sizeof *values, by_value);
    *out = count ? values[count / 2] : INFINITY;
    return GPUTUNE_OK;
}

gputune_status gt_contents_loose(gt_prepared *out, gt_measure *measure)
{
    const gt_workspace *workspace = &measure->workspaces[0];
    for (uint32_t i = 0; i < workspace->workload.buffer_count && !out->loose[0]; ++i) {
        const gt_buffer *buffer = &workspace->workload.buffers[i];
        const gt_slot *slot = &workspace->slots[i];
        double median;
        if (!workspace->workload.has_reference || slot->spread_task < 0 || buffer->number_count) {
            continue;
        }
        GT_TRY(find_median(&median, measure, slot, buffer));
        double tolerance = slot->tolerance.atol + slot->tolerance.rtol * median;
        if (median > 0 && tolerance > median) {
            memcpy(out->loose, buffer->name, sizeof out->loose);
            out->loose_tolerance = tolerance;
            out->loose_median = median;
        }
    }
    return GPUTUNE_OK;
}

/* ---- Made, and made good --------------------------------------------------------------------- */

/* Notes the hashes of the inputs before a kernel has run on them. */
static gputune_status note_inputs(gt_measure *measure, uint32_t workspace_count)
{
    GT_TRY(gt_service_check(measure, &measure->hash, workspace_count == 1, measure->findings));
    GT_TRY(gt_measure_wait(measure));
    for (uint32_t s = 0; s < workspace_count; ++s) {
        gt_workspace *workspace = &measure->workspaces[s];
        for (uint32_t i = 0; i < workspace->workload.buffer_count; ++i) {
            gt_slot *slot = &workspace->slots[i];
            if (slot->input_task >= 0) {
                slot->hash = measure->findings->items[slot->input_task].count;
            }
        }
    }
    return GPUTUNE_OK;
}

/* Waits. Never 0. */
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

gputune_status gt_contents_make(gt_measure *measure, uint64_t seed, bool timed_only)
{
    uint32_t workspace_count = timed_only ? 1 : measure->setup.workload_count;
    measure->results_hash = 0;
    GT_TRY(gt_contents_fill(measure, seed, workspace_count));
    measure->seed = seed;
    GT_TRY(note_inputs(measure, workspace_count));
    if (!measure->workspaces[0].workload.has_reference) {
        return measure->workspaces[0].workload.has_expected ? gt_expected_take(measure)
                                                            : GPUTUNE_OK;
    }
    GT_TRY(gt_expected_refer(measure, workspace_count));
    return timed_only ? GPUTUNE_OK : hash_results(&measure->results_hash, measure);
}

/* A variant that overwrote what is behind a buffer has seldom reached the expected results. If they
 * are as they were, the reference need not run again: it may take as long as a hundred variants. */
static gputune_status make_good(gt_measure *measure)
{
    uint64_t hash = 0;
    if (measure->results_hash) {
        GT_TRY(hash_results(&hash, measure));
    }
    return hash && hash == measure->results_hash
               ? gt_contents_fill(measure, measure->setup.seed, measure->setup.workload_count)
               : gt_contents_make(measure, measure->setup.seed, false);
}

gputune_status gt_contents_refresh(gt_measure *measure)
{
    if (measure->damage == GT_DAMAGE_EVERYTHING) {
        GT_TRY(make_good(measure));
    } else if (measure->damage == GT_DAMAGE_INPUTS) {
        GT_TRY(gt_contents_fill(measure, measure->setup.seed, measure->setup.workload_count));
    }
    measure->damage = GT_DAMAGE_NONE;
    return GPUTUNE_OK;
}
