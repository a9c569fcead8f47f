/* Loads gputune's own kernels (fill, copy, compare, hash), makes the tables of their tasks for a
 * setup, and runs them on the device. */
#include "base/hash.h"
#include "farm/measure_parts.h"
#include "farm/measure_value.h"
#include "gpu/image.h"
#include "kernel/bind/tolerance.h"
#include "kernel/bind/vary.h"

/* Returns true if a task on the elements of a buffer must distinguish their numbers. A comparison
 * need not if they follow each other and have one type, as those of a vector do. */
static bool tells_numbers(uint32_t operation, const gt_buffer_slot *slot)
{
    const gt_buffer *buffer = slot ? slot->buffer : NULL;
    if (!buffer || !buffer->number_count) {
        return false;
    }
    bool is_plain = buffer->bytes == buffer->elements * gt_type_bytes(buffer->type);
    const gt_number *numbers = &slot->workspace->workload.numbers[buffer->first_number];
    for (uint32_t i = 1; i < buffer->number_count; ++i) {
        is_plain &= numbers[i].type == buffer->type;
    }
    return operation == GT_DO_FILL || operation == GT_DO_MOVE ||
           (!is_plain &&
            (operation == GT_DO_NARROW || operation == GT_DO_COMPARE || operation == GT_DO_SPREAD));
}

gputune_status gt_tasks_add(gt_tasks *table, gt_buffer_slot *slot, const gt_service_task *task)
{
    if (task->count == 0) {
        return GPUTUNE_OK;
    }
    gt_service_task added = *task;
    const uint32_t operation = task->operation;
    const uint32_t tile = operation == GT_DO_HASH                                ? GT_TILE_HASH
                          : operation == GT_DO_COPY || operation == GT_DO_POISON ? GT_TILE_RESET
                                                                                 : GT_TILE;
    added.repeats = task->repeats ? task->repeats : 1;
    added.first_tile = table->tiles;
    added.tiles = (task->count - 1) / tile + 1;
    if (tells_numbers(task->operation, slot)) {
        const gt_buffer *buffer = slot->buffer;
        added.numbers = slot->workspace->numbers + buffer->first_number * sizeof(gt_service_number);
        added.number_count = buffer->number_count;
        added.pitch = gt_buffer_element_bytes(buffer);
    }
    GT_TRY(gt_array_reserve(&table->slots));
    GT_TRY(gt_array_push(&table->tasks, added));
    table->slots.items[table->slots.count++] = slot;
    table->tiles += added.tiles * added.repeats;
    return GPUTUNE_OK;
}

size_t gt_tasks_count(const gt_tasks *table, bool timed_only)
{
    return timed_only ? table->timed_count : table->tasks.count;
}

void gt_tasks_mark_timed(gt_tasks *table)
{
    table->timed_count = (uint32_t)table->tasks.count;
    table->timed_tiles = table->tiles;
}

void gt_tasks_reset(gt_tasks *table)
{
    table->tasks.count = table->slots.count = 0;
    table->tiles = table->timed_tiles = 0;
    table->timed_count = 0;
}

void gt_tasks_free(gt_tasks *table)
{
    gt_array_free(&table->tasks);
    gt_array_free(&table->slots);
    *table = (gt_tasks){0};
}

static const char *const service_names[GT_SERVICE_COUNT] = {
    [GT_SERVICE_FILL] = "gt_service_fill",
    [GT_SERVICE_RESET] = "gt_service_reset",
    [GT_SERVICE_CHECK] = "gt_service_check",
    [GT_SERVICE_CLEAR] = "gt_service_clear",
    [GT_SERVICE_SWEEP] = "gt_service_sweep",
    [GT_SERVICE_DELAY] = "gt_service_delay",
    [GT_SERVICE_POISON_SHARED] = "gt_service_poison_shared",
};

gputune_status gt_measure_check(gt_measure *measure, CUresult result, const char *call)
{
    if (result == CUDA_SUCCESS) {
        return GPUTUNE_OK;
    }
    if (gt_cuda_fatal(result)) {
        measure->lost = true;
    }
    return gt_cuda_check(measure->driver, result, call);
}

/* The most shared memory that a block can have. */
static unsigned int shared_bytes(const gt_measure *measure)
{
    return (unsigned int)measure->device.shared_per_block_optin_bytes & ~3u;
}

