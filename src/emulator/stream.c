/* Finds streams by their handles, and submits commands. */
#include "emulator/stream.h"

#include "emulator/capture.h"

#include <stdlib.h>

static CUresult make_stream(CUstream *out, CUcontext context, unsigned flags)
{
    CUstream stream = calloc(1, sizeof *stream);
    if (!stream || pthread_cond_init(&stream->work, NULL)) {
        free(stream);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    stream->context = context;
    stream->flags = flags;
    stream->id = ++emu.last_id;
    stream->references = 1;
    *out = stream;
    return CUDA_SUCCESS;
}

CUresult emu_stream_new(CUstream *out, CUcontext context, unsigned flags)
{
    EMU_TRY(make_stream(out, context, flags));
    emu_handle_add(&(*out)->handle, *out, EMU_KIND_STREAM, context);
    (*out)->next = context->streams;
    context->streams = *out;
    return CUDA_SUCCESS;
}

CUresult emu_stream_new_legacy(CUstream *out, CUcontext context)
{
    EMU_TRY(make_stream(out, context, CU_STREAM_DEFAULT));
    (*out)->is_legacy = true;
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
    EMU_TRY(emu_stream_new(out, context, CU_STREAM_DEFAULT));
    (*out)->is_thread_default = true;
    (*out)->thread_default_of = pthread_self();
    return CUDA_SUCCESS;
}

CUresult emu_stream_resolve(CUstream *out, CUstream handle)
{
    EMU_TRY(emu_context_check_current());
    CUcontext context = emu_context_top();
    if (!handle || handle == CU_STREAM_LEGACY) {
        *out = context->legacy;
        return CUDA_SUCCESS;
    }
    if (handle == CU_STREAM_PER_THREAD) {
        return thread_default(out, context);
    }
    EMU_CHECK(emu_handle_is(handle, EMU_KIND_STREAM), CUDA_ERROR_INVALID_HANDLE);
    *out = handle;
    return CUDA_SUCCESS;
}

static CUresult run_on_locked(CUstream stream, emu_command *command, bool wait)
{
    CUresult code = emu_capture_before(stream, wait);
    if (code) {
        emu_command_release(command);
        return code;
    }
    if (stream->capture) {
        return emu_capture_add(stream, command);
    }
    emu_completion *completion = NULL;
    code = emu_queue_submit(&completion, stream, command);
    if (!code && wait) {
        code = emu_queue_join(completion);
    }
    emu_completion_release(completion);
    return code;
}

CUresult emu_run_on(CUstream handle, emu_command *command, bool wait)
{
    EMU_CHECK(command, CUDA_ERROR_OUT_OF_MEMORY);
    emu_lock();
    CUstream stream = NULL;
    CUresult code = emu_stream_resolve(&stream, handle);
    if (code) {
        emu_command_release(command);
    } else {
        code = run_on_locked(stream, command, wait);
    }
    emu_unlock();
    return code;
}
