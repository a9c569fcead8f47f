/* Implements stream capture: cuStreamBeginCapture, cuStreamEndCapture and related calls. */
#include "emulator/capture.h"
#include "emulator/enter.h"
#include "emulator/stream.h"

EMU_EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
    EMU_ENTER(cuStreamBeginCapture, EMU_USE);
    EMU_CHECK((unsigned)mode <= CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_ERROR_INVALID_VALUE);
    emu_lock();
    CUresult code = emu_stream_resolve(&stream, stream);
    code = code ? code : emu_capture_begin(stream, mode);
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    EMU_ENTER(cuStreamEndCapture, EMU_USE);
    EMU_CHECK(graph, CUDA_ERROR_INVALID_VALUE);
    CUgraph dropped = NULL;
    *graph = NULL;
    emu_lock();
    CUresult code = emu_stream_resolve(&stream, stream);
    code = code ? code : emu_capture_end(graph, &dropped, stream);
    emu_unlock();
    if (dropped) {
        emu_graph_free(dropped);
    }
    return code;
}

static CUresult query_capture(emu_capture_info *out, CUstream stream)
{
    emu_lock();
    CUresult code = emu_stream_resolve(&stream, stream);
    code = code ? code : emu_capture_query(out, stream);
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    EMU_ENTER(cuStreamIsCapturing, EMU_USE);
    EMU_CHECK(status, CUDA_ERROR_INVALID_VALUE);
    emu_capture_info info;
    EMU_TRY(query_capture(&info, stream));
    *status = info.status;
    return CUDA_SUCCESS;
}

static CUresult return_capture_info(const emu_capture_info *info, cuuint64_t *id, CUgraph *graph,
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
    emu_capture_info info;
    EMU_TRY(query_capture(&info, stream));
    *status = info.status;
    if (edges) {
        *edges = NULL;
    }
    return return_capture_info(&info, id, graph, nodes, count);
}

#ifndef EMU_CHECK_ABI
EMU_EXPORT CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status,
                                              cuuint64_t *id, CUgraph *graph,
                                              const CUgraphNode **nodes, size_t *count)
{
    return cuStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, NULL, count);
}
#endif

EMU_EXPORT CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    EMU_ENTER(cuThreadExchangeStreamCaptureMode, EMU_INITIALIZED);
    EMU_CHECK(mode && (unsigned)*mode <= CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_ERROR_INVALID_VALUE);
    *mode = emu_capture_exchange_mode(*mode);
    return CUDA_SUCCESS;
}
