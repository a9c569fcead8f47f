/* Events. An event represents work of a stream or, during a capture, nodes of a graph. */
#pragma once

#include "emulator/graph.h"

struct CUevent_st {
    emu_handle handle;
    unsigned flags;
    /* NULL if the event was never recorded; it is then treated as completed */
    emu_completion *completion;
    uint64_t capture_id; /* the capture in which the event was last recorded, or 0 */
    size_t node_count;
    CUgraphNode *nodes;
};

/* Destroys the event. Call it with the lock held. */
void emu_event_free(CUevent event);
