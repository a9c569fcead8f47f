/* Takes the caller's live buffers as inputs, through CUDA IPC or the wire. */
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

static gputune_status copy_input(gt_measure *measure, const gt_live_input *input)
{
    const gt_workspace *workspace = &measure->workspaces[0];
    if (input->buffer >= workspace->workload.buffer_count) {
        return gt_fail(GPUTUNE_EINVAL, "input %u names no buffer of the kernel", input->buffer);
    }
    const gt_buffer *buffer = &workspace->workload.buffers[input->buffer];
    const gt_slot *slot = &workspace->slots[input->buffer];
    if (buffer->direction == GT_OUT) {
        return GPUTUNE_OK;
    }
    if (input->is_ipc) {
        return copy_mapped(measure, slot->pristine, input, buffer);
    }
    if (input->bytes.bytes != buffer->bytes) {
        return gt_fail(GPUTUNE_EINVAL, "the input for %s has %zu bytes; %llu are expected",
                       buffer->name, input->bytes.bytes, (unsigned long long)buffer->bytes);
    }
    GT_CALL(measure, MemcpyHtoDAsync, slot->pristine, input->bytes.data, buffer->bytes,
            measure->stream);
    return GPUTUNE_OK;
}

gputune_status gt_inputs_copy(gt_measure *measure, const gt_measure_setup *setup)
{
    for (uint32_t i = 0; i < setup->input_count; ++i) {
        GT_TRY(copy_input(measure, &setup->inputs[i]));
    }
    return GPUTUNE_OK;
}
