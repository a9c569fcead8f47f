/* Allocates the buffers of workloads, and copies data of the host into them. */
#include "farm/measure_memory.h"

#include "base/number.h"
#include "farm/measure_data_proof.h"
#include "farm/measure_service.h"
#include "farm/measure_value.h"
#include "kernel/bind/vary.h"

#include <stdlib.h>

gputune_status gt_memory_take(CUdeviceptr *out, gt_measure *measure, uint64_t bytes)
{
    CUdeviceptr address = 0;
    GT_TRY(gt_array_reserve(&measure->allocations));
    GT_TRY(gt_measure_check(measure, gt_device_alloc(measure->driver, &address, bytes ? bytes : 1),
                            "cuMemAlloc"));
    measure->allocations.items[measure->allocations.count++] = address;
    *out = address;
    return GPUTUNE_OK;
}

void gt_memory_free(gt_measure *measure)
{
    for (size_t i = 0; i < measure->allocations.count; ++i) {
        (void)gt_device_free(measure->driver, measure->allocations.items[i]);
    }
    gt_array_free(&measure->allocations);
    gt_guard_free(measure); /* launches have ended, because the calls above waited for them */
    void *const pinned[] = {measure->findings, measure->first, measure->stray_seen};
    for (size_t i = 0; i < sizeof pinned / sizeof *pinned; ++i) {
        if (pinned[i]) {
            (void)measure->driver->MemFreeHost(pinned[i]);
        }
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

static uint64_t sweep_bytes(const gt_measure *measure, gputune_cache cache)
{
    uint64_t l2 = (uint64_t)measure->device.l2_bytes;
    return cache == GPUTUNE_CACHE_COLD ? (measure->device.emulated ? l2 : 2 * l2) & ~15ull : 0;
}

/* Returns how much device memory is needed for the sweep, the service kernels, the data proof, two
 * variants, and read-only copies of the inputs. */
static uint64_t reserve_for(const gt_measure *measure, const gt_measure_setup *setup)
{
    enum { SERVICE_BYTES = 1 << 20 };
    const gt_driver *driver = measure->driver;
    const gt_workload *timed = &setup->workloads[0];
    uint64_t bytes = gt_budget_cost(driver, sweep_bytes(measure, setup->cache)) + SERVICE_BYTES +
                     gt_data_proof_bytes(measure, setup) +
                     2 * gt_budget_cost(driver, setup->variant_bytes);
    for (uint32_t i = 0; i < timed->buffer_count; ++i) {
        const gt_buffer *buffer = &timed->buffers[i];
        bytes += buffer->direction == GT_IN
                     ? gt_budget_cost(driver, buffer->bytes + GT_ALIGNMENT_MAX)
                     : 0;
    }
    return bytes;
}

gputune_status gt_memory_precheck(gt_measure *measure, const gt_measure_setup *setup)
{
    static const double megabyte = 1 << 20;
    uint64_t live[GT_WORKLOAD_MAX];
    gt_live_buffers(live, setup);
    const uint64_t limit = setup->memory_limit_bytes;
    uint64_t need =
        gt_plan_device_bytes(measure->driver, setup->workloads, setup->workload_count, live);
    size_t available = 0, total = 0;
    GT_CALL(measure, MemGetInfo, &available, &total);
    measure->reserved_bytes = reserve_for(measure, setup);
    GT_REFUSE(
        limit && need + measure->reserved_bytes > limit, GPUTUNE_EDEVMEM,
        "a tuning at these sizes needs %.1f MB of device memory, but the memory limit is %.*f "
        "MB; raise it (--memory, memory_limit_bytes) or choose a smaller size",
        (double)(need + measure->reserved_bytes) / megabyte, limit < megabyte ? 6 : 1,
        (double)limit / megabyte);
    return need <= available
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EDEVMEM,
                         "the buffers, their copies, the reference's results and guard zones need "
                         "%.1f MB of device memory, but %.1f of %.1f MB are free; choose a smaller "
                         "size",
                         (double)need / megabyte, (double)available / megabyte,
                         (double)total / megabyte);
}

bool gt_memory_suffices_for_copies(const gt_measure *measure)
{
    size_t available = 0, total = 0;
    return gt_device_info(measure->driver, &available, &total) == CUDA_SUCCESS &&
           available / 8 >= 2 * (uint64_t)measure->device.l2_bytes;
}

/* ---- Workspaces ------------------------------------------------------------------------------ */

static gputune_status name_memory(gt_measure *measure, CUdeviceptr address, const char *kind,
                                  const gt_buffer *buffer)
{
    char name[GT_NAME_MAX + 8];
    gt_snprintf(name, sizeof name, "%s %s", kind, buffer->name);
    if (measure->driver->EmuNameMemory) {
        GT_CALL(measure, EmuNameMemory, address, name);
    }
    return GPUTUNE_OK;
}

static gputune_status place_slot(gt_buffer_slot *slot, gt_measure *measure)
{
    bool timed = slot->workspace == &measure->workspaces[0] && !measure->parent;
    const gt_workload *workload = &slot->workspace->workload;
    if (!measure->device.emulated) {
        GT_TRY(
            gt_memory_take(&slot->base, measure, gt_plan_slot_bytes(workload, slot->index, timed)));
        slot->address = gt_plan_place(workload, slot->index, timed, slot->base);
        slot->guard_back = GT_GUARD_BACK;
        return GPUTUNE_OK;
    }
    uint32_t skew = timed ? 0 : gt_plan_skew(workload, slot->index);
    GT_TRY(gt_memory_take(&slot->base, measure, skew + slot->buffer->bytes));
    slot->address = slot->base + skew;
    return name_memory(measure, slot->address, "buffer", slot->buffer);
}

static gputune_status allocate_slot(gt_measure *measure, gt_buffer_slot *slot)
{
    const gt_buffer *buffer = slot->buffer;
    GT_TRY(place_slot(slot, measure));
    if (gt_plan_needs_pristine(buffer, slot->live)) {
        GT_TRY(gt_memory_take(&slot->pristine, measure, buffer->bytes));
    }
    bool is_result = buffer->direction != GT_IN && gt_type_is_float(buffer->type);
    if (measure->parent && is_result && !buffer->number_count) {
        GT_TRY(gt_memory_take(&slot->scale, measure, buffer->elements * sizeof(float)));
    }
    uint64_t expected = gt_plan_expected_bytes(buffer);
    return expected ? gt_memory_take(&slot->expected, measure, expected) : GPUTUNE_OK;
}

static size_t scalar_room(const gt_scalar *scalar)
{
    const size_t step = 64;
    return (scalar->bytes + step - 1) / step * step;
}

static gputune_status allocate_scalars(gt_workspace *workspace)
{
    const gt_workload *workload = &workspace->workload;
    size_t bytes = 1;
    for (uint32_t i = 0; i < workload->scalar_count; ++i) {
        bytes += scalar_room(&workload->scalars[i]);
    }
    char *at = workspace->values = calloc(1, bytes);
    GT_TRY(gt_allocated(at));
    for (uint32_t i = 0; i < workload->scalar_count; ++i) {
        workspace->scalars[i] = at;
        at += scalar_room(&workload->scalars[i]);
    }
    return GPUTUNE_OK;
}

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
        numbers[i] = (gt_service_number){
            .offset = number->offset,
            .type = number->type,
            .fill = number->fill,
            .free = number->free,
            .low = number->low,
            .high = number->high,
            .largest = gt_workload_largest(number->type, number->low, number->high)};
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
    for (gt_buffer_slot *slot = workspace->slots; slot < workspace->slots_end; ++slot) {
        slot->live = live >> slot->index & 1;
        GT_TRY(allocate_slot(measure, slot));
    }
    uint64_t scale_bytes = gt_plan_scale_bytes(&workspace->workload, &workspace->scale_type);
    if (scale_bytes) {
        GT_TRY(gt_memory_take(&workspace->scale, measure, scale_bytes));
    }
    GT_TRY(allocate_scalars(workspace));
    GT_TRY(gt_workspace_values(measure, workspace));
    for (uint32_t i = 0; i < workspace->workload.block_count; ++i) {
        workspace->blocks[i] = calloc(1, workspace->workload.blocks[i].bytes + 1);
        GT_TRY(gt_allocated(workspace->blocks[i]));
    }
    return GPUTUNE_OK;
}

