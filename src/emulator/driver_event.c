#include "emulator/capture.h"
#include "emulator/event.h"

#include <stdlib.h>
#include <string.h>

/* Records or waits for an event as a node of a graph, or records one on a stream. */
typedef struct event_command {
    emu_command command;
    CUevent event;
} event_command;

static void event_unref(CUevent event)
{
    if (--event->references) {
        return;
    }
    emu_ticket_release(event->ticket);
    free(event->nodes);
    free(event);
}

static void release_event_command(emu_command *command)
{
    event_unref(((event_command *)command)->event);
}

static double run_record(emu_command *command, double start_ns)
{
    (void)command;
    (void)start_ns;
    return emu.profile.event_ns;
}

/* In a graph each run is a new record: the event gets a time of its own. */
static double run_graph_record(emu_command *command, double start_ns)
{
    emu_ticket *ticket = emu_ticket_new();
    if (ticket) {
        emu_lock();
        emu_event_set(((event_command *)command)->event, ticket);
        emu_ticket_complete(ticket, start_ns + emu.profile.event_ns);
        emu_unlock();
        emu_ticket_release(ticket);
    }
    return emu.profile.event_ns;
}

static double run_graph_wait(emu_command *command, double start_ns)
{
    emu_lock();
    emu_ticket *ticket = emu_ticket_retain(((event_command *)command)->event->ticket);
    while (ticket && !ticket->done) {
        pthread_cond_wait(&emu.progress, &emu.lock);
    }
    emu_unlock();
    double end = ticket ? ticket->end_ns : start_ns;
    emu_ticket_release(ticket);
    return end > start_ns ? end - start_ns : 0;
}

static const emu_command_class record_class = {.node_type = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                               .run = run_record,
                                               .release = release_event_command};
static const emu_command_class graph_record_class = {.node_type = CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                                                     .run = run_graph_record,
                                                     .release = release_event_command};
static const emu_command_class graph_wait_class = {.node_type = CU_GRAPH_NODE_TYPE_WAIT_EVENT,
                                                   .run = run_graph_wait,
                                                   .release = release_event_command};

static emu_command *new_event_command(const emu_command_class *class, CUevent event)
{
    event_command *command = emu_command_new(class, sizeof *command);
    if (!command) {
        return NULL;
    }
    command->event = event;
    event->references++;
    return &command->command;
}

CUevent emu_command_recorded_event(const emu_command *command)
{
    return command && command->class == &graph_record_class
               ? ((const event_command *)command)->event
               : NULL;
}

void emu_event_set(CUevent event, emu_ticket *ticket)
{
    emu_ticket_release(event->ticket);
    event->ticket = emu_ticket_retain(ticket);
    event->capture_id = 0;
}

