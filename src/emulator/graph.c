/* Builds graphs from captured nodes, and runs them. */
#include "emulator/graph.h"

#include <stdlib.h>
#include <string.h>

CUgraph emu_graph_new(void)
{
    CUgraph graph = calloc(1, sizeof *graph);
    if (graph) {
        emu_handle_add(&graph->handle, graph, EMU_KIND_GRAPH, NULL);
    }
    return graph;
}

static void free_node(CUgraphNode node)
{
    emu_command_release(node->command);
    free(node->dependencies);
    free(node);
}

void emu_user_object_release(CUuserObject object, unsigned count)
{
    if (atomic_fetch_sub(&object->references, (int)count) == (int)count) {
        emu_handle_drop(&object->handle);
        object->destroy(object->data);
        emu_handle_free(object);
    }
}

static void release_users(emu_user_reference *users, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        emu_user_object_release(users[i].object, users[i].count);
    }
    free(users);
}

void emu_graph_free(CUgraph graph)
{
    emu_handle_drop(&graph->handle);
    for (size_t i = 0; i < graph->node_count; i++) {
        free_node(graph->nodes[i]);
    }
    free(graph->nodes);
    release_users(graph->users, graph->user_count);
    emu_handle_free(graph);
}

static CUgraphNode new_node(CUgraph graph, emu_command *command, const CUgraphNode *dependencies,
                            size_t count)
{
    CUgraphNode node = calloc(1, sizeof *node);
    CUgraphNode *copy = malloc((count + 1) * sizeof *copy);
    if (!node || !copy) {
        free(node);
        free(copy);
        return NULL;
    }
    if (count) {
        memcpy(copy, dependencies, count * sizeof *copy);
    }
    *node = (struct CUgraphNode_st){.graph = graph,
                                    .command = command,
                                    .index = graph->node_count,
                                    .dependency_count = count,
                                    .dependencies = copy};
    return node;
}

CUresult emu_graph_add(CUgraphNode *out, CUgraph graph, emu_command *command,
                       const CUgraphNode *dependencies, size_t count)
{
    CUgraphNode *nodes = realloc(graph->nodes, (graph->node_count + 1) * sizeof *nodes);
    graph->nodes = nodes ? nodes : graph->nodes;
    CUgraphNode node = nodes ? new_node(graph, command, dependencies, count) : NULL;
    if (!node) {
        emu_command_release(command);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    graph->nodes[graph->node_count++] = node;
    *out = node;
    return CUDA_SUCCESS;
}

static double run_node(emu_exec_node *node, const emu_exec_node *all, double start_ns)
{
    double start = start_ns;
    for (size_t i = 0; i < node->dependency_count; i++) {
        double end = all[node->dependencies[i]].end_ns;
        start = end > start ? end : start;
    }
    const emu_command_class *class = node->command->class;
    double length = emu.sticky_error ? 0 : class->run(node->command, start);
    return start + length + (class->is_kernel ? emu.profile.graph_gap_ns : 0);
}

/* Runs one node after another. In modelled time, a node starts when its dependencies have ended. */
static double run_exec(emu_command *command, double start_ns)
{
    CUgraphExec exec = (CUgraphExec)command;
    double begin = start_ns + emu.profile.graph_fixed_ns, end = begin;
    pthread_mutex_lock(&exec->running);
    for (size_t i = 0; i < exec->node_count; i++) {
        exec->nodes[i].end_ns = run_node(&exec->nodes[i], exec->nodes, begin);
        end = exec->nodes[i].end_ns > end ? exec->nodes[i].end_ns : end;
    }
    pthread_mutex_unlock(&exec->running);
    return end - start_ns;
}

static void release_exec(emu_command *command)
{
    CUgraphExec exec = (CUgraphExec)command;
    for (size_t i = 0; i < exec->node_count; i++) {
        emu_command_release(exec->nodes[i].command);
        free(exec->nodes[i].dependencies);
    }
    free(exec->nodes);
    release_users(exec->users, exec->user_count);
    pthread_mutex_destroy(&exec->running);
}

static const emu_command_class exec_class = {
    .run = run_exec, .release = release_exec, .is_kernel = true, .has_handle = true};

/* The nodes are in topological order, because a node is added after its dependencies. */
static CUresult copy_nodes(CUgraphExec exec, CUgraph graph)
{
    for (size_t i = 0; i < graph->node_count; i++) {
        const struct CUgraphNode_st *node = graph->nodes[i];
        emu_exec_node *copy = &exec->nodes[i];
        copy->dependencies = calloc(node->dependency_count + 1, sizeof *copy->dependencies);
        EMU_CHECK(copy->dependencies, CUDA_ERROR_OUT_OF_MEMORY);
        copy->dependency_count = node->dependency_count;
        for (size_t k = 0; k < node->dependency_count; k++) {
            copy->dependencies[k] = node->dependencies[k]->index;
        }
        copy->command = emu_command_retain(node->command);
        exec->node_count++;
    }
    return CUDA_SUCCESS;
}

static CUresult copy_users(CUgraphExec exec, CUgraph graph)
{
    exec->users = calloc(graph->user_count + 1, sizeof *exec->users);
    EMU_CHECK(exec->users, CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < graph->user_count; i++) {
        exec->users[i] = (emu_user_reference){.object = graph->users[i].object, .count = 1};
        exec->users[i].object->references++;
        exec->user_count++;
    }
    return CUDA_SUCCESS;
}

CUresult emu_graph_instantiate(CUgraphExec *out, CUgraph graph)
{
    CUgraphExec exec = emu_command_new(&exec_class, sizeof *exec);
    EMU_CHECK(exec, CUDA_ERROR_OUT_OF_MEMORY);
    pthread_mutex_init(&exec->running, NULL);
    exec->nodes = calloc(graph->node_count + 1, sizeof *exec->nodes);
    CUresult code = exec->nodes ? copy_nodes(exec, graph) : CUDA_ERROR_OUT_OF_MEMORY;
    code = code ? code : copy_users(exec, graph);
    if (code) {
        emu_command_release(&exec->command);
        return code;
    }
    emu_handle_add(&exec->handle, exec, EMU_KIND_EXEC, NULL);
    *out = exec;
    return CUDA_SUCCESS;
}