/* ---- Rotated sets ---------------------------------------------------------------------------- */

/* Allocates all buffer sets except the first, and sets *extra to their address. */
static gputune_status take_sets(CUdeviceptr *extra, gt_measure *measure, gt_workspace *workspace,
                                uint64_t set_bytes)
{
    size_t available = 0, total = 0;
    workspace->sets = 1;
    if (workspace != &measure->workspaces[0] || measure->device.emulated || measure->parent) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_measure_check(measure, gt_device_info(measure->driver, &available, &total),
                            "cuMemGetInfo"));
    const uint64_t reserved = measure->reserved_bytes;
    const uint64_t spare = available > reserved ? (available - reserved) / 2 : 0;
    bool hot = measure->setup.cache == GPUTUNE_CACHE_HOT;
    uint32_t sets = (hot ? gt_plan_hot_sets : gt_plan_rotations)(
        measure->device.l2_bytes, gt_plan_working_set(&workspace->workload), set_bytes, spare);
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

/* ---- Read-only inputs ------------------------------------------------------------------------ */

static gputune_status guard_input(gt_guarded *out, gt_measure *measure, const gt_buffer_slot *slot)
{
    const gt_buffer *buffer = slot->buffer;
    gt_view *view = &out->views[out->view_count];
    uint64_t offset = slot->address % GT_ALIGNMENT_MAX;
    out->addresses[slot->index] = slot->address;
    if (buffer->direction != GT_IN || buffer->bytes == 0 ||
        !gt_view_take(view, measure->driver, measure->device.ordinal, offset + buffer->bytes)) {
        return GPUTUNE_OK;
    }
    ++out->view_count;
    out->addresses[slot->index] = view->address + offset;
    GT_TRY(name_memory(measure, view->address + offset, "input", buffer));
    GT_CALL(measure, MemcpyDtoDAsync, view->own + offset, slot->address, buffer->bytes,
            measure->stream);
    return GPUTUNE_OK;
}