void gt_service_free(gt_measure *measure)
{
    if (measure->service) {
        (void)measure->driver->ModuleUnload(measure->service);
    }
    measure->service = NULL;
    measure->service_hash = 0;
}

gputune_status gt_service_load(gt_measure *measure, const gt_image *image)
{
    GT_REFUSE(!image->data, GPUTUNE_EINVAL, "the setup brings no image of the service kernels");
    const uint64_t hash = gt_hash64(image->data, image->bytes) | 1;
    if (hash == measure->service_hash) { /* loaded for an earlier setup */
        return GPUTUNE_OK;
    }
    gt_service_free(measure);
    GT_TRY(gt_image_load(&measure->service, measure->driver, image));
    for (int i = 0; i < GT_SERVICE_COUNT; ++i) {
        GT_FREED char *symbol = NULL;
        GT_TRY(gt_image_entry(&symbol, image, service_names[i]));
        GT_TRY(gt_function_load(&measure->functions[i], measure->driver, measure->service, symbol));
    }
    GT_CALL(measure, FuncSetAttribute, measure->functions[GT_SERVICE_POISON_SHARED],
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared_bytes(measure));
    measure->service_hash = hash;
    return GPUTUNE_OK;
}

gputune_status gt_tasks_upload(gt_measure *measure, gt_tasks *table)
{
    uint32_t count = (uint32_t)table->tasks.count;
    size_t bytes = count * sizeof(gt_service_task);
    uint64_t hash = gt_hash64(table->tasks.items, bytes) | 1;
    if (count == 0 || hash == table->uploaded) { /* other data changes few tables */
        return GPUTUNE_OK;
    }
    table->uploaded = 0;
    if (count > table->device_capacity) {
        CUdeviceptr device = 0;
        GT_TRY(gt_memory_take(&device, measure, bytes));
        table->device = device;
        table->device_capacity = count;
    }
    GT_CALL(measure, MemcpyHtoDAsync, table->device, table->tasks.items, bytes, measure->stream);
    table->uploaded = hash;
    return GPUTUNE_OK;
}

static gputune_status run(gt_measure *measure, gt_service service, uint64_t blocks,
                          void **parameters)
{
    /* an emulated device gains nothing by more blocks, and each has its share of overhead */
    uint64_t most = measure->device.emulated ? 32 : 8 * (uint64_t)measure->device.sm_count;
    unsigned int grid = (unsigned int)(blocks < most ? blocks : most);
    GT_CALL(measure, LaunchKernel, measure->functions[service], grid, 1, 1, GT_SERVICE_THREADS, 1,
            1, 0, measure->stream, parameters, NULL);
    return GPUTUNE_OK;
}

gputune_status gt_service_run(gt_measure *measure, gt_service service, const gt_tasks *table,
                              bool timed_only)
{
    CUdeviceptr tasks = table->device;
    uint64_t tiles = timed_only ? table->timed_tiles : table->tiles;
    return tiles == 0 ? GPUTUNE_OK : run(measure, service, tiles, (void *[]){&tasks, &tiles});
}

gputune_status gt_service_reset(gt_measure *measure, const gt_tasks *table, bool timed_only)
{
    bool done = measure->ahead == table;
    measure->ahead = NULL;
    return done ? GPUTUNE_OK : gt_service_run(measure, GT_SERVICE_RESET, table, timed_only);
}

gputune_status gt_service_reset_ahead(gt_measure *measure, const gt_tasks *table)
{
    if (measure->device.emulated) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_service_run(measure, GT_SERVICE_RESET, table, false));
    measure->ahead = table;
    return GPUTUNE_OK;
}

gputune_status gt_service_check(gt_measure *measure, const gt_tasks *table, bool timed_only,
                                gt_findings *into)
{
    CUdeviceptr tasks = table->device;
    uint64_t tiles = timed_only ? table->timed_tiles : table->tiles;
    uint32_t count = (uint32_t)gt_tasks_count(table, timed_only);
    ++measure->sequence;
    if (tiles == 0) {
        return GPUTUNE_OK;
    }
    void *parameters[] = {&tasks,         &tiles,          &count,
                          &measure->sums, &measure->found, &measure->sequence};
    GT_TRY(run(measure, GT_SERVICE_CHECK, tiles, parameters));
    GT_CALL(measure, MemcpyDtoHAsync, into, measure->found,
            sizeof(gt_findings) + count * sizeof(gt_finding), measure->stream);
    return GPUTUNE_OK;
}

