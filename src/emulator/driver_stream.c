/* Streams: cuStream*. */
#include "emulator/capture.h"
#include "emulator/enter.h"
#include "emulator/stream.h"

static CUresult create_stream(CUstream *out, unsigned flags)
{
    EMU_CHECK(out && !(flags & ~(unsigned)CU_STREAM_NON_BLOCKING), CUDA_ERROR_INVALID_VALUE);
    emu_lock();
    CUresult code = emu_context_check_current();
    code = code ? code : emu_stream_new(out, emu_context_top(), flags);
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuStreamCreate(CUstream *out, unsigned flags)
{
    EMU_ENTER(cuStreamCreate, EMU_USE | EMU_UNSAFE);
    return create_stream(out, flags);
}

/* Ignores the priority, because streams do not slow each other down. */
EMU_EXPORT CUresult cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority)
{
    EMU_ENTER(cuStreamCreateWithPriority, EMU_USE | EMU_UNSAFE);
    (void)priority;
    return create_stream(out, flags);
}

/* Destroys a stream. Commands that are already in its queue still run. */
EMU_EXPORT CUresult cuStreamDestroy_v2(CUstream stream)
{
    EMU_ENTER(cuStreamDestroy, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(emu_handle_is(stream, EMU_KIND_STREAM), CUDA_ERROR_INVALID_HANDLE);
    emu_lock();
    CUgraph orphan = emu_capture_forget_stream(stream);
    emu_stream_retire(stream);
    emu_unlock();
    if (orphan) {
        emu_graph_free(orphan);
    }
    return CUDA_SUCCESS;
}

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

EMU_EXPORT CUresult cuStreamGetId(CUstream handle, unsigned long long *out)
{
    EMU_ENTER(cuStreamGetId, EMU_USE);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    CUstream stream;
    emu_lock();
    CUresult code = emu_stream_resolve(&stream, handle);
    *out = code ? 0 : stream->id;
    emu_unlock();
    return code;
}
