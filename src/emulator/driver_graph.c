#include "emulator/capture.h"
#include "emulator/copy.h"
#include "emulator/event.h"
#include "emulator/launch.h"

#include <stdlib.h>
#include <string.h>

EMU_EXPORT CUresult cuGraphCreate(CUgraph *out, unsigned flags)
{
    EMU_ENTER(cuGraphCreate, EMU_READY | EMU_SOUND);
    EMU_CHECK(out && !flags, CUDA_ERROR_INVALID_VALUE);
    *out = emu_graph_new();
    return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

EMU_EXPORT CUresult cuGraphDestroy(CUgraph graph)
{
    EMU_ENTER(cuGraphDestroy, EMU_READY | EMU_SOUND);
    EMU_CHECK(EMU_IS(graph, EMU_KIND_GRAPH), CUDA_ERROR_INVALID_VALUE);
    emu_graph_free(graph);
    return CUDA_SUCCESS;
}

static CUresult instantiate(CUgraphExec *out, CUgraph graph)
{
    EMU_CHECK(out && EMU_IS(graph, EMU_KIND_GRAPH), CUDA_ERROR_INVALID_VALUE);
    emu_lock();
    CUresult code = emu_graph_instantiate(out, graph);
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph,
                                                unsigned long long flags)
{
    EMU_ENTER(cuGraphInstantiateWithFlags, EMU_READY | EMU_SOUND);
    EMU_CHECK(flags < 16, CUDA_ERROR_INVALID_VALUE);
    return instantiate(out, graph);
}

EMU_EXPORT CUresult cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph graph,
                                                 CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    EMU_ENTER(cuGraphInstantiateWithFlags, EMU_READY | EMU_SOUND);
    EMU_CHECK(params, CUDA_ERROR_INVALID_VALUE);
    params->result_out = 0;
    params->hErrNode_out = NULL;
    return instantiate(out, graph);
}

#ifndef EMU_CHECK_ABI
/* The form before CUDA 12: no flags, a log. */
EMU_EXPORT CUresult cuGraphInstantiate_v2(CUgraphExec *out, CUgraph graph, CUgraphNode *error_node,
                                          char *log, size_t log_bytes)
{
    EMU_ENTER(cuGraphInstantiate, EMU_READY | EMU_SOUND);
    if (error_node) {
        *error_node = NULL;
    }
    if (log && log_bytes) {
        log[0] = '\0';
    }
    return instantiate(out, graph);
}
EMU_ALIAS(cuGraphInstantiate, cuGraphInstantiate_v2);
#endif

EMU_EXPORT CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    EMU_ENTER(cuGraphExecDestroy, EMU_READY | EMU_SOUND);
    EMU_CHECK(EMU_IS(exec, EMU_KIND_EXEC), CUDA_ERROR_INVALID_VALUE);
    exec->kind = 0;
    emu_command_release(&exec->command);
    return CUDA_SUCCESS;
}

/* The events that the graph records belong to this launch from now on. */
static void claim_events(CUgraphExec exec, emu_ticket *ticket)
{
    for (size_t i = 0; i < exec->node_count; i++) {
        CUevent event = emu_command_recorded_event(exec->nodes[i].command);
        if (event) {
            emu_event_set(event, ticket);
        }
    }
}

static CUresult launch(CUgraphExec exec, CUstream handle)
{
    CUstream stream;
    EMU_TRY(emu_stream_resolve(&stream, handle));
    EMU_TRY(emu_capture_before(stream, false));
    emu_command_retain(&exec->command);
    if (stream->capture) {
        return emu_capture_add(stream, &exec->command);
    }
    emu_ticket *ticket = NULL;
    EMU_TRY(emu_queue_submit(&ticket, stream, &exec->command));
    claim_events(exec, ticket);
    emu_ticket_release(ticket);
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    EMU_ENTER(cuGraphLaunch, EMU_USE);
    EMU_CHECK(EMU_IS(exec, EMU_KIND_EXEC), CUDA_ERROR_INVALID_VALUE);
    emu_host_spend(emu.profile.host_graph_launch_ns);
    emu_lock();
    CUresult code = launch(exec, stream);
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
    EMU_ENTER(cuGraphUpload, EMU_USE);
    EMU_CHECK(EMU_IS(exec, EMU_KIND_EXEC), CUDA_ERROR_INVALID_VALUE);
    emu_lock();
    CUresult code = emu_stream_resolve(&stream, stream);
    emu_unlock();
    return code;
}

