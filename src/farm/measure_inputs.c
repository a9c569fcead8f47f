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

static gputune_status copy_staged(gt_measure *measure, CUdeviceptr to, uint64_t bytes,
                                  const gt_live_input *input, const gt_buffer *buffer)
{
    if (input->bytes.bytes != bytes) {
        return gt_fail(GPUTUNE_EINVAL, "the data for %s have %zu bytes; %llu are expected",
                       buffer->name, input->bytes.bytes, (unsigned long long)bytes);
    }
    GT_CALL(measure, MemcpyHtoDAsync, to, input->bytes.data, bytes, measure->stream);
    return GPUTUNE_OK;
}

static gputune_status copy_input(gt_measure *measure, const gt_live_input *input)
{
    const gt_workspace *workspace = &measure->workspaces[input->workload];
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
