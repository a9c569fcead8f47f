/* Implements graphs and user objects: cuGraph*, cuUserObject*. */
#include "emulator/enter.h"
#include "emulator/graph.h"
#include "emulator/stream.h"

#include <stdlib.h>

EMU_EXPORT CUresult cuGraphDestroy(CUgraph graph)
{
    EMU_ENTER(cuGraphDestroy, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(emu_handle_is(graph, EMU_KIND_GRAPH), CUDA_ERROR_INVALID_VALUE);
    emu_graph_free(graph);
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph,
                                                unsigned long long flags)
{
    EMU_ENTER(cuGraphInstantiateWithFlags, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(flags < 16, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(out && emu_handle_is(graph, EMU_KIND_GRAPH), CUDA_ERROR_INVALID_VALUE);
    emu_lock();
    CUresult code = emu_graph_instantiate(out, graph);
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    EMU_ENTER(cuGraphExecDestroy, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(emu_handle_is(exec, EMU_KIND_EXEC), CUDA_ERROR_INVALID_VALUE);
    emu_handle_drop(&exec->handle);
    emu_command_release(&exec->command);
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    EMU_ENTER(cuGraphLaunch, EMU_USE);
    EMU_CHECK(emu_handle_is(exec, EMU_KIND_EXEC), CUDA_ERROR_INVALID_VALUE);
    emu_host_spend(emu.profile.host_graph_launch_ns);
    emu_command_retain(&exec->command);
    return emu_run_on(stream, &exec->command, false);
}

EMU_EXPORT CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
    EMU_ENTER(cuGraphUpload, EMU_USE);
    EMU_CHECK(emu_handle_is(exec, EMU_KIND_EXEC), CUDA_ERROR_INVALID_VALUE);
    emu_lock();
    CUresult code = emu_stream_resolve(&stream, stream);
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuUserObjectCreate(CUuserObject *out, void *data, CUhostFn destroy,
                                       unsigned count, unsigned flags)
{
    EMU_ENTER(cuUserObjectCreate, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(out && destroy && count && count < 1u << 30 && flags == 1, CUDA_ERROR_INVALID_VALUE);
    CUuserObject object = calloc(1, sizeof *object);
    EMU_CHECK(object, CUDA_ERROR_OUT_OF_MEMORY);
    object->references = (int)count;
    object->data = data;
    object->destroy = destroy;
    emu_handle_add(&object->handle, object, EMU_KIND_USER_OBJECT, NULL);
    *out = object;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuUserObjectRelease(CUuserObject object, unsigned count)
{
    EMU_ENTER(cuUserObjectRelease, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(emu_handle_is(object, EMU_KIND_USER_OBJECT) && count, CUDA_ERROR_INVALID_VALUE);
    emu_user_object_release(object, count);
    return CUDA_SUCCESS;
}

static CUresult attach_user_object(CUgraph graph, CUuserObject object, unsigned count)
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
    EMU_ENTER(cuGraphRetainUserObject, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(emu_handle_is(graph, EMU_KIND_GRAPH) && emu_handle_is(object, EMU_KIND_USER_OBJECT) &&
                  count && flags <= CU_GRAPH_USER_OBJECT_MOVE,
              CUDA_ERROR_INVALID_VALUE);
    emu_lock();
    CUresult code = attach_user_object(graph, object, count);
    emu_unlock();
    if (!code && flags != CU_GRAPH_USER_OBJECT_MOVE) {
        object->references += (int)count;
    }
    return code;
}