/* ---- looking at a graph ---- */

static CUresult copy_out(CUgraphNode *out, size_t *count, const CUgraphNode *nodes, size_t have)
{
    EMU_CHECK(count, CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; out && i < *count; i++) {
        out[i] = i < have ? nodes[i] : NULL;
    }
    if (!out || *count > have) {
        *count = have;
    }
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    EMU_ENTER(cuGraphGetNodes, EMU_READY | EMU_SOUND);
    EMU_CHECK(EMU_IS(graph, EMU_KIND_GRAPH), CUDA_ERROR_INVALID_VALUE);
    return copy_out(nodes, count, graph->nodes, graph->node_count);
}

EMU_EXPORT CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
    EMU_ENTER(cuGraphNodeGetType, EMU_READY | EMU_SOUND);
    EMU_CHECK(EMU_IS(node, EMU_KIND_NODE) && type, CUDA_ERROR_INVALID_VALUE);
    *type = node->command ? node->command->class->node_type : CU_GRAPH_NODE_TYPE_EMPTY;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *dependencies,
                                                  CUgraphEdgeData *edges, size_t *count)
{
    EMU_ENTER(cuGraphNodeGetDependencies, EMU_READY | EMU_SOUND);
    EMU_CHECK(EMU_IS(node, EMU_KIND_NODE) && count, CUDA_ERROR_INVALID_VALUE);
    if (edges && dependencies) {
        memset(edges, 0, *count * sizeof *edges);
    }
    return copy_out(dependencies, count, node->dependencies, node->dependency_count);
}

#ifndef EMU_CHECK_ABI
EMU_EXPORT CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *dependencies,
                                               size_t *count)
{
    return cuGraphNodeGetDependencies_v2(node, dependencies, NULL, count);
}
#endif

/* ---- adding nodes by hand ---- */

static CUresult add(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                    emu_command *command)
{
    CUgraphNode node;
    emu_lock();
    CUresult code = emu_graph_add(&node, graph, command, dependencies, count);
    emu_unlock();
    if (!code) {
        *out = node;
    }
    return code;
}

static CUresult check_add(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies,
                          size_t count)
{
    return out && EMU_IS(graph, EMU_KIND_GRAPH) && (dependencies || !count)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

EMU_EXPORT CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph,
                                        const CUgraphNode *dependencies, size_t count)
{
    EMU_ENTER(cuGraphAddEmptyNode, EMU_READY | EMU_SOUND);
    EMU_TRY(check_add(out, graph, dependencies, count));
    return add(out, graph, dependencies, count, NULL);
}

EMU_EXPORT CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph graph,
                                       const CUgraphNode *dependencies, size_t count,
                                       const CUDA_HOST_NODE_PARAMS *params)
{
    EMU_ENTER(cuGraphAddHostNode, EMU_READY | EMU_SOUND);
    EMU_TRY(check_add(out, graph, dependencies, count));
    EMU_CHECK(params && params->fn, CUDA_ERROR_INVALID_VALUE);
    emu_command *command = emu_command_host(params->fn, params->userData);
    EMU_CHECK(command, CUDA_ERROR_OUT_OF_MEMORY);
    return add(out, graph, dependencies, count, command);
}

EMU_EXPORT CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph,
                                         const CUgraphNode *dependencies, size_t count,
                                         const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
    EMU_ENTER(cuGraphAddMemsetNode, EMU_READY | EMU_SOUND);
    EMU_TRY(check_add(out, graph, dependencies, count));
    EMU_TRY(emu_context_check(context));
    EMU_CHECK(params && params->height <= 1, CUDA_ERROR_NOT_SUPPORTED);
    emu_command *command;
    EMU_TRY(
        emu_command_set(&command, params->dst, params->value, params->elementSize, params->width));
    return add(out, graph, dependencies, count, command);
}

