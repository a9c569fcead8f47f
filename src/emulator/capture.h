/* Stream capture: what is refused, what is recorded. All with the lock held. */
#pragma once

#include "emulator/graph.h"

typedef struct emu_capture {
    struct emu_capture *next;
    CUgraph graph;
    CUstream streams; /* captured by it, the origin among them */
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
    const CUgraphNode *nodes; /* what the next one depends on; the stream's */
    size_t node_count;
} emu_capture_info;

/* Begins a capture on a stream. 900 for the legacy stream, 401 where the stream is captured. */
CUresult emu_capture_begin(CUstream stream, CUstreamCaptureMode mode);

/* Ends the capture that `stream` began. Its graph goes to *out, or with an error (901 invalid, 904
 * not joined) to *dropped; either is the caller's, to be freed with the lock given up. 401 for no
 * capture, 903 for a stream that did not begin it, 908 for another thread. */
CUresult emu_capture_end(CUgraph *out, CUgraph *dropped, CUstream stream);

/* What the stream captures. 906 for the legacy stream while a stream that orders with it does. */
CUresult emu_capture_query(emu_capture_info *out, CUstream stream);

/* Sets the calling thread's mode and returns the one before. */
CUstreamCaptureMode emu_capture_exchange_mode(CUstreamCaptureMode mode);

/* Before work goes to `stream`: 901 when its capture is invalid; 900, which invalidates it, when
 * the caller would have to wait for a capturing stream; 906 when the legacy stream would join one.
 */
CUresult emu_capture_before(CUstream stream, bool waits);

/* Records a command in the stream's capture; takes it over. */
CUresult emu_capture_add(CUstream stream, emu_command *command);

/* Refuses a call that no capture in reach of this thread allows: 900 and that capture is invalid,
 * 901 when it already was. */
CUresult emu_capture_forbids(void);

/* Refuses a wait for the whole context while one of its streams is captured. */
CUresult emu_capture_forbids_context(CUcontext context);

void emu_capture_invalidate(emu_capture *capture);
/* The active capture of that id, or NULL. */
emu_capture *emu_capture_find(uint64_t id);
/* Makes the stream depend on `nodes` of `capture`, joining it if it captured nothing; 902 when it
 * is in another capture. */
CUresult emu_capture_join(CUstream stream, emu_capture *capture, const CUgraphNode *nodes,
                          size_t count);
/* Takes a stream that is being destroyed out of its capture. The capture of which it is the origin
 * ends: its graph is returned, the caller's to free once the lock is given up. Another capture
 * becomes invalid, and NULL is returned. */
CUgraph emu_capture_forget_stream(CUstream stream);
