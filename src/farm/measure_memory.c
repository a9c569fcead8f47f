/* Allocates buffers with guard zones, pristine copies and rotated sets. */
#include "base/number.h"
#include "farm/measure_parts.h"
#include "farm/measure_value.h"

#include <stdlib.h>
#include <string.h>

gputune_status gt_memory_take(CUdeviceptr *out, gt_measure *measure, uint64_t bytes)
{
    CUdeviceptr address = 0;
    GT_TRY(gt_array_reserve(&measure->allocations));
    GT_CALL(measure, MemAlloc, &address, bytes ? bytes : 1);
    measure->allocations.items[measure->allocations.count++] = address;
    *out = address;
    return GPUTUNE_OK;
}

void gt_memory_free(gt_measure *measure)
{
    for (size_t i = 0; i < measure->allocations.count; ++i) {
        (void)measure->driver->MemFree(measure->allocations.items[i]);
    }
    measure->allocations.count = 0;
    gt_guard_free(measure); /* last: freeing has waited for the launches that use it */
    gt_findings *const pinned[] = {measure->findings, measure->first};
    for (size_t i = 0; i < sizeof pinned / sizeof *pinned; ++i) {
        if (pinned[i]) {
            (void)measure->driver->MemFreeHost(pinned[i]);
        }
    }
    if (measure->stray_seen) {
        (void)measure->driver->MemFreeHost(measure->stray_seen);
    }
    measure->findings = measure->first = NULL;
    measure->stray_seen = NULL;
    measure->sums = measure->found = measure->sweep = measure->stray = 0;
}

void gt_live_buffers(uint64_t out[GT_WORKLOAD_MAX], const gt_measure_setup *setup)
{
    memset(out, 0, GT_WORKLOAD_MAX * sizeof *out);
    for (uint32_t i = 0; i < setup->input_count; ++i) {
        const gt_live_input *input = &setup->inputs[i];
        bool is_block = input->buffer >= GT_PARAMETER_MAX;
        out[input->workload] |= input->expected || is_block ? 0 : 1ull << input->buffer;
    }
}

gputune_status gt_memory_precheck(gt_measure *measure, const gt_measure_setup *setup)
{
    uint64_t live[GT_WORKLOAD_MAX];
    gt_live_buffers(live, setup);
    uint64_t need = gt_plan_device_bytes(setup->workloads, setup->workload_count, live);
    size_t available = 0, total = 0;
    GT_CALL(measure, MemGetInfo, &available, &total);
    if (need <= available) {
        return GPUTUNE_OK;
    }
    return gt_fail(
        GPUTUNE_EDEVMEM,
        "the buffers with their copies, reference and guard zones need %.1f MB of device "
        "memory, %.1f of %.1f MB are free: take a smaller size",
        (double)need * 1e-6, (double)available * 1e-6, (double)total * 1e-6);
}

/* ---- Workspaces ------------------------------------------------------------------------------ */

/* An emulated device reports every access outside of an allocation, reads too. So a buffer there
 * has nothing behind it, and nothing but its skew before it. Elsewhere guard zones show what was
 * written around it. */
static gputune_status place_exactly(gt_slot *slot, gt_measure *measure, const gt_buffer *buffer,
                                    uint32_t skew)
{
    char name[GT_NAME_MAX + 8];
    gt_snprintf(name, sizeof name, "buffer %s", buffer->name);
    GT_TRY(gt_memory_take(&slot->base, measure, skew + buffer->bytes));
    slot->address = slot->base + skew;
    if (measure->driver->EmuNameMemory) {
        GT_CALL(measure, EmuNameMemory, slot->base, name);
    }
    return GPUTUNE_OK;
}

static gputune_status place_slot(gt_slot *slot, gt_measure *measure, const gt_workload *workload,
                                 uint32_t index, bool timed)
{
    if (measure->device.emulated) {
        return place_exactly(slot, measure, &workload->buffers[index],
                             timed ? 0 : gt_plan_skew(workload, index));
    }
    GT_TRY(gt_memory_take(&slot->base, measure, gt_plan_slot_bytes(workload, index, timed)));
    slot->address = gt_plan_place(workload, index, timed, slot->base);
    slot->guard_back = GT_GUARD_BACK;
    return GPUTUNE_OK;
}