EMU_EXPORT CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph graph,
                                            const CUgraphNode *dependencies, size_t count,
                                            const CUDA_KERNEL_NODE_PARAMS *params)
{
    EMU_ENTER(cuGraphAddKernelNode, EMU_USE);
    EMU_TRY(check_add(out, graph, dependencies, count));
    EMU_CHECK(params, CUDA_ERROR_INVALID_VALUE);
    emu_launch_request request = {
        .function = params->func ? params->func : (CUfunction)(void *)params->kern,
        .grid = {params->gridDimX, params->gridDimY, params->gridDimZ},
        .block = {params->blockDimX, params->blockDimY, params->blockDimZ},
        .dynamic_shared_bytes = params->sharedMemBytes,
        .params = params->kernelParams,
        .extra = params->extra,
        .carveout_percent = -1};
    emu_command *command;
    EMU_TRY(emu_command_kernel(&command, &request));
    return add(out, graph, dependencies, count, command);
}

/* ---- user objects ---- */

EMU_EXPORT CUresult cuUserObjectCreate(CUuserObject *out, void *data, CUhostFn destroy,
                                       unsigned count, unsigned flags)
{
    EMU_ENTER(cuUserObjectCreate, EMU_READY | EMU_SOUND);
    EMU_CHECK(out && destroy && count && count < 1u << 30 && flags == 1, CUDA_ERROR_INVALID_VALUE);
    CUuserObject object = calloc(1, sizeof *object);
    EMU_CHECK(object, CUDA_ERROR_OUT_OF_MEMORY);
    object->kind = EMU_KIND_USER_OBJECT;
    object->references = (int)count;
    object->data = data;
    object->destroy = destroy;
    *out = object;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuUserObjectRetain(CUuserObject object, unsigned count)
{
    EMU_ENTER(cuUserObjectRetain, EMU_READY | EMU_SOUND);
    EMU_CHECK(EMU_IS(object, EMU_KIND_USER_OBJECT) && count, CUDA_ERROR_INVALID_VALUE);
    object->references += (int)count;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuUserObjectRelease(CUuserObject object, unsigned count)
{
    EMU_ENTER(cuUserObjectRelease, EMU_READY | EMU_SOUND);
    EMU_CHECK(EMU_IS(object, EMU_KIND_USER_OBJECT) && count, CUDA_ERROR_INVALID_VALUE);
    emu_user_object_release(object, count);
    return CUDA_SUCCESS;
}

static CUresult attach(CUgraph graph, CUuserObject object, unsigned count)
{
    for (size_t i = 0; i < graph->user_count; i++) {
        if (graph->users[i].object == object) {
            graph->users[i].count += count;
            return CUDA_SUCCESS;
        }
    }
    emu_user_reference *users = realloc(graph->users, (graph->user_count + 1) * sizeof *users);
    EMU_CHECK(users, CUDA_ERROR_OUT_OF_MEMORY);
    graph->users = users;
    users[graph->user_count++] = (emu_user_reference){.object = object, .count = count};
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count,
                                            unsigned flags)
{
    EMU_ENTER(cuGraphRetainUserObject, EMU_READY | EMU_SOUND);
    EMU_CHECK(EMU_IS(graph, EMU_KIND_GRAPH) && EMU_IS(object, EMU_KIND_USER_OBJECT) && count &&
                  flags <= CU_GRAPH_USER_OBJECT_MOVE,
              CUDA_ERROR_INVALID_VALUE);
    emu_lock();
    CUresult code = attach(graph, object, count);
    emu_unlock();
    if (!code && flags != CU_GRAPH_USER_OBJECT_MOVE) {
        object->references += (int)count;
    }
    return code;
}

/* Gives up `count` of the graph's references; */
static bool detach(CUgraph graph, CUuserObject object, unsigned count)
{
    for (size_t i = 0; i < graph->user_count; i++) {
        emu_user_reference *user = &graph->users[i];
        if (user->object != object || user->count < count) {
            continue;
        }
        user->count -= count;
        if (!user->count) {
            *user = graph->users[--graph->user_count];
        }
        return true;
    }
    return false;
}

EMU_EXPORT CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count)
{
    EMU_ENTER(cuGraphReleaseUserObject, EMU_READY | EMU_SOUND);
    EMU_CHECK(EMU_IS(graph, EMU_KIND_GRAPH) && EMU_IS(object, EMU_KIND_USER_OBJECT) && count,
              CUDA_ERROR_INVALID_VALUE);
    emu_lock();
    bool had = detach(graph, object, count);
    emu_unlock();
    EMU_CHECK(had, CUDA_ERROR_INVALID_VALUE);
    emu_user_object_release(object, count);
    return CUDA_SUCCESS;
}