gputune_status gt_service_sweep(gt_measure *measure)
{
    if (measure->sweep == 0) {
        return GPUTUNE_OK;
    }
    if (measure->device.emulated) { /* which takes note of what a fill leaves in L2 */
        GT_CALL(measure, MemsetD8Async, measure->sweep, 0, measure->sweep_bytes, measure->stream);
        return GPUTUNE_OK;
    }
    void *parameters[] = {&measure->sweep, &measure->sweep_bytes, &measure->stray};
    return run(measure, GT_SERVICE_SWEEP, UINT64_MAX, parameters);
}

gputune_status gt_service_look_for_stray(gt_measure *measure)
{
    if (measure->sweep == 0 || measure->device.emulated) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_service_sweep(measure));
    GT_CALL(measure, MemcpyDtoHAsync, measure->stray_seen, measure->stray,
            sizeof *measure->stray_seen, measure->stream);
    return GPUTUNE_OK;
}

gputune_status gt_service_judge_stray(gt_measure *measure)
{
    if (!measure->stray_seen || *measure->stray_seen == 0) {
        return GPUTUNE_OK;
    }
    *measure->stray_seen = 0;
    GT_CALL(measure, MemsetD8Async, measure->sweep, 0, measure->sweep_bytes, measure->stream);
    GT_CALL(measure, MemsetD8Async, measure->stray, 0, sizeof *measure->stray_seen,
            measure->stream);
    return gt_fail(GPUTUNE_EWRONG, "memory far from every buffer was overwritten");
}

gputune_status gt_service_delay(gt_measure *measure, uint64_t nanoseconds)
{
    if (measure->device.emulated) {
        return GPUTUNE_OK;
    }
    GT_CALL(measure, LaunchKernel, measure->functions[GT_SERVICE_DELAY], 1, 1, 1, 1, 1, 1, 0,
            measure->stream, (void *[]){&nanoseconds}, NULL);
    return GPUTUNE_OK;
}

gputune_status gt_service_poison_shared(gt_measure *measure, uint32_t poison)
{
    uint32_t bytes = shared_bytes(measure);
    if (measure->device.emulated) {
        return GPUTUNE_OK;
    }
    GT_CALL(measure, LaunchKernel, measure->functions[GT_SERVICE_POISON_SHARED],
            (unsigned int)measure->device.sm_count, 1, 1, GT_SERVICE_THREADS, 1, 1, bytes,
            measure->stream, (void *[]){&poison, &bytes}, NULL);
    return GPUTUNE_OK;
}

gputune_status gt_measure_wait(gt_measure *measure)
{
    GT_CALL(measure, StreamSynchronize, measure->stream);
    return GPUTUNE_OK;
}

gputune_status gt_measure_elapsed(double *out_ns, gt_measure *measure)
{
    float milliseconds = 0;
    GT_CALL(measure, EventSynchronize, measure->stop);
    GT_CALL(measure, EventElapsedTime, &milliseconds, measure->start, measure->stop);
    *out_ns = (double)milliseconds * 1e6;
    return GPUTUNE_OK;
}

/* Inputs are checked on the smaller workspace for every variant, and on the timed one for the
 * winner. */
static bool is_cheapest(const gt_measure *measure, const gt_workspace *workspace)
{
    return workspace == &measure->workspaces[measure->setup.workload_count - 1];
}

/* The poisons of the outputs: before the first of two launches on a workspace, whose results are
 * checked at once, and before the last one. All launches of a proof and of the winner's have
 * another. */
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

/* Copies a pristine inout buffer to every set, and an input to every set but the first. */
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

/* Moves values that another seed might have given as well, and data that were sent, within their
 * span: the kernel gets only what the template permits. The reference works on the expected
 * results, a variant on the slots. */
