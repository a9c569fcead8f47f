/* Events: cuEvent*, cuStreamWaitEvent. */
#include "emulator/event.h"

#include "emulator/capture.h"
#include "emulator/enter.h"
#include "emulator/stream.h"

#include <stdlib.h>
#include <string.h>

static double run_record(emu_command *command, double start_ns)
{
    (void)command;
    (void)start_ns;
    return emu.profile.event_ns;
}

static const emu_command_class record_class = {.run = run_record};

void emu_event_free(CUevent event)
{
    emu_handle_drop(&event->handle);
    emu_completion_release(event->completion);
    free(event->nodes);
    emu_handle_free(event);
}

EMU_EXPORT CUresult cuEventCreate(CUevent *out, unsigned flags)
{
    EMU_ENTER(cuEventCreate, EMU_USE);
    EMU_CHECK(out && flags < 8, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(!(flags & CU_EVENT_INTERPROCESS), CUDA_ERROR_NOT_SUPPORTED);
    CUevent event = calloc(1, sizeof *event);
    EMU_CHECK(event, CUDA_ERROR_OUT_OF_MEMORY);
    event->flags = flags;
    emu_handle_add(&event->handle, event, EMU_KIND_EVENT, emu_context_top());
    *out = event;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuEventDestroy_v2(CUevent event)
{
    EMU_ENTER(cuEventDestroy, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(emu_handle_is(event, EMU_KIND_EVENT), CUDA_ERROR_INVALID_HANDLE);
    emu_lock();
    emu_event_free(event);
    emu_unlock();
    return CUDA_SUCCESS;
}

static CUresult record_in_capture(CUevent event, CUstream stream)
{
    CUgraphNode *nodes = malloc((stream->dependency_count + 1) * sizeof *nodes);
    EMU_CHECK(nodes, CUDA_ERROR_OUT_OF_MEMORY);
    if (stream->dependency_count) {
        memcpy(nodes, stream->dependencies, stream->dependency_count * sizeof *nodes);
    }
    free(event->nodes);
    event->nodes = nodes;
    event->node_count = stream->dependency_count;
    event->capture_id = stream->capture->id;
    return CUDA_SUCCESS;
}

static CUresult record_on_stream(CUevent event, CUstream stream)
{
    emu_command *command = emu_command_new(&record_class, sizeof *command);
    EMU_CHECK(command, CUDA_ERROR_OUT_OF_MEMORY);
    emu_completion *completion;
    EMU_TRY(emu_queue_submit(&completion, stream, command));
    emu_completion_release(event->completion);
    event->completion = completion;
    event->capture_id = 0;
    return CUDA_SUCCESS;
}

static CUresult record_event(CUevent event, CUstream handle)
{
    CUstream stream;
    EMU_TRY(emu_stream_resolve(&stream, handle));
    EMU_CHECK(emu_handle_is_of(event, EMU_KIND_EVENT, stream->context), CUDA_ERROR_INVALID_HANDLE);
    EMU_TRY(emu_capture_before(stream, false));
    return stream->capture ? record_in_capture(event, stream) : record_on_stream(event, stream);
}

EMU_EXPORT CUresult cuEventRecord(CUevent event, CUstream stream)
{
    EMU_ENTER(cuEventRecord, EMU_USE);
    emu_lock();
    CUresult code = record_event(event, stream);
    emu_unlock();
    return code;
}

static CUresult wait_event(CUstream handle, CUevent event)
{
    CUstream stream;
    EMU_TRY(emu_stream_resolve(&stream, handle));
    EMU_TRY(emu_capture_before(stream, false));
    emu_capture *capture = event->capture_id ? emu_capture_find(event->capture_id) : NULL;
    if (capture) {
        return emu_capture_join(stream, capture, event->nodes, event->node_count);
    }
    EMU_CHECK(!event->capture_id, CUDA_ERROR_CAPTURED_EVENT);
    if (stream->capture) {
        /* A captured graph cannot wait for work outside the capture. */
        emu_capture_invalidate(stream->capture);
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    return emu_queue_wait_for(stream, event->completion);
}

/* The stream and the event may belong to different contexts. Flag 1 (graphs) is not supported. */
EMU_EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    EMU_ENTER(cuStreamWaitEvent, EMU_USE);
    EMU_CHECK(emu_handle_is(event, EMU_KIND_EVENT), CUDA_ERROR_INVALID_HANDLE);
    EMU_CHECK(flags <= 1, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(!flags, CUDA_ERROR_NOT_SUPPORTED);
    emu_lock();
    CUresult code = wait_event(stream, event);
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuEventQuery(CUevent event)
{
    EMU_ENTER(cuEventQuery, EMU_USE);
    EMU_CHECK(emu_handle_is(event, EMU_KIND_EVENT), CUDA_ERROR_INVALID_HANDLE);
    emu_lock();
    CUresult code = CUDA_SUCCESS;
    if (event->capture_id) {
        code = CUDA_ERROR_CAPTURED_EVENT;
    } else if (event->completion && !event->completion->done) {
        code = CUDA_ERROR_NOT_READY;
    } else {
        code = emu_queue_join(event->completion);
    }
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuEventSynchronize(CUevent event)
{
    EMU_ENTER(cuEventSynchronize, EMU_USE);
    EMU_CHECK(emu_handle_is(event, EMU_KIND_EVENT), CUDA_ERROR_INVALID_HANDLE);
    emu_lock();
    CUresult code =
        event->capture_id ? CUDA_ERROR_CAPTURED_EVENT : emu_queue_join(event->completion);
    emu_unlock();
    emu_host_spend(emu.profile.host_sync_ns);
    return code;
}

static CUresult elapsed_ms(float *out_ms, CUevent start, CUevent end)
{
    EMU_CHECK(!start->capture_id && !end->capture_id, CUDA_ERROR_CAPTURED_EVENT);
    EMU_CHECK(start->completion && end->completion, CUDA_ERROR_INVALID_HANDLE);
    EMU_CHECK(start->completion->done && end->completion->done, CUDA_ERROR_NOT_READY);
    *out_ms = (float)((end->completion->end_ns - start->completion->end_ns) / 1e6);
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuEventElapsedTime_v2(float *out_ms, CUevent start, CUevent end)
{
    EMU_ENTER(cuEventElapsedTime, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(out_ms, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(emu_handle_is(start, EMU_KIND_EVENT), CUDA_ERROR_INVALID_HANDLE);
    EMU_CHECK(emu_handle_is_of(end, EMU_KIND_EVENT, start->handle.context),
              CUDA_ERROR_INVALID_HANDLE);
    EMU_CHECK(!((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING), CUDA_ERROR_INVALID_HANDLE);
    emu_lock();
    CUresult code = elapsed_ms(out_ms, start, end);
    emu_unlock();
    return code;
}
