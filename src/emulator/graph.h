/* Graphs that captures record, and instantiated graphs, which streams run. */
#pragma once

#include "emulator/queue.h"

struct CUgraphNode_st {
    CUgraph graph;
    emu_command *command;
    size_t index;
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

/* A node of an instantiated graph. The nodes on which it depends come before it. */
typedef struct emu_exec_node {
    emu_command *command;
    size_t dependency_count;
    size_t *dependencies;
    double end_ns;
} emu_exec_node;

/* An instantiated graph, which is also a command. As on hardware, its runs never overlap. */
struct CUgraphExec_st {
    emu_command command;
    emu_handle handle;
    pthread_mutex_t running;
    size_t node_count;
    emu_exec_node *nodes;
    size_t user_count;
    emu_user_reference *users;
};

/* Creates an empty graph with a handle, or returns NULL if memory runs out. */
CUgraph emu_graph_new(void);
/* Frees the graph, its nodes and its references to user objects. Call it without the lock, because
 * it may call the application's destructors. */
void emu_graph_free(CUgraph graph);
/* Adds a node after `dependencies`, which are nodes of this graph, and takes ownership of the
 * command. Fails with 2 if memory runs out. */
CUresult emu_graph_add(CUgraphNode *out, CUgraph graph, emu_command *command,
                       const CUgraphNode *dependencies, size_t count);
/* Copies the graph for execution. Fails with 2 if memory runs out. Call it with the lock held. */
CUresult emu_graph_instantiate(CUgraphExec *out, CUgraph graph);

/* Releases references. The last one destroys the user object. Call it without the lock. */
void emu_user_object_release(CUuserObject object, unsigned count);