static gputune_status plan_move(gt_measure *measure, gt_buffer_slot *slot)
{
    static const double beyond = 1e30; /* beyond all varied values, but not infinite */
    const gt_buffer *buffer = slot->buffer;
    const gt_workload *workload = &slot->workspace->workload;
    bool is_expected = buffer->direction == GT_INOUT && workload->has_reference;
    gt_service_task task = {.operation = GT_DO_MOVE,
                            .target = is_expected ? slot->expected : slot->address,
                            .count = buffer->elements,
                            .low = buffer->low,
                            .high = buffer->high,
                            .stol = gt_tolerance_step(workload),
                            .type = is_expected ? buffer->reference_type : buffer->type};
    if (buffer->free && buffer->variety != GT_VARIETY_PLAIN) {
        task.low = -beyond;
        task.high = beyond;
    }
    bool other_layout = buffer->number_count > 0 && buffer->reference_type != buffer->type;
    slot->moves = task.stol > 0 && task.count > 0 && buffer->direction != GT_OUT && !other_layout &&
                  gt_type_is_float(buffer->type) &&
                  (slot->live ? buffer->number_count == 0 : buffer->fill == GT_FILL_UNIFORM);
    return slot->moves ? gt_tasks_add(&measure->move, slot, &task) : GPUTUNE_OK;
}

/* ---- Behind it ------------------------------------------------------------------------------- */

/* Compares an output with the expected results; gt_tables_judge() adds the tolerance. */
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
                                     (workspace->workload.unbounded ? GT_TASK_UNBOUNDED : 0)};
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

/* The hash of an input. */
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

/* Returns true if results of the buffer are compared: not where the template's check kernel does
 * so. */
static bool is_compared(const gt_buffer_slot *slot)
{
    return slot->buffer->direction != GT_IN && !slot->workspace->workload.has_check;
}

static gputune_status plan_result(gt_tasks *table, gt_buffer_slot *slot, uint32_t poison)
{
    gt_service_task compare = comparison(slot, poison);
    return is_compared(slot) ? gt_tasks_add(table, slot, &compare) : GPUTUNE_OK;
}

/* ---- Around the reference -------------------------------------------------------------------- */

/* Compares two runs of the reference: the first, copied to the slots, with the second. NaNs are
 * judged with the variants. */
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

/* Compares results with the results of moved inputs, and finds how large they are (the task behind
 * it). The slot keeps the reference's results; a variant's are the expected ones. */
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
                            .source_type = buffer->reference_type};
    if (!gt_type_is_float(buffer->type)) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_tasks_add(&measure->spread, slot, &task));
    task.source = 0;
    return gt_tasks_add(&measure->spread, slot, &task);
}

/* The hash of memory that the reference writes, if there is any. */
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
    gt_service_task convert = {.operation = GT_DO_CONVERT,
                               .target = slot->expected,
                               .source = slot->pristine,
                               .count = buffer->elements,
                               .type = buffer->type};
    return buffer->direction == GT_INOUT && buffer->reference_type != buffer->type
               ? gt_tasks_add(&measure->convert, slot, &convert)
               : GPUTUNE_OK;
}

static gputune_status plan_workspace(gt_measure *measure, gt_workspace *workspace)
{
    gt_type unused;
    const uint32_t first = first_poison(measure, workspace), last = last_poison(measure, workspace);
    const bool twice = is_cheapest(measure, workspace);
    gt_tasks_reset(&workspace->first);
    GT_TRY(plan_failures(&measure->check, workspace));
    GT_TRY(plan_failures(&workspace->first, workspace));
    for (gt_buffer_slot *slot = workspace->slots; slot < workspace->slots_end; ++slot) {
        GT_TRY(plan_reset(&measure->reset, slot, first));
        GT_TRY(plan_reset(&measure->again, slot, last));
        GT_TRY(plan_reset(&measure->launch, slot, twice ? first : last));
        GT_TRY(twice ? plan_reset(&measure->relaunch, slot, last) : GPUTUNE_OK);
        /* after the second launch everything is checked; after the first one results, and the
         * inputs that are left out after the second */
        GT_TRY(plan_result(&measure->check, slot, last));
        GT_TRY(plan_edges(&measure->check, measure, slot));
        GT_TRY(plan_edges(&measure->edges, measure, slot));
        GT_TRY(plan_result(&workspace->first, slot, first));
        GT_TRY(twice ? GPUTUNE_OK : plan_input(&workspace->first, slot));
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

/* ---- What is only known later ---------------------------------------------------------------- */

/* Puts the tolerances, and with `gaps` what the reference leaves unwritten, into a table's
 * comparisons of buffers. */
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
