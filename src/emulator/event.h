/* Events: the ticket of what they were last recorded after, or the nodes of a capture. */
#ifndef EMU_EVENT_H
#define EMU_EVENT_H

#include "emulator/graph.h"

struct CUevent_st {
    emu_kind kind;
    unsigned flags;
    atomic_int references; /* the handle, and the graph nodes that record it */
    emu_ticket *ticket;    /* NULL: never recorded, which counts as done */
    uint64_t capture_id;   /* last recorded in this capture, 0: outside of any */
    size_t node_count;
    CUgraphNode *nodes;
};

/* Lets the event say what `ticket` says from now on. Lock held. */
void emu_event_set(CUevent event, emu_ticket *ticket);

/* The event that a graph node records, or NULL for another kind of node. */
CUevent emu_command_recorded_event(const emu_command *command);

#endif
