/* Implements contexts: cuCtx*, cuDevicePrimaryCtx*. */
#include "emulator/context.h"

#include "emulator/capture.h"
#include "emulator/driver_texture.h"
#include "emulator/enter.h"
#include "emulator/event.h"
#include "emulator/module.h"
#include "emulator/stream.h"

#include <stdio.h>
#include <stdlib.h>

enum { LARGEST_STACK_BYTES = 512 * 1024 };

/* ---- creating and destroying contexts ---- */

/* A reset does not change the handle of the context, as on hardware. */
static struct CUctx_st primary_context;
static unsigned primary_count, primary_flags;
static CUcontext destroyed; /* list of all destroyed contexts except the primary context */

static CUresult init_context(CUcontext context, unsigned flags, CUdevice device)
{
    EMU_TRY(emu_choose_device(device));
    context->flags = flags;
    context->id = ++emu.last_id;
    context->stack_bytes = 1024;
    context->streams = NULL;
    EMU_TRY(emu_stream_new_legacy(&context->legacy, context));
    context->alive = true;
    return CUDA_SUCCESS;
}

static void end_streams(CUcontext context)
{
    while (context->streams) {
        CUstream stream = context->streams;
        context->streams = stream->next;
        if (stream->stop) {
            continue; /* was destroyed before, but its thread has not ended */
        }
        CUgraph orphan = emu_capture_forget_stream(stream);
        if (orphan) {
            emu_graph_free(orphan);
        }
        emu_stream_retire(stream);
    }
    emu_stream_retire(context->legacy);
}

/* Waits for the work of the context and then destroys its objects, as on hardware. The context's
 * struct remains, because it may still be current in other threads. Call it with the lock held. */
static void end_context(CUcontext context)
{
    CUmodule module;
    CUevent event;
    emu_queue_join_context(context);
    context->alive = false;
    while ((module = emu_handle_any(EMU_KIND_MODULE, context))) {
        emu_module_unload(module);
    }
    while ((event = emu_handle_any(EMU_KIND_EVENT, context))) {
        emu_event_free(event);
    }
    emu_textures_end(context);
    end_streams(context);
    emu_memory_release_owner(context);
    emu_heap_end(&context->heap);
}

/* ---- the primary context ---- */

static CUresult retain_primary(CUdevice device)
{
    EMU_TRY(emu_choose_device(device));
    if (!primary_context.alive) {
        EMU_TRY(init_context(&primary_context, primary_flags, device));
    }
    if (!primary_context.is_primary) {
        primary_context.is_primary = true;
        emu_handle_add(&primary_context.handle, &primary_context, EMU_KIND_CONTEXT, NULL);
    }
    primary_count++;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
    EMU_ENTER(cuDevicePrimaryCtxRetain, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(emu_check_device(device));
    emu_lock();
    CUresult code = retain_primary(device);
    emu_unlock();
    *out = code ? NULL : &primary_context;
    return code;
}

static bool is_process_device(CUdevice device)
{
    return device == emu.device;
}

static void end_primary(void)
{
    if (primary_context.alive) {
        end_context(&primary_context);
    }
}

EMU_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    EMU_ENTER(cuDevicePrimaryCtxRelease, EMU_INITIALIZED);
    EMU_TRY(emu_check_device(device));
    emu_lock();
    CUresult code =
        is_process_device(device) && primary_count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
    if (!code && !--primary_count) {
        end_primary();
    }
    emu_unlock();
    return code;
}

/* If there is a sticky error, the reset succeeds but does not clear the error, as on an H200. */
EMU_EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    EMU_ENTER(cuDevicePrimaryCtxReset, EMU_INITIALIZED);
    EMU_TRY(emu_check_device(device));
    emu_lock();
    if (is_process_device(device)) {
        end_primary();
    }
    emu_unlock();
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    EMU_ENTER(cuDevicePrimaryCtxSetFlags, EMU_INITIALIZED);
    EMU_TRY(emu_check_device(device));
    emu_lock();
    primary_flags = flags & CU_CTX_FLAGS_MASK;
    primary_context.flags = primary_flags;
    emu_unlock();
    return CUDA_SUCCESS;
}

/* ---- other contexts ---- */

static CUresult create_context(CUcontext *out, unsigned flags, CUdevice device)
{
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(emu_check_device(device));
    CUcontext context = calloc(1, sizeof *context);
    EMU_CHECK(context, CUDA_ERROR_OUT_OF_MEMORY);
    emu_lock();
    CUresult code = init_context(context, flags & CU_CTX_FLAGS_MASK, device);
    emu_unlock();
    if (code) {
        free(context);
        return code;
    }
    emu_handle_add(&context->handle, context, EMU_KIND_CONTEXT, NULL);
    *out = context;
    return emu_context_push(context);
}

