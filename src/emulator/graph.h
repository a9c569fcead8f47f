/* Graphs: what a capture records, what can be instantiated and replayed. */
#pragma once

#include "emulator/queue.h"

struct CUgraphNode_st {
    CUgraph graph;
    emu_command *command;
    size_t index; /* its place in the graph */
    size_t dependency_count;
    CUgraphNode *dependencies;
};

struct CUuserObject_st {
    emu_handle handle;
    atomic_int references;
    void *data;
    CUhostFn destroy;
};

typedef struct emu_user_reference {
    CUuserObject object;
    unsigned count;
} emu_user_reference;

struct CUgraph_st {
    emu_handle handle;
    size_t node_count;
    CUgraphNode *nodes;
    size_t user_count;
    emu_user_reference *users;
};

/* One node of an instantiated graph: its dependencies come before it. */
typedef struct emu_exec_node {
    emu_command *command;
    size_t dependency_count;
    size_t *dependencies;
    double end_ns;
} emu_exec_node;

/* An instantiated graph is itself a command. As on hardware, its runs never overlap, whatever their
 * streams. */
struct CUgraphExec_st {
    emu_command command;
    emu_handle handle;
    pthread_mutex_t running;
    size_t node_count;
    emu_exec_node *nodes;
    size_t user_count;
    emu_user_reference *users;
};

/* An empty graph with a handle; NULL when memory runs out. */
CUgraph emu_graph_new(void);
/* Frees the graph with its nodes and its references on user objects. Lock not held: a user object's
 * destructor is the caller's code. */
void emu_graph_free(CUgraph graph);
/* Adds a node that depends on `dependencies`, which are nodes of this graph; takes over the
 * command. 2 when memory runs out. */
CUresult emu_graph_add(CUgraphNode *out, CUgraph graph, emu_command *command,
                       const CUgraphNode *dependencies, size_t count);
/* Copies the graph for running; 2 when memory runs out. Lock held. */
CUresult emu_graph_instantiate(CUgraphExec *out, CUgraph graph);

/* Gives up `count` references; the last one calls the destructor, the caller's code. Lock not held.
 */
void emu_user_object_release(CUuserObject object, unsigned count);