static gputune_status allocate_slot(gt_measure *measure, gt_workspace *workspace, uint32_t index,
                                    bool live)
{
    bool timed = workspace == &measure->workspaces[0] && !measure->is_trial;
    const gt_workload *workload = &workspace->workload;
    const gt_buffer *buffer = &workload->buffers[index];
    gt_slot *slot = &workspace->slots[index];
    GT_TRY(place_slot(slot, measure, workload, index, timed));
    slot->live = live;
    if (gt_plan_needs_pristine(buffer, live)) {
        GT_TRY(gt_memory_take(&slot->pristine, measure, buffer->bytes));
    }
    bool is_result = buffer->direction != GT_IN && gt_type_is_float(buffer->type);
    if (measure->is_trial && is_result && !buffer->number_count) {
        GT_TRY(gt_memory_take(&slot->scale, measure, buffer->elements * sizeof(float)));
    }
    uint64_t expected = gt_plan_expected_bytes(buffer);
    return expected ? gt_memory_take(&slot->expected, measure, expected) : GPUTUNE_OK;
}

static gputune_status allocate_blocks(gt_measure *measure, gt_workspace *workspace)
{
    for (uint32_t i = 0; i < workspace->workload.block_count; ++i) {
        uint64_t bytes = workspace->workload.blocks[i].bytes;
        workspace->blocks[i] = calloc(1, bytes + 1);
        GT_TRY(gt_allocated(workspace->blocks[i]));
        GT_TRY(gt_memory_take(&workspace->device_blocks[i], measure, bytes));
    }
    return GPUTUNE_OK;
}

/* What a scalar takes among the values of a workspace. */
static size_t scalar_room(const gt_scalar *scalar)
{
    const size_t step = 64;
    return (gt_scalar_bytes(scalar) + step - 1) / step * step;
}

static gputune_status write_scalars(gt_workspace *workspace)
{
    const gt_workload *workload = &workspace->workload;
    size_t bytes = 1;
    for (uint32_t i = 0; i < workload->scalar_count; ++i) {
        bytes += scalar_room(&workload->scalars[i]);
    }
    char *at = workspace->values = calloc(1, bytes);
    GT_TRY(gt_allocated(at));
    for (uint32_t i = 0; i < workload->scalar_count; ++i) {
        const gt_scalar *scalar = &workload->scalars[i];
        workspace->scalars[i] = at;
        gt_scalar_write(at, workload, scalar);
        at += scalar_room(scalar);
    }
    return GPUTUNE_OK;
}

/* Allocates them first, unless they have been. */
static gputune_status upload_numbers(gt_measure *measure, gt_workspace *workspace)
{
    const gt_workload *workload = &workspace->workload;
    gt_service_number numbers[GT_NUMBER_MAX];
    size_t bytes = workload->number_count * sizeof *numbers;
    if (bytes == 0) {
        return GPUTUNE_OK;
    }
    for (uint32_t i = 0; i < workload->number_count; ++i) {
        const gt_number *number = &workload->numbers[i];
        numbers[i] = (gt_service_number){.offset = number->offset,
                                         .type = number->type,
                                         .fill = number->fill,
                                         .low = number->low,
                                         .high = number->high};
    }
    if (!workspace->numbers) {
        GT_TRY(gt_memory_take(&workspace->numbers, measure, bytes));
    }
    GT_CALL(measure, MemcpyHtoDAsync, workspace->numbers, numbers, bytes, measure->stream);
    return GPUTUNE_OK;
}

gputune_status gt_workspace_values(gt_measure *measure, gt_workspace *workspace)
{
    const gt_workload *workload = &workspace->workload;
    for (uint32_t i = 0; i < workload->scalar_count; ++i) {
        gt_scalar_write(workspace->scalars[i], workload, &workload->scalars[i]);
    }
    return upload_numbers(measure, workspace);
}

gputune_status gt_workspace_allocate(gt_measure *measure, gt_workspace *workspace, uint64_t live)
{
    const gt_workload *workload = &workspace->workload;
    for (uint32_t i = 0; i < workload->buffer_count; ++i) {
        GT_TRY(allocate_slot(measure, workspace, i, live >> i & 1));
    }
    uint64_t scale_bytes = gt_plan_scale_bytes(workload, &workspace->scale_type);
    if (scale_bytes) {
        GT_TRY(gt_memory_take(&workspace->scale, measure, scale_bytes));
    }
    GT_TRY(write_scalars(workspace));
    GT_TRY(upload_numbers(measure, workspace));
    return allocate_blocks(measure, workspace);
}

