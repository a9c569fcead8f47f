/* Loads and runs gputune's own kernels, which fill, copy, compare and hash buffers. */
#include "farm/measure_service.h"

#include "base/hash.h"
#include "farm/measure_memory.h"
#include "gpu/image.h"

/* Returns true if the operation handles the numbers of an element one by one. Fills and moves
 * always do; comparisons only if the numbers differ in type, unlike those of a vector. */
static bool separates_numbers(uint32_t operation, const gt_buffer_slot *slot)
{
    const gt_buffer *buffer = slot ? slot->buffer : NULL;
    if (!buffer || !buffer->number_count) {
        return false;
    }
    bool is_plain = buffer->bytes == buffer->elements * gt_type_bytes(buffer->type);
    const gt_number *numbers = &slot->workspace->workload.numbers[buffer->first_number];
    for (uint32_t i = 0; i < buffer->number_count; ++i) {
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
    if (separates_numbers(task->operation, slot)) {
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
    [GT_SERVICE_SWEEP] = "gt_service_sweep",
    [GT_SERVICE_DELAY] = "gt_service_delay",
    [GT_SERVICE_POISON_SHARED] = "gt_service_poison_shared",
};

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
    const uint64_t hash = gt_hash64(image->data, image->bytes) | 1;
    if (hash == measure->service_hash) {
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
    /* the device already has this table, as in most calls */
    if (count == 0 || hash == table->uploaded) {
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

static gputune_status run_service(gt_measure *measure, gt_service service, uint64_t blocks,
                                  void **parameters)
{
    /* more blocks would not be faster on the emulator */
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
    return tiles == 0 ? GPUTUNE_OK
                      : run_service(measure, service, tiles, (void *[]){&tasks, &tiles});
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
    GT_TRY(run_service(measure, GT_SERVICE_CHECK, tiles, parameters));
    GT_CALL(measure, MemcpyDtoHAsync, into, measure->found,
            sizeof(gt_findings) + count * sizeof(gt_finding), measure->stream);
    return GPUTUNE_OK;
}

gputune_status gt_service_sweep(gt_measure *measure)
{
    if (measure->sweep == 0) {
        return GPUTUNE_OK;
    }
    if (measure->device.emulated) { /* a memset has the same effect on the emulator as a sweep */
        GT_CALL(measure, MemsetD8Async, measure->sweep, 0, measure->sweep_bytes, measure->stream);
        return GPUTUNE_OK;
    }
    void *parameters[] = {&measure->sweep, &measure->sweep_bytes, &measure->stray};
    return run_service(measure, GT_SERVICE_SWEEP, UINT64_MAX, parameters);
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
