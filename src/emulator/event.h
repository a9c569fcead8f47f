/* Events: a completion of recorded work, or nodes of a capture. */
#pragma once

#include "emulator/graph.h"

struct CUevent_st {
    emu_handle handle;
    unsigned flags;
    emu_completion *completion; /* NULL: never recorded, which counts as done */
    uint64_t capture_id;        /* last recorded in this capture, 0: outside of any */
    size_t node_count;
    CUgraphNode *nodes;
};

/* Frees the event and its handle. Lock held. */
void emu_event_free(CUevent event);
