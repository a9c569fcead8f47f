/* Takes the data that are sent, through CUDA IPC or the wire: inputs and expected results. */
#include "farm/measure_parts.h"

#include <string.h>

static gputune_status copy_from(gt_measure *measure, CUdeviceptr to, CUdeviceptr mapping,
                                const gt_live_input *input, const gt_buffer *buffer)
{
    CUdeviceptr base = 0;
    size_t size = 0;
    GT_CALL(measure, MemGetAddressRange, &base, &size, mapping);
    if (input->offset > size || buffer->bytes > size - input->offset) {
        return gt_fail(GPUTUNE_EINVAL, "the input for %s is smaller than its %llu bytes",
                       buffer->name, (unsigned long long)buffer->bytes);
    }
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
    /* before any variant runs: nothing of the caller's may be within a variant's reach */
    CUresult closed = measure->driver->IpcCloseMemHandle(mapping);
    GT_TRY(status);
    return gt_measure_check(measure, closed, "cuIpcCloseMemHandle");
}

static gputune_status check_size(const gt_live_input *input, uint64_t bytes, const char *name)
{
    return input->bytes.bytes == bytes
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EINVAL, "the data for %s have %zu bytes; %llu are expected", name,
                         input->bytes.bytes, (unsigned long long)bytes);
}

static gputune_status copy_staged(gt_measure *measure, CUdeviceptr to, uint64_t bytes,
                                  const gt_live_input *input, const gt_buffer *buffer)
{
    GT_TRY(check_size(input, bytes, buffer->name));
    GT_CALL(measure, MemcpyHtoDAsync, to, input->bytes.data, bytes, measure->stream);
    return GPUTUNE_OK;
}

static gputune_status take_block(gt_workspace *workspace, const gt_live_input *input)
{
    uint32_t index = input->buffer - GT_PARAMETER_MAX;
    const gt_buffer *block = &workspace->workload.blocks[index];
    GT_TRY(check_size(input, block->bytes, block->name));
    memcpy(workspace->blocks[index], input->bytes.data, block->bytes);
    workspace->sent_blocks |= 1u << index;
    return GPUTUNE_OK;
}

static gputune_status copy_input(gt_measure *measure, const gt_live_input *input)
{
    gt_workspace *workspace = &measure->workspaces[input->workload];
    if (input->buffer >= GT_PARAMETER_MAX) {
        return take_block(workspace, input);
    }
    const gt_buffer *buffer = &workspace->workload.buffers[input->buffer];
    const gt_slot *slot = &workspace->slots[input->buffer];
    CUdeviceptr to = input->expected ? slot->expected : slot->pristine;
    if (!to) {
        return GPUTUNE_OK; /* an output needs no data, and an input is not compared */
    }
    uint64_t bytes = input->expected ? gt_plan_expected_bytes(buffer) : buffer->bytes;
    return input->is_ipc ? copy_mapped(measure, to, input, buffer)
                         : copy_staged(measure, to, bytes, input, buffer);
}

gputune_status gt_inputs_copy(gt_measure *measure, const gt_measure_setup *setup)
{
    for (uint32_t i = 0; i < setup->input_count; ++i) {
        GT_TRY(copy_input(measure, &setup->inputs[i]));
    }
    return GPUTUNE_OK;
}