EMU_EXPORT CUresult cuEventCreate(CUevent *out, unsigned flags)
{
    EMU_ENTER(cuEventCreate, EMU_USE);
    EMU_CHECK(out && flags < 8, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(!(flags & CU_EVENT_INTERPROCESS), CUDA_ERROR_NOT_SUPPORTED);
    CUevent event = calloc(1, sizeof *event);
    EMU_CHECK(event, CUDA_ERROR_OUT_OF_MEMORY);
    event->kind = EMU_KIND_EVENT;
    event->flags = flags;
    event->references = 1;
    *out = event;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuEventDestroy_v2(CUevent event)
{
    EMU_ENTER(cuEventDestroy, EMU_READY | EMU_SOUND);
    EMU_CHECK(EMU_IS(event, EMU_KIND_EVENT), CUDA_ERROR_INVALID_HANDLE);
    emu_lock();
    event->kind = 0;
    event_unref(event);
    emu_unlock();
    return CUDA_SUCCESS;
}
EMU_ALIAS(cuEventDestroy, cuEventDestroy_v2);

static CUresult record_in_capture(CUevent event, CUstream stream)
{
    CUgraphNode *nodes = malloc((stream->frontier_count + 1) * sizeof *nodes);
    EMU_CHECK(nodes, CUDA_ERROR_OUT_OF_MEMORY);
    if (stream->frontier_count) {
        memcpy(nodes, stream->frontier, stream->frontier_count * sizeof *nodes);
    }
    free(event->nodes);
    event->nodes = nodes;
    event->node_count = stream->frontier_count;
    event->capture_id = stream->capture->id;
    return CUDA_SUCCESS;
}

static CUresult record_on_stream(CUevent event, CUstream stream)
{
    emu_command *command = new_event_command(&record_class, event);
    EMU_CHECK(command, CUDA_ERROR_OUT_OF_MEMORY);
    emu_ticket *ticket = NULL;
    EMU_TRY(emu_queue_submit(&ticket, stream, command));
    emu_event_set(event, ticket);
    emu_ticket_release(ticket);
    return CUDA_SUCCESS;
}

static CUresult record(CUevent event, CUstream handle, unsigned flags)
{
    CUstream stream;
    EMU_TRY(emu_stream_resolve(&stream, handle));
    EMU_TRY(emu_capture_before(stream, false));
    bool external = flags & CU_EVENT_RECORD_EXTERNAL;
    EMU_CHECK(stream->capture || !external, CUDA_ERROR_INVALID_VALUE);
    if (external) {
        emu_command *command = new_event_command(&graph_record_class, event);
        EMU_CHECK(command, CUDA_ERROR_OUT_OF_MEMORY);
        return emu_capture_add(stream, command);
    }
    return stream->capture ? record_in_capture(event, stream) : record_on_stream(event, stream);
}

EMU_EXPORT CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    EMU_ENTER(cuEventRecord, EMU_USE);
    EMU_CHECK(EMU_IS(event, EMU_KIND_EVENT), CUDA_ERROR_INVALID_HANDLE);
    EMU_CHECK(flags <= CU_EVENT_RECORD_EXTERNAL, CUDA_ERROR_INVALID_VALUE);
    emu_lock();
    CUresult code = record(event, stream, flags);
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuEventRecord(CUevent event, CUstream stream)
{
    return cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_DEFAULT);
}

static CUresult wait_in_capture(CUstream stream, CUevent event, bool external)
{
    if (!external) {
        /* An event from outside would be missing when the graph is replayed. */
        emu_capture_invalidate(stream->capture);
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    emu_command *command = new_event_command(&graph_wait_class, event);
    EMU_CHECK(command, CUDA_ERROR_OUT_OF_MEMORY);
    return emu_capture_add(stream, command);
}

static CUresult wait_event(CUstream handle, CUevent event, bool external)
{
    CUstream stream;
    EMU_TRY(emu_stream_resolve(&stream, handle));
    EMU_TRY(emu_capture_before(stream, false));
    emu_capture *capture = event->capture_id ? emu_capture_find(event->capture_id) : NULL;
    if (capture) {
        return emu_capture_join(stream, capture, event->nodes, event->node_count);
    }
    EMU_CHECK(!event->capture_id, CUDA_ERROR_CAPTURED_EVENT);
    return stream->capture ? wait_in_capture(stream, event, external)
                           : emu_queue_wait_for(stream, event->ticket);
}

EMU_EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    EMU_ENTER(cuStreamWaitEvent, EMU_USE);
    EMU_CHECK(EMU_IS(event, EMU_KIND_EVENT), CUDA_ERROR_INVALID_HANDLE);
    EMU_CHECK(flags <= 1, CUDA_ERROR_INVALID_VALUE);
    emu_lock();
    CUresult code = wait_event(stream, event, flags == 1);
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuEventQuery(CUevent event)
{
    EMU_ENTER(cuEventQuery, EMU_USE);
    EMU_CHECK(EMU_IS(event, EMU_KIND_EVENT), CUDA_ERROR_INVALID_HANDLE);
    emu_lock();
    CUresult code = CUDA_SUCCESS;
    if (event->capture_id) {
        code = CUDA_ERROR_CAPTURED_EVENT;
    } else if (event->ticket && !event->ticket->done) {
        code = CUDA_ERROR_NOT_READY;
    } else {
        code = emu_queue_join(event->ticket);
    }
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuEventSynchronize(CUevent event)
{
    EMU_ENTER(cuEventSynchronize, EMU_USE);
    EMU_CHECK(EMU_IS(event, EMU_KIND_EVENT), CUDA_ERROR_INVALID_HANDLE);
    emu_lock();
    CUresult code = event->capture_id ? CUDA_ERROR_CAPTURED_EVENT : emu_queue_join(event->ticket);
    emu_unlock();
    emu_host_spend(emu.profile.host_sync_ns);
    return code;
}

static CUresult elapsed(float *out_ms, CUevent start, CUevent end)
{
    EMU_CHECK(!start->capture_id && !end->capture_id, CUDA_ERROR_CAPTURED_EVENT);
    EMU_CHECK(start->ticket && end->ticket, CUDA_ERROR_INVALID_HANDLE);
    EMU_CHECK(start->ticket->done && end->ticket->done, CUDA_ERROR_NOT_READY);
    *out_ms = (float)((end->ticket->end_ns - start->ticket->end_ns) / 1e6);
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuEventElapsedTime_v2(float *out_ms, CUevent start, CUevent end)
{
    EMU_ENTER(cuEventElapsedTime, EMU_READY | EMU_SOUND);
    EMU_CHECK(out_ms, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(EMU_IS(start, EMU_KIND_EVENT) && EMU_IS(end, EMU_KIND_EVENT),
              CUDA_ERROR_INVALID_HANDLE);
    EMU_CHECK(!((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING), CUDA_ERROR_INVALID_HANDLE);
    emu_lock();
    CUresult code = elapsed(out_ms, start, end);
    emu_unlock();
    return code;
}
EMU_ALIAS(cuEventElapsedTime, cuEventElapsedTime_v2);
