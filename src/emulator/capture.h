/* Stream capture. All functions are called with the lock held. */
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

/* Begins a capture on a stream. 900 for the legacy stream, 401 if the stream is already
 * captured. */
CUresult emu_capture_begin(CUstream stream, CUstreamCaptureMode mode);

/* Ends the capture that `stream` began. Sets *out to its graph, or *dropped on error (901 invalid,
 * 904 not joined); the caller frees either after it has released the lock. 401 without a capture,
 * 903 for a stream that did not begin it, 908 for another thread. */
CUresult emu_capture_end(CUgraph *out, CUgraph *dropped, CUstream stream);

/* Gets the stream's capture. 906 for the legacy stream if a stream synchronised with it is
 * captured. */
CUresult emu_capture_query(emu_capture_info *out, CUstream stream);

/* Sets the calling thread's mode and returns the previous one. */
CUstreamCaptureMode emu_capture_exchange_mode(CUstreamCaptureMode mode);

/* Checks a stream before work is submitted to it: 901 if its capture is invalid; 900, which
 * invalidates the capture, if the caller would have to wait for a captured stream; 906 if the
 * legacy stream would join a capture. */
CUresult emu_capture_before(CUstream stream, bool waits);

/* Records a command in the stream's capture, and takes ownership of it. */
CUresult emu_capture_add(CUstream stream, emu_command *command);

/* Refuses a call that is unsafe during this thread's captures: 900, which invalidates the capture,
 * or 901 if it already was invalid. */
CUresult emu_capture_forbids(void);

/* Refuses to wait for the context while one of its streams is captured. */
CUresult emu_capture_forbids_context(CUcontext context);

void emu_capture_invalidate(emu_capture *capture);
/* Finds the active capture with that id, or NULL. */
emu_capture *emu_capture_find(uint64_t id);
/* Makes the stream depend on `nodes` of `capture`, and join it if it is not captured; 902 if it is
 * in another capture. */
CUresult emu_capture_join(CUstream stream, emu_capture *capture, const CUgraphNode *nodes,
                          size_t count);
/* Removes a stream that is being destroyed from its capture. If it is the origin, the capture ends
 * and its graph is returned, for the caller to free after it has released the lock. Otherwise the
 * capture becomes invalid, and NULL is returned. */
CUgraph emu_capture_forget_stream(CUstream stream);