/* ---- Rotated sets ---------------------------------------------------------------------------- */

/* Decides how many sets there are, and allocates the sets after the first; *extra is where they
 * begin. */
static gputune_status take_sets(CUdeviceptr *extra, gt_measure *measure, gt_workspace *workspace,
                                uint64_t set_bytes)
{
    size_t available = 0, total = 0;
    workspace->sets = 1;
    if (workspace != &measure->workspaces[0] || measure->device.emulated || measure->is_trial) {
        return GPUTUNE_OK;
    }
    GT_CALL(measure, MemGetInfo, &available, &total);
    bool hot = measure->setup.cache == GPUTUNE_CACHE_HOT;
    uint32_t sets = (hot ? gt_plan_hot_sets : gt_plan_rotations)(
        measure->device.l2_bytes, gt_plan_working_set(&workspace->workload), set_bytes,
        available / 2);
    if (sets > 1) {
        CUdeviceptr base = 0;
        GT_TRY(gt_memory_take(&base, measure, (sets - 1) * set_bytes + GT_ALIGNMENT_MAX));
        *extra = (base + GT_ALIGNMENT_MAX - 1) / GT_ALIGNMENT_MAX * GT_ALIGNMENT_MAX;
    }
    workspace->sets = sets;
    return GPUTUNE_OK;
}

void gt_workspace_bind(const void **arguments, const gt_workspace *workspace,
                       const CUdeviceptr *addresses)
{
    const gt_workload *workload = &workspace->workload;
    for (uint32_t i = 0; i < workload->block_count; ++i) {
        *arguments++ = workspace->blocks[i];
    }
    for (uint32_t i = 0; i < workload->argument_count; ++i) {
        uint32_t index = workload->arguments[i].index;
        arguments[i] = workload->arguments[i].is_buffer ? (const void *)&addresses[index]
                                                        : workspace->scalars[index];
    }
}

gputune_status gt_workspace_rotate(gt_measure *measure, gt_workspace *workspace)
{
    uint64_t offsets[GT_PARAMETER_MAX];
    uint32_t buffers = workspace->workload.buffer_count;
    uint64_t set_bytes = gt_plan_set(offsets, &workspace->workload);
    CUdeviceptr extra = 0;
    GT_TRY(take_sets(&extra, measure, workspace, set_bytes));
    workspace->argument_count =
        workspace->workload.argument_count + workspace->workload.block_count;
    workspace->addresses =
        calloc((size_t)workspace->sets * buffers + 1, sizeof *workspace->addresses);
    workspace->arguments = calloc((size_t)workspace->sets * workspace->argument_count + 1,
                                  sizeof *workspace->arguments);
    if (!workspace->addresses || !workspace->arguments) {
        return gt_fail_memory();
    }
    for (uint32_t set = 0; set < workspace->sets; ++set) {
        CUdeviceptr *addresses = workspace->addresses + (size_t)set * buffers;
        for (uint32_t i = 0; i < buffers; ++i) {
            addresses[i] =
                set == 0 ? workspace->slots[i].address : extra + (set - 1) * set_bytes + offsets[i];
        }
        gt_workspace_bind(workspace->arguments + (size_t)set * workspace->argument_count, workspace,
                          addresses);
    }
    return GPUTUNE_OK;
}

void gt_workspace_free(gt_workspace *workspace)
{
    gt_tasks_free(&workspace->first);
    for (uint32_t i = 0; i < GT_BLOCK_MAX; ++i) {
        free(workspace->blocks[i]);
    }
    free(workspace->values);
    free(workspace->addresses);
    free(workspace->arguments);
    *workspace = (gt_workspace){0};
}

/* ---- Inputs that cannot be written ----------------------------------------------------------- */

