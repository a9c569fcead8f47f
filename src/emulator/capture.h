/* Stream capture: records the work submitted to streams in a graph instead of running it. Call all
 * functions with the lock held. Error numbers are CUDA error codes. */
#pragma once

#include "emulator/graph.h"

typedef struct emu_capture {
    struct emu_capture *next;
    CUgraph graph;
    CUstream streams; /* captured streams, including the one on which the capture began */
    CUstreamCaptureMode mode;
    pthread_t thread;
    CUstream origin;
    uint64_t id;
    bool invalid;
} emu_capture;

typedef struct emu_capture_info {
    CUstreamCaptureStatus status;
    cuuint64_t id;
    CUgraph graph;
    const CUgraphNode *nodes; /* dependencies of the next node; owned by the stream */
    size_t node_count;
} emu_capture_info;

/* Begins a capture. Fails with 900 for the legacy stream, 401 if `stream` is already captured. */
CUresult emu_capture_begin(CUstream stream, CUstreamCaptureMode mode);

/* Ends the capture that began on `stream` and sets *out to its graph. Fails with 401 if the stream
 * is not being captured, with 903 or 908 if the capture began on another stream or thread. Also
 * fails, but ends the capture, with 901 if the capture is invalid and with 904 if a captured stream
 * was not joined. The caller must then release the lock and free the graph *dropped. */
CUresult emu_capture_end(CUgraph *out, CUgraph *dropped, CUstream stream);

/* Describes the stream's capture. Fails with 906 for the legacy stream if a blocking stream is
 * being captured. */
CUresult emu_capture_query(emu_capture_info *out, CUstream stream);

/* Sets the capture mode of the calling thread and returns the previous one. */
CUstreamCaptureMode emu_capture_exchange_mode(CUstreamCaptureMode mode);

/* Checks that work may be submitted to a stream and, if `waits` is true, that the call may wait.
 * Fails with 901 if the stream's capture is invalid, 900 if the call would wait for a captured
 * stream, 906 if the legacy stream would join a capture. 900 and 906 also make that capture
 * invalid. */
CUresult emu_capture_before(CUstream stream, bool waits);

/* Adds a command to the stream's capture. Takes ownership of the command. */
CUresult emu_capture_add(CUstream stream, emu_command *command);

/* Checks that this thread may make unsafe calls. If an active capture forbids them, fails with 900
 * and makes the capture invalid, or fails with 901 if the capture is already invalid. */
CUresult emu_capture_forbids(void);

/* Fails with 900 if a stream of the context is being captured, and makes that capture invalid. */
CUresult emu_capture_forbids_context(CUcontext context);

void emu_capture_invalidate(emu_capture *capture);
emu_capture *emu_capture_find(uint64_t id);
/* Makes the stream's next node depend on `nodes`. If the stream is not being captured, it joins the
 * capture. Fails with 902 if the stream belongs to another capture. */
CUresult emu_capture_join(CUstream stream, emu_capture *capture, const CUgraphNode *nodes,
                          size_t count);
/* Removes a stream from its capture before the stream is destroyed. If the capture began on this
 * stream, ends it and returns its graph, which the caller must free after releasing the lock.
 * Otherwise makes the capture invalid. */
CUgraph emu_capture_forget_stream(CUstream stream);