EMU_EXPORT CUresult cuCtxCreate_v4(CUcontext *out, CUctxCreateParams *params, unsigned flags,
                                   CUdevice device)
{
    EMU_ENTER(cuCtxCreate, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(!params || (!params->numExecAffinityParams && !params->cigParams),
              CUDA_ERROR_NOT_SUPPORTED);
    return create_context(out, flags, device);
}

EMU_EXPORT CUresult cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *params, int count,
                                   unsigned flags, CUdevice device)
{
    EMU_ENTER(cuCtxCreate, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(!params && !count, CUDA_ERROR_NOT_SUPPORTED);
    return create_context(out, flags, device);
}

EMU_EXPORT CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device)
{
    EMU_ENTER(cuCtxCreate, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    return create_context(out, flags, device);
}

EMU_EXPORT CUresult cuCtxDestroy_v2(CUcontext context)
{
    EMU_ENTER(cuCtxDestroy, EMU_INITIALIZED);
    EMU_CHECK(emu_handle_is(context, EMU_KIND_CONTEXT) && !context->is_primary,
              CUDA_ERROR_INVALID_CONTEXT);
    emu_handle_drop(&context->handle);
    emu_lock();
    end_context(context);
    context->next_destroyed = destroyed;
    destroyed = context;
    emu_unlock();
    if (emu_context_top() == context) {
        emu_context_set(NULL);
    }
    return CUDA_SUCCESS;
}

/* ---- the current context ---- */

/* Ends the process with a message if the context was destroyed. NVIDIA's driver accepts such a
 * context and corrupts memory (H200, driver 13.0). */
static void end_if_destroyed(CUcontext context, const char *call)
{
    emu_lock();
    for (CUcontext at = destroyed; at; at = at->next_destroyed) {
        if (at == context) {
            fprintf(stderr, "%s: this context was destroyed; a GPU's driver would damage memory\n",
                    call);
            abort();
        }
    }
    emu_unlock();
}

EMU_EXPORT CUresult cuCtxSetCurrent(CUcontext context)
{
    EMU_ENTER(cuCtxSetCurrent, EMU_INITIALIZED);
    end_if_destroyed(context, "cuCtxSetCurrent");
    EMU_CHECK(!context || emu_handle_is(context, EMU_KIND_CONTEXT), CUDA_ERROR_INVALID_CONTEXT);
    emu_context_set(context);
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuCtxGetCurrent(CUcontext *out)
{
    EMU_ENTER(cuCtxGetCurrent, EMU_INITIALIZED);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    *out = emu_context_top();
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    EMU_ENTER(cuCtxPushCurrent, EMU_INITIALIZED);
    end_if_destroyed(context, "cuCtxPushCurrent");
    EMU_CHECK(emu_handle_is(context, EMU_KIND_CONTEXT), CUDA_ERROR_INVALID_CONTEXT);
    return emu_context_push(context);
}

EMU_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *out)
{
    EMU_ENTER(cuCtxPopCurrent, EMU_INITIALIZED);
    CUcontext top;
    EMU_TRY(emu_context_pop(&top));
    if (out) {
        *out = top;
    }
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuCtxGetDevice(CUdevice *out)
{
    EMU_ENTER(cuCtxGetDevice, EMU_INITIALIZED | EMU_CONTEXT);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    *out = emu.device;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuCtxGetId(CUcontext context, unsigned long long *out)
{
    EMU_ENTER(cuCtxGetId, EMU_INITIALIZED);
    if (!context) {
        EMU_TRY(emu_context_check_current());
        context = emu_context_top();
    }
    EMU_CHECK(emu_handle_is(context, EMU_KIND_CONTEXT), CUDA_ERROR_INVALID_CONTEXT);
    EMU_CHECK(context->alive, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    *out = context->id;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuCtxSynchronize(void)
{
    EMU_ENTER(cuCtxSynchronize, EMU_USE);
    emu_lock();
    CUresult code = emu_context_check_current();
    code = code ? code : emu_capture_forbids_context(emu_context_top());
    code = code ? code : emu_queue_join_context(emu_context_top());
    emu_unlock();
    emu_host_spend(emu.profile.host_sync_ns);
    return code;
}

EMU_EXPORT CUresult cuCtxGetLimit(size_t *out, CUlimit limit)
{
    EMU_ENTER(cuCtxGetLimit, EMU_INITIALIZED | EMU_CONTEXT);
    EMU_CHECK(out && (unsigned)limit < CU_LIMIT_MAX, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(limit == CU_LIMIT_STACK_SIZE || limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE,
              CUDA_ERROR_UNSUPPORTED_LIMIT);
    *out = limit == CU_LIMIT_STACK_SIZE ? emu_context_top()->stack_bytes
                                        : emu_context_top()->persisting_l2_bytes;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    EMU_ENTER(cuCtxSetLimit, EMU_USE);
    EMU_CHECK((unsigned)limit < CU_LIMIT_MAX, CUDA_ERROR_INVALID_VALUE);
    if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE) { /* clamp larger values */
        size_t most = (size_t)emu_attribute(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);
        emu_context_top()->persisting_l2_bytes = value < most ? value : most;
        return CUDA_SUCCESS;
    }
    EMU_CHECK(limit == CU_LIMIT_STACK_SIZE, CUDA_ERROR_UNSUPPORTED_LIMIT);
    EMU_CHECK(value <= LARGEST_STACK_BYTES, CUDA_ERROR_INVALID_VALUE);
    emu_context_top()->stack_bytes = value;
    return CUDA_SUCCESS;
}

/* Does nothing, because the L2 model has no persisting lines. */
EMU_EXPORT CUresult cuCtxResetPersistingL2Cache(void)
{
    EMU_ENTER(cuCtxResetPersistingL2Cache, EMU_USE);
    return CUDA_SUCCESS;
}