gputune_status gt_guard_inputs(gt_measure *measure)
{
    gt_guarded *out = &measure->guard;
    /* launches may still read the old read-only copies if an earlier wait has failed */
    if (out->view_count) {
        GT_TRY(gt_measure_wait(measure));
    }
    gt_guard_free(measure);
    for (const gt_buffer_slot *slot = measure->slots; slot < gt_slots_end(measure, 1); ++slot) {
        GT_TRY(guard_input(out, measure, slot));
    }
    gt_workspace_bind(out->arguments, &measure->workspaces[0], out->addresses);
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
    const uint64_t bytes = sweep_bytes(measure, measure->setup.cache);
    if (bytes == 0) {
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

gputune_status gt_memory_service(gt_measure *measure)
{
    size_t count = 0; /* number of tasks in the longest table */
    for (size_t i = 0; i < GT_TABLES; ++i) {
        count = measure->tables[i].tasks.count > count ? measure->tables[i].tasks.count : count;
    }
    /* the check after the first launch of a proof also makes a finding for each hash of an input */
    count += measure->hash.tasks.count;
    size_t bytes = sizeof(gt_findings) + count * sizeof(gt_finding);
    gt_findings **const pinned[] = {&measure->findings, &measure->first};
    GT_TRY(gt_memory_take(&measure->sums, measure, bytes));
    GT_TRY(gt_memory_take(&measure->found, measure, bytes));
    for (size_t i = 0; i < sizeof pinned / sizeof *pinned; ++i) {
        void *memory = NULL;
        GT_CALL(measure, MemAllocHost, &memory, bytes);
        *pinned[i] = memory;
    }
    memset(measure->findings, 0, bytes);
    for (size_t i = 0; i < count; ++i) {
        measure->findings->items[i].first = UINT64_MAX;
    }
    GT_CALL(measure, MemcpyHtoDAsync, measure->sums, measure->findings, bytes, measure->stream);
    return take_sweep(measure);
}

static gputune_status copy_from(gt_measure *measure, CUdeviceptr to, CUdeviceptr mapping,
                                const gt_live_input *input, const gt_buffer *buffer)
{
    CUdeviceptr base = 0;
    size_t size = 0;
    GT_CALL(measure, MemGetAddressRange, &base, &size, mapping);
    GT_REFUSE(input->offset > size || buffer->bytes > size - input->offset, GPUTUNE_EINVAL,
              "the input for %s is smaller than its %llu bytes", buffer->name,
              (unsigned long long)buffer->bytes);
    GT_CALL(measure, MemcpyDtoDAsync, to, mapping + input->offset, buffer->bytes, measure->stream);
    return gt_measure_wait(measure);
}

static gputune_status copy_mapped(gt_measure *measure, CUdeviceptr to, const gt_live_input *input,
                                  const gt_buffer *buffer)
{
    CUipcMemHandle handle;
    CUdeviceptr mapping = 0;
    memcpy(handle.reserved, input->handle, sizeof handle.reserved);
    GT_CALL(measure, IpcOpenMemHandle, &mapping, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
    gputune_status status = copy_from(measure, to, mapping, input, buffer);
    /* after this, variants can no longer access the caller's memory */
    CUresult closed = measure->driver->IpcCloseMemHandle(mapping);
    GT_TRY(status);
    return gt_measure_check(measure, closed, "cuIpcCloseMemHandle");
}

static gputune_status check_size(const gt_live_input *input, uint64_t bytes, const char *name)
{
    return input->bytes.bytes == bytes
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EINVAL, "the data for %s has %zu bytes; expected %llu", name,
                         input->bytes.bytes, (unsigned long long)bytes);
}

static gputune_status copy_input(gt_measure *measure, const gt_live_input *input)
{
    gt_workspace *workspace = &measure->workspaces[input->workload];
    if (input->buffer >= GT_PARAMETER_MAX) {
        uint32_t index = input->buffer - GT_PARAMETER_MAX;
        const gt_buffer *block = &workspace->workload.blocks[index];
        GT_TRY(check_size(input, block->bytes, block->name));
        memcpy(workspace->blocks[index], input->bytes.data, block->bytes);
        workspace->sent_blocks |= 1u << index;
        return GPUTUNE_OK;
    }
    const gt_buffer_slot *slot = &workspace->slots[input->buffer];
    CUdeviceptr to = input->expected ? slot->expected : slot->pristine;
    if (!to) {
        return GPUTUNE_OK; /* outputs have no initial contents; inputs have no expected results */
    }
    if (input->is_ipc) {
        return copy_mapped(measure, to, input, slot->buffer);
    }
    uint64_t bytes = input->expected ? gt_plan_expected_bytes(slot->buffer) : slot->buffer->bytes;
    GT_TRY(check_size(input, bytes, slot->buffer->name));
    GT_CALL(measure, MemcpyHtoDAsync, to, input->bytes.data, bytes, measure->stream);
    return GPUTUNE_OK;
}

gputune_status gt_inputs_copy(gt_measure *measure, const gt_measure_setup *setup)
{
    for (uint32_t i = 0; i < setup->input_count; ++i) {
        GT_TRY(copy_input(measure, &setup->inputs[i]));
    }
    return GPUTUNE_OK;
}
