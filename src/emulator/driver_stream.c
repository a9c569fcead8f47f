#include "emulator/capture.h"
#include "emulator/queue.h"

#include <stdlib.h>

CUresult emu_stream_new(CUstream *out, CUcontext context, unsigned flags, int priority)
{
    CUstream stream = calloc(1, sizeof *stream);
    if (!stream || pthread_cond_init(&stream->work, NULL)) {
        free(stream);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    stream->kind = EMU_KIND_STREAM;
    stream->context = context;
    stream->flags = flags;
    stream->priority = priority;
    stream->id = ++emu.last_id;
    stream->references = 1;
    stream->is_legacy = !context->legacy;
    if (!stream->is_legacy) {
        stream->next = context->streams;
        context->streams = stream;
    }
    *out = stream;
    return CUDA_SUCCESS;
}

static CUresult thread_default(CUstream *out, CUcontext context)
{
    for (CUstream stream = context->streams; stream; stream = stream->next) {
        if (stream->is_thread_default && pthread_equal(stream->thread_default_of, pthread_self())) {
            *out = stream;
            return CUDA_SUCCESS;
        }
    }
    EMU_TRY(emu_stream_new(out, context, CU_STREAM_DEFAULT, 0));
    (*out)->is_thread_default = true;
    (*out)->thread_default_of = pthread_self();
    return CUDA_SUCCESS;
}

CUresult emu_stream_resolve(CUstream *out, CUstream handle)
{
    CUcontext context = emu_current();
    EMU_CHECK(context, CUDA_ERROR_INVALID_CONTEXT);
    if (!handle || handle == CU_STREAM_LEGACY) {
        *out = context->legacy;
        return CUDA_SUCCESS;
    }
    if (handle == CU_STREAM_PER_THREAD) {
        return thread_default(out, context);
    }
    EMU_CHECK(handle->kind == EMU_KIND_STREAM && !handle->stop, CUDA_ERROR_INVALID_HANDLE);
    *out = handle;
    return CUDA_SUCCESS;
}

static CUresult create(CUstream *out, unsigned flags, int priority)
{
    EMU_CHECK(out && !(flags & ~(unsigned)CU_STREAM_NON_BLOCKING), CUDA_ERROR_INVALID_VALUE);
    emu_lock();
    CUresult code = emu_stream_new(out, emu_current(), flags,
                                   priority > 0 ? 0 : (priority < -5 ? -5 : priority));
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuStreamCreate(CUstream *out, unsigned flags)
{
    EMU_ENTER(cuStreamCreate, EMU_USE | EMU_UNSAFE);
    return create(out, flags, 0);
}

EMU_EXPORT CUresult cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority)
{
    EMU_ENTER(cuStreamCreateWithPriority, EMU_USE | EMU_UNSAFE);
    return create(out, flags, priority);
}

/* Work that is under way is finished all the same. */
EMU_EXPORT CUresult cuStreamDestroy_v2(CUstream stream)
{
    EMU_ENTER(cuStreamDestroy, EMU_READY | EMU_SOUND);
    EMU_CHECK(stream > CU_STREAM_PER_THREAD && stream->kind == EMU_KIND_STREAM && !stream->stop,
              CUDA_ERROR_INVALID_HANDLE);
    emu_lock();
    CUgraph orphan = emu_capture_forget_stream(stream);
    emu_stream_retire(stream);
    emu_unlock();
    if (orphan) {
        emu_graph_free(orphan);
    }
    return CUDA_SUCCESS;
}
EMU_ALIAS(cuStreamDestroy, cuStreamDestroy_v2);

EMU_EXPORT CUresult cuStreamSynchronize(CUstream handle)
{
    EMU_ENTER(cuStreamSynchronize, EMU_USE);
    CUstream stream;
    emu_lock();
    CUresult code = emu_stream_resolve(&stream, handle);
    code = code ? code : emu_capture_before(stream, true);
    code = code ? code : emu_queue_join_stream(stream);
    emu_unlock();
    emu_host_spend(emu.profile.host_sync_ns);
    return code;
}

EMU_EXPORT CUresult cuStreamQuery(CUstream handle)
{
    EMU_ENTER(cuStreamQuery, EMU_USE);
    CUstream stream;
    emu_lock();
    CUresult code = emu_stream_resolve(&stream, handle);
    code = code ? code : emu_capture_before(stream, true);
    if (!code) {
        code = emu_queue_idle(stream) ? emu_queue_join(stream->last) : CUDA_ERROR_NOT_READY;
    }
    emu_unlock();
    return code;
}

/* Resolves a handle and copies the stream's properties while the lock is held. */
static CUresult properties(struct CUstream_st *out, CUstream handle)
{
    CUstream stream;
    emu_lock();
    CUresult code = emu_stream_resolve(&stream, handle);
    if (!code) {
        *out = (struct CUstream_st){.context = stream->context,
                                    .flags = stream->flags,
                                    .priority = stream->priority,
                                    .id = stream->id};
    }
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuStreamGetPriority(CUstream stream, int *out)
{
    EMU_ENTER(cuStreamGetPriority, EMU_USE);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    struct CUstream_st found;
    EMU_TRY(properties(&found, stream));
    *out = found.priority;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuStreamGetFlags(CUstream stream, unsigned *out)
{
    EMU_ENTER(cuStreamGetFlags, EMU_USE);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    struct CUstream_st found;
    EMU_TRY(properties(&found, stream));
    *out = found.flags;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuStreamGetId(CUstream stream, unsigned long long *out)
{
    EMU_ENTER(cuStreamGetId, EMU_USE);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    struct CUstream_st found;
    EMU_TRY(properties(&found, stream));
    *out = found.id;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuStreamGetCtx(CUstream stream, CUcontext *out)
{
    EMU_ENTER(cuStreamGetCtx, EMU_USE);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    struct CUstream_st found;
    EMU_TRY(properties(&found, stream));
    *out = found.context;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuStreamGetDevice(CUstream stream, CUdevice *out)
{
    EMU_ENTER(cuStreamGetDevice, EMU_USE);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    struct CUstream_st found;
    EMU_TRY(properties(&found, stream));
    *out = 0;
    return CUDA_SUCCESS;
}

/* ---- host functions and callbacks ---- */

typedef struct host_command {
    emu_command command;
    CUhostFn function;
    CUstreamCallback callback;
    CUstream stream;
    void *data;
} host_command;

/* The modelled device waits for the host about as long as a synchronise takes. */
static double run_host(emu_command *command, double start_ns)
{
    host_command *host = (host_command *)command;
    (void)start_ns;
    if (host->function) {
        host->function(host->data);
    } else {
        host->callback(host->stream, CUDA_SUCCESS, host->data);
    }
    return emu.profile.host_sync_ns;
}

static const emu_command_class host_class = {.node_type = CU_GRAPH_NODE_TYPE_HOST, .run = run_host};

static emu_command *new_host(CUhostFn function, CUstreamCallback callback, CUstream stream,
                             void *data)
{
    host_command *host = emu_command_new(&host_class, sizeof *host);
    if (!host) {
        return NULL;
    }
    host->function = function;
    host->callback = callback;
    host->stream = stream;
    host->data = data;
    return &host->command;
}

emu_command *emu_command_host(CUhostFn function, void *data)
{
    return new_host(function, NULL, NULL, data);
}

EMU_EXPORT CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
    EMU_ENTER(cuLaunchHostFunc, EMU_USE);
    EMU_CHECK(function, CUDA_ERROR_INVALID_VALUE);
    return emu_run_on(stream, emu_command_host(function, data), false);
}

EMU_EXPORT CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data,
                                        unsigned flags)
{
    EMU_ENTER(cuStreamAddCallback, EMU_USE | EMU_UNSAFE);
    EMU_CHECK(callback && !flags, CUDA_ERROR_INVALID_VALUE);
    return emu_run_on(stream, new_host(NULL, callback, stream, data), false);
}
