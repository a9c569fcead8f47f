/* Implements the state and the rules of stream captures. */
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

static CUresult set_dependencies(CUstream stream, const CUgraphNode *nodes, size_t count)
{
    CUgraphNode *copy = malloc((count ? count : 1) * sizeof *copy);
    EMU_CHECK(copy, CUDA_ERROR_OUT_OF_MEMORY);
    if (count) {
        memcpy(copy, nodes, count * sizeof *copy);
    }
    free(stream->dependencies);
    stream->dependencies = copy;
    stream->dependency_count = count;
    return CUDA_SUCCESS;
}

CUresult emu_capture_add(CUstream stream, emu_command *command)
{
    CUgraphNode node;
    EMU_TRY(emu_graph_add(&node, stream->capture->graph, command, stream->dependencies,
                          stream->dependency_count));
    return set_dependencies(stream, &node, 1);
}

static bool contains_node(const CUgraphNode *nodes, size_t count, CUgraphNode node)
{
    for (size_t i = 0; i < count; i++) {
        if (nodes[i] == node) {
            return true;
        }
    }
    return false;
}

static CUresult add_dependencies(CUstream stream, const CUgraphNode *nodes, size_t count)
{
    size_t total = stream->dependency_count;
    CUgraphNode *all = realloc(stream->dependencies, (total + count + 1) * sizeof *all);
    EMU_CHECK(all, CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < count; i++) {
        if (!contains_node(all, total, nodes[i])) {
            all[total++] = nodes[i];
        }
    }
    stream->dependencies = all;
    stream->dependency_count = total;
    return CUDA_SUCCESS;
}

static void add_stream(emu_capture *capture, CUstream stream)
{
    stream->capture = capture;
    stream->next_captured = capture->streams;
    capture->streams = stream;
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
        return add_dependencies(stream, nodes, count);
    }
    EMU_TRY(set_dependencies(stream, nodes, count));
    add_stream(capture, stream);
    return CUDA_SUCCESS;
}

static emu_capture *new_capture(CUstream origin, CUstreamCaptureMode mode)
{
    emu_capture *capture = calloc(1, sizeof *capture);
    CUgraph graph = emu_graph_new();
    if (!capture || !graph || set_dependencies(origin, NULL, 0)) {
        if (graph) {
            emu_graph_free(graph);
        }
        free(capture);
        return NULL;
    }
    *capture = (emu_capture){.next = captures,
                             .graph = graph,
                             .mode = mode,
                             .thread = pthread_self(),
                             .origin = origin,
                             .id = ++emu.last_id};
    return capture;
}

CUresult emu_capture_begin(CUstream stream, CUstreamCaptureMode mode)
{
    EMU_CHECK(!stream->is_legacy, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EMU_CHECK(!stream->capture, CUDA_ERROR_ILLEGAL_STATE);
    emu_capture *capture = new_capture(stream, mode);
    EMU_CHECK(capture, CUDA_ERROR_OUT_OF_MEMORY);
    captures = capture;
    add_stream(capture, stream);
    return CUDA_SUCCESS;
}

static CUgraph finish_capture(emu_capture *capture)
{
    CUgraph graph = capture->graph;
    for (emu_capture **at = &captures; *at; at = &(*at)->next) {
        if (*at == capture) {
            *at = capture->next;
            break;
        }
    }
    while (capture->streams) {
        CUstream stream = capture->streams;
        capture->streams = stream->next_captured;
        stream->capture = NULL;
        stream->dependency_count = 0;
    }
    free(capture);
    return graph;
}

CUgraph emu_capture_forget_stream(CUstream stream)
{
    emu_capture *capture = stream->capture;
    if (!capture) {
        return NULL;
    }
    if (capture->origin == stream) {
        return finish_capture(capture);
    }
    emu_capture_invalidate(capture);
    CUstream *at = &capture->streams;
    while (*at != stream) {
        at = &(*at)->next_captured;
    }
    *at = stream->next_captured;
    stream->capture = NULL;
    return NULL;
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
    for (size_t i = 0; i < stream->dependency_count; i++) {
        if (!reached[stream->dependencies[i]->index]) {
            return false;
        }
    }
    return true;
}

static bool all_joined(const emu_capture *capture)
{
    bool *reached = calloc(capture->graph->node_count + 1, sizeof *reached);
    bool joined = reached != NULL;
    for (size_t i = 0; joined && i < capture->origin->dependency_count; i++) {
        mark_ancestors(reached, capture->origin->dependencies[i]);
    }
    for (CUstream stream = capture->streams; stream && joined; stream = stream->next_captured) {
        joined = stream_joined(stream, reached);
    }
    free(reached);
    return joined;
}

CUresult emu_capture_end(CUgraph *out, CUgraph *dropped, CUstream stream)
{
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
    CUgraph graph = finish_capture(capture);
    *(code ? dropped : out) = graph;
    return code;
}

CUstreamCaptureMode emu_capture_exchange_mode(CUstreamCaptureMode mode)
{
    CUstreamCaptureMode before = thread_mode;
    thread_mode = mode;
    return before;
}

CUresult emu_capture_query(emu_capture_info *out, CUstream stream)
{
    *out = (emu_capture_info){.status = CU_STREAM_CAPTURE_STATUS_NONE};
    if (stream->is_legacy && captured_stream(stream->context, true)) {
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
    if (stream->capture) {
        bool invalid = stream->capture->invalid;
        out->status =
            invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
        out->id = stream->capture->id;
        out->graph = stream->capture->graph;
        out->nodes = stream->dependencies;
        out->node_count = stream->dependency_count;
    }
    return CUDA_SUCCESS;
}