static gputune_status guard_input(gt_guarded *out, gt_measure *measure, const gt_slot *slot,
                                  const gt_buffer *buffer, uint32_t index)
{
    gt_view *view = &out->views[out->view_count];
    uint64_t offset = slot->address % GT_ALIGNMENT_MAX;
    out->addresses[index] = slot->address;
    if (buffer->direction != GT_IN || buffer->bytes == 0 ||
        !gt_view_take(view, measure->driver, measure->device.ordinal, offset + buffer->bytes)) {
        return GPUTUNE_OK;
    }
    ++out->view_count;
    out->addresses[index] = view->address + offset;
    if (measure->driver->EmuNameMemory) {
        char name[GT_NAME_MAX + 8];
        gt_snprintf(name, sizeof name, "input %s", buffer->name);
        GT_CALL(measure, EmuNameMemory, view->address, name);
    }
    GT_CALL(measure, MemcpyDtoDAsync, view->own + offset, slot->address, buffer->bytes,
            measure->stream);
    return GPUTUNE_OK;
}

gputune_status gt_guard_inputs(gt_measure *measure)
{
    gt_guarded *out = &measure->guard;
    const gt_workspace *workspace = &measure->workspaces[0];
    const gt_workload *workload = &workspace->workload;
    GT_TRY(out->view_count ? gt_measure_wait(measure) : GPUTUNE_OK); /* an earlier wait failed */
    gt_guard_free(measure);
    for (uint32_t i = 0; i < workload->buffer_count; ++i) {
        GT_TRY(guard_input(out, measure, &workspace->slots[i], &workload->buffers[i], i));
    }
    gt_workspace_bind(out->arguments, workspace, out->addresses);
    return GPUTUNE_OK;
}

void gt_guard_free(gt_measure *measure)
{
    for (uint32_t i = 0; i < measure->guard.view_count; ++i) {
        gt_view_free(&measure->guard.views[i], measure->driver);
    }
    measure->guard.view_count = 0;
}

/* ---- Service buffers ------------------------------------------------------------------------- */

static gputune_status take_sweep(gt_measure *measure)
{
    CUdeviceptr sweep = 0;
    uint64_t l2 = (uint64_t)measure->device.l2_bytes;
    uint64_t bytes = (measure->device.emulated ? l2 : 2 * l2) & ~15ull;
    if (measure->setup.cache != GPUTUNE_CACHE_COLD || bytes == 0) {
        return GPUTUNE_OK;
    }
    void *seen = NULL;
    GT_TRY(gt_memory_take(&sweep, measure, bytes));
    GT_CALL(measure, MemsetD8Async, sweep, 0, bytes, measure->stream);
    GT_TRY(gt_memory_take(&measure->stray, measure, sizeof *measure->stray_seen));
    GT_CALL(measure, MemsetD8Async, measure->stray, 0, sizeof *measure->stray_seen,
            measure->stream);
    GT_CALL(measure, MemAllocHost, &seen, sizeof *measure->stray_seen);
    measure->stray_seen = seen;
    *measure->stray_seen = 0;
    measure->sweep = sweep;
    measure->sweep_bytes = bytes;
    return GPUTUNE_OK;
}

/* The longest table whose findings come back. */
static size_t most_findings(const gt_measure *measure)
{
    const gt_tasks *const tables[] = {&measure->check,
                                      &measure->hash,
                                      &measure->agree,
                                      &measure->spread,
                                      &measure->results,
                                      &measure->edges,
                                      &measure->workspaces[0].first,
                                      &measure->workspaces[1].first};
    size_t most = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
        most = tables[i]->tasks.count > most ? tables[i]->tasks.count : most;
    }
    return most;
}

gputune_status gt_memory_service(gt_measure *measure)
{
    size_t count = most_findings(measure);
    size_t bytes = sizeof(gt_findings) + count * sizeof(gt_finding);
    uint32_t findings = (uint32_t)count;
    gt_findings **const pinned[] = {&measure->findings, &measure->first};
    GT_TRY(gt_memory_take(&measure->sums, measure, bytes));
    GT_TRY(gt_memory_take(&measure->found, measure, bytes));
    for (size_t i = 0; i < sizeof pinned / sizeof *pinned; ++i) {
        void *memory = NULL;
        GT_CALL(measure, MemAllocHost, &memory, bytes);
        *pinned[i] = memory;
    }
    GT_CALL(measure, LaunchKernel, measure->functions[GT_SERVICE_CLEAR], 1, 1, 1,
            GT_SERVICE_THREADS, 1, 1, 0, measure->stream, (void *[]){&measure->sums, &findings},
            NULL);
    return take_sweep(measure);
}
