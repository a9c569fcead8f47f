#include "emulator/capture.h"

#include <stdlib.h>
#include <string.h>

static emu_capture *captures;
static _Thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

void emu_capture_invalidate(emu_capture *capture)
{
    capture->invalid = true;
}

emu_capture *emu_capture_find(uint64_t id)
{
    for (emu_capture *capture = captures; capture; capture = capture->next) {
        if (capture->id == id) {
            return capture;
        }
    }
    return NULL;
}

/* The first captured stream of a context that orders with its legacy stream, or any at all. */
static CUstream captured_stream(CUcontext context, bool only_blocking)
{
    for (CUstream stream = context->streams; stream; stream = stream->next) {
        bool blocking = !(stream->flags & CU_STREAM_NON_BLOCKING);
        if (stream->capture && (blocking || !only_blocking)) {
            return stream;
        }
    }
    return NULL;
}

CUresult emu_capture_before(CUstream stream, bool waits)
{
    if (stream->is_legacy) {
        CUstream captured = captured_stream(stream->context, true);
        if (captured) {
            emu_capture_invalidate(captured->capture);
            return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
        }
    }
    if (!stream->capture) {
        return CUDA_SUCCESS;
    }
    EMU_CHECK(!stream->capture->invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    if (waits) {
        emu_capture_invalidate(stream->capture);
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return CUDA_SUCCESS;
}

CUresult emu_capture_forbids(void)
{
    for (emu_capture *capture = captures; capture; capture = capture->next) {
        bool own = pthread_equal(capture->thread, pthread_self());
        bool both_global = capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                           thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
        if (capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
            thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED || !(own || both_global)) {
            continue;
        }
        CUresult code = capture->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                                         : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
        emu_capture_invalidate(capture);
        return code;
    }
    return CUDA_SUCCESS;
}

CUresult emu_capture_forbids_context(CUcontext context)
{
    CUstream captured = captured_stream(context, false);
    if (!captured) {
        return CUDA_SUCCESS;
    }
    emu_capture_invalidate(captured->capture);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

static CUresult set_frontier(CUstream stream, const CUgraphNode *nodes, size_t count)
{
    CUgraphNode *copy = malloc((count ? count : 1) * sizeof *copy);
    EMU_CHECK(copy, CUDA_ERROR_OUT_OF_MEMORY);
    if (count) {
        memcpy(copy, nodes, count * sizeof *copy);
    }
    free(stream->frontier);
    stream->frontier = copy;
    stream->frontier_count = count;
    return CUDA_SUCCESS;
}

CUresult emu_capture_add(CUstream stream, emu_command *command)
{
    CUgraphNode node;
    EMU_TRY(emu_graph_add(&node, stream->capture->graph, command, stream->frontier,
                          stream->frontier_count));
    return set_frontier(stream, &node, 1);
}

static bool holds(const CUgraphNode *nodes, size_t count, CUgraphNode node)
{
    for (size_t i = 0; i < count; i++) {
        if (nodes[i] == node) {
            return true;
        }
    }
    return false;
}

static CUresult widen_frontier(CUstream stream, const CUgraphNode *nodes, size_t count)
{
    size_t total = stream->frontier_count;
    CUgraphNode *all = realloc(stream->frontier, (total + count + 1) * sizeof *all);
    EMU_CHECK(all, CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < count; i++) {
        if (!holds(all, total, nodes[i])) {
            all[total++] = nodes[i];
        }
    }
    stream->frontier = all;
    stream->frontier_count = total;
    return CUDA_SUCCESS;
}

CUresult emu_capture_join(CUstream stream, emu_capture *capture, const CUgraphNode *nodes,
                          size_t count)
{
    EMU_CHECK(!capture->invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    if (stream->is_legacy) {
        emu_capture_invalidate(capture);
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    if (stream->capture && stream->capture != capture) {
        emu_capture_invalidate(capture);
        emu_capture_invalidate(stream->capture);
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    if (stream->capture) {
        return widen_frontier(stream, nodes, count);
    }
    stream->capture = capture;
    return set_frontier(stream, nodes, count);
}

static CUresult begin(CUstream stream, CUgraph graph, CUstreamCaptureMode mode)
{
    emu_capture *capture = calloc(1, sizeof *capture);
    CUresult code = capture ? set_frontier(stream, NULL, 0) : CUDA_ERROR_OUT_OF_MEMORY;
    if (code) {
        free(capture);
        return code;
    }
    *capture = (emu_capture){.next = captures,
                             .graph = graph,
                             .mode = mode,
                             .thread = pthread_self(),
                             .origin = stream,
                             .id = ++emu.last_id};
    captures = capture;
    stream->capture = capture;
    return CUDA_SUCCESS;
}

static CUresult begin_on(CUstream handle, CUstreamCaptureMode mode)
{
    CUstream stream;
    EMU_TRY(emu_stream_resolve(&stream, handle));
    EMU_CHECK(!stream->is_legacy, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EMU_CHECK(!stream->capture, CUDA_ERROR_ILLEGAL_STATE);
    CUgraph graph = emu_graph_new();
    EMU_CHECK(graph, CUDA_ERROR_OUT_OF_MEMORY);
    CUresult code = begin(stream, graph, mode);
    if (code) {
        emu_graph_free(graph);
    }
    return code;
}

EMU_EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
    EMU_ENTER(cuStreamBeginCapture, EMU_USE);
    EMU_CHECK((unsigned)mode <= CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_ERROR_INVALID_VALUE);
    emu_lock();
    CUresult code = begin_on(stream, mode);
    emu_unlock();
    return code;
}

#ifndef EMU_CHECK_ABI
/* The first form of the call, which had no mode. */
EMU_EXPORT CUresult cuStreamBeginCapture(CUstream stream)
{
    return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
#endif

static void detach_streams(const emu_capture *capture)
{
    for (CUcontext context = emu.contexts; context; context = context->next) {
        for (CUstream stream = context->streams; stream; stream = stream->next) {
            if (stream->capture == capture) {
                stream->capture = NULL;
                stream->frontier_count = 0;
            }
        }
    }
}

/* Takes the capture apart; its graph is the caller's. */
static CUgraph finish(emu_capture *capture)
{
    CUgraph graph = capture->graph;
    for (emu_capture **at = &captures; *at; at = &(*at)->next) {
        if (*at == capture) {
            *at = capture->next;
            break;
        }
    }
    detach_streams(capture);
    free(capture);
    return graph;
}

CUgraph emu_capture_forget_stream(CUstream stream)
{
    emu_capture *capture = stream->capture;
    if (!capture) {
        return NULL;
    }
    emu_capture_invalidate(capture);
    CUgraph orphan = capture->origin == stream ? finish(capture) : NULL;
    stream->capture = NULL;
    return orphan;
}

static void mark_ancestors(bool *reached, CUgraphNode node)
{
    if (reached[node->index]) {
        return;
    }
    reached[node->index] = true;
    for (size_t i = 0; i < node->dependency_count; i++) {
        mark_ancestors(reached, node->dependencies[i]);
    }
}

static bool stream_joined(CUstream stream, const bool *reached)
{
    for (size_t i = 0; i < stream->frontier_count; i++) {
        if (!reached[stream->frontier[i]->index]) {
            return false;
        }
    }
    return true;
}

/* Whether the work of every forked stream was joined to the origin again. */
static bool all_joined(const emu_capture *capture)
{
    bool *reached = calloc(capture->graph->node_count + 1, sizeof *reached);
    bool joined = reached != NULL;
    for (size_t i = 0; joined && i < capture->origin->frontier_count; i++) {
        mark_ancestors(reached, capture->origin->frontier[i]);
    }
    for (CUcontext context = emu.contexts; context && joined; context = context->next) {
        for (CUstream stream = context->streams; stream && joined; stream = stream->next) {
            joined = stream->capture != capture || stream_joined(stream, reached);
        }
    }
    free(reached);
    return joined;
}

static CUresult end_of(CUgraph *out, CUgraph *dropped, CUstream handle)
{
    CUstream stream;
    EMU_TRY(emu_stream_resolve(&stream, handle));
    emu_capture *capture = stream->capture;
    EMU_CHECK(capture, CUDA_ERROR_ILLEGAL_STATE);
    if (capture->origin != stream) {
        emu_capture_invalidate(capture);
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
        !pthread_equal(capture->thread, pthread_self())) {
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    }
    CUresult code = CUDA_SUCCESS;
    if (capture->invalid) {
        code = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    } else if (!all_joined(capture)) {
        code = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    }
    CUgraph graph = finish(capture);
    *(code ? dropped : out) = graph;
    return code;
}

EMU_EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    EMU_ENTER(cuStreamEndCapture, EMU_USE);
    EMU_CHECK(graph, CUDA_ERROR_INVALID_VALUE);
    CUgraph dropped = NULL;
    *graph = NULL;
    emu_lock();
    CUresult code = end_of(graph, &dropped, stream);
    emu_unlock();
    if (dropped) {
        emu_graph_free(dropped);
    }
    return code;
}

typedef struct capture_info {
    CUstreamCaptureStatus status;
    cuuint64_t id;
    CUgraph graph;
    const CUgraphNode *nodes;
    size_t node_count;
} capture_info;

static CUresult query(capture_info *out, CUstream handle)
{
    *out = (capture_info){.status = CU_STREAM_CAPTURE_STATUS_NONE};
    emu_lock();
    CUstream stream;
    CUresult code = emu_stream_resolve(&stream, handle);
    if (!code && stream->is_legacy && captured_stream(stream->context, true)) {
        code = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    } else if (!code && stream->capture) {
        bool invalid = stream->capture->invalid;
        out->status =
            invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
        out->id = stream->capture->id;
        out->graph = stream->capture->graph;
        out->nodes = stream->frontier;
        out->node_count = stream->frontier_count;
    }
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    EMU_ENTER(cuStreamIsCapturing, EMU_USE);
    EMU_CHECK(status, CUDA_ERROR_INVALID_VALUE);
    capture_info info;
    EMU_TRY(query(&info, stream));
    *status = info.status;
    return CUDA_SUCCESS;
}

static CUresult tell(const capture_info *info, cuuint64_t *id, CUgraph *graph,
                     const CUgraphNode **nodes, size_t *count)
{
    if (id) {
        *id = info->id;
    }
    if (graph) {
        *graph = info->graph;
    }
    if (nodes) {
        *nodes = info->nodes;
    }
    if (count) {
        *count = info->node_count;
    }
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status,
                                              cuuint64_t *id, CUgraph *graph,
                                              const CUgraphNode **nodes,
                                              const CUgraphEdgeData **edges, size_t *count)
{
    EMU_ENTER(cuStreamGetCaptureInfo, EMU_USE);
    EMU_CHECK(status, CUDA_ERROR_INVALID_VALUE);
    capture_info info;
    EMU_TRY(query(&info, stream));
    *status = info.status;
    if (edges) {
        *edges = NULL;
    }
    return tell(&info, id, graph, nodes, count);
}

#ifndef EMU_CHECK_ABI
EMU_EXPORT CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status,
                                              cuuint64_t *id, CUgraph *graph,
                                              const CUgraphNode **nodes, size_t *count)
{
    return cuStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, NULL, count);
}

EMU_EXPORT CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status,
                                           cuuint64_t *id)
{
    return cuStreamGetCaptureInfo_v3(stream, status, id, NULL, NULL, NULL, NULL);
}
#endif

EMU_EXPORT CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    EMU_ENTER(cuThreadExchangeStreamCaptureMode, EMU_READY);
    EMU_CHECK(mode && (unsigned)*mode <= CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_ERROR_INVALID_VALUE);
    CUstreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}
