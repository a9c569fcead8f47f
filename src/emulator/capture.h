/* Stream capture. Call all functions with the lock held. Numbers are CUDA error codes. */
#pragma once

#include "emulator/graph.h"

typedef struct emu_capture {
    struct emu_capture *next;
    CUgraph graph;
    CUstream streams; /* captured streams, including the origin */
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

/* Begins a capture. Fails with 900 for the legacy stream, 401 if `stream` is being captured. */
CUresult emu_capture_begin(CUstream stream, CUstreamCaptureMode mode);

/* Ends the capture that began on `stream` and sets *out to its graph. Fails with 401 if the stream
 * is not being captured, 903 if the capture began on another stream, 908 if it began on another
 * thread. Also fails with 901 if the capture is invalid, and 904 if a stream was not joined. In
 * these two cases *dropped is the graph, which the caller frees after releasing the lock. */
CUresult emu_capture_end(CUgraph *out, CUgraph *dropped, CUstream stream);

/* Describes the stream's capture. Fails with 906 for the legacy stream if a blocking stream is
 * captured. */
CUresult emu_capture_query(emu_capture_info *out, CUstream stream);

/* Sets the capture mode of the calling thread and returns the previous one. */
CUstreamCaptureMode emu_capture_exchange_mode(CUstreamCaptureMode mode);

/* Checks that work may be submitted to a stream. `waits` is true if the call also waits for the
 * work. Fails with 901 if the stream's capture is invalid, 900 if the call waits for a captured
 * stream, 906 if the legacy stream joins a capture. 900 and 906 invalidate captures. */
CUresult emu_capture_before(CUstream stream, bool waits);

/* Adds a command to the stream's capture. Takes ownership of the command. */
CUresult emu_capture_add(CUstream stream, emu_command *command);

/* Refuses a call that is unsafe during a capture of this thread: fails with 900 and makes the
 * capture invalid. If the capture is already invalid, fails with 901. */
CUresult emu_capture_forbids(void);

/* Refuses to wait for a context while one of its streams is being captured. */
CUresult emu_capture_forbids_context(CUcontext context);

void emu_capture_invalidate(emu_capture *capture);
emu_capture *emu_capture_find(uint64_t id);
/* Makes the stream's next node depend on `nodes`. A stream that is not being captured joins the
 * capture. Fails with 902 if the stream belongs to another capture. */
CUresult emu_capture_join(CUstream stream, emu_capture *capture, const CUgraphNode *nodes,
                          size_t count);
/* Removes a stream that is being destroyed from its capture. If the stream is the origin, ends the
 * capture and returns its graph, which the caller frees without the lock. Otherwise the capture
 * becomes invalid. */
CUgraph emu_capture_forget_stream(CUstream stream);
