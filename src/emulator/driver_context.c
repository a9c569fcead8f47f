#include "emulator/capture.h"
#include "emulator/module.h"

#include <stdlib.h>

enum { STACK_DEPTH = 32, LARGEST_STACK_BYTES = 512 * 1024 };

/* Each thread's stack of contexts; the top one is current. */
static _Thread_local struct {
    CUcontext at[STACK_DEPTH];
    int depth;
} stack;

CUcontext emu_current(void)
{
    CUcontext top = stack.depth ? stack.at[stack.depth - 1] : NULL;
    return top && !top->destroyed ? top : NULL;
}

CUresult emu_context_check(CUcontext context)
{
    return EMU_IS(context, EMU_KIND_CONTEXT) && !context->destroyed ? CUDA_SUCCESS
                                                                    : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult new_context(CUcontext *out, unsigned flags, bool is_primary)
{
    CUcontext context = calloc(1, sizeof *context);
    EMU_CHECK(context, CUDA_ERROR_OUT_OF_MEMORY);
    *context = (struct CUctx_st){.kind = EMU_KIND_CONTEXT,
                                 .is_primary = is_primary,
                                 .flags = flags,
                                 .id = ++emu.last_id,
                                 .stack_bytes = 1024};
    CUresult code = emu_stream_new(&context->legacy, context, 0, 0);
    if (code) {
        free(context);
        return code;
    }
    context->next = emu.contexts;
    emu.contexts = context;
    *out = context;
    return CUDA_SUCCESS;
}

/* Ends a context as hardware does: its work is waited for, its memory and modules go. The object
 * itself stays, marked, because other threads may still have it current. Lock held. */
static void destroy(CUcontext context)
{
    emu_queue_join_context(context);
    context->destroyed = true;
    while (context->modules) {
        CUmodule module = context->modules;
        context->modules = module->next;
        emu_module_release(module);
    }
    while (context->streams) {
        CUstream stream = context->streams;
        context->streams = stream->next;
        if (stream->stop) {
            continue; /* destroyed before, its worker is about to end */
        }
        CUgraph orphan = emu_capture_forget_stream(stream);
        if (orphan) {
            emu_graph_free(orphan);
        }
        emu_stream_retire(stream);
    }
    emu_stream_retire(context->legacy);
    emu_memory_release_owner(context);
}

static CUresult check_device(CUdevice device)
{
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult push(CUcontext context)
{
    EMU_CHECK(stack.depth < STACK_DEPTH, CUDA_ERROR_OUT_OF_MEMORY);
    stack.at[stack.depth++] = context;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
    EMU_ENTER(cuDevicePrimaryCtxRetain, EMU_READY | EMU_SOUND);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(check_device(device));
    emu_lock();
    CUresult code = CUDA_SUCCESS;
    if (!emu.primary) {
        code = new_context(&emu.primary, emu.primary_flags, true);
    }
    if (!code) {
        emu.primary_count++;
        *out = emu.primary;
    }
    emu_unlock();
    return code;
}

static void drop_primary(void)
{
    if (emu.primary) {
        destroy(emu.primary);
        emu.primary = NULL;
    }
}

EMU_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    EMU_ENTER(cuDevicePrimaryCtxRelease, EMU_READY);
    EMU_TRY(check_device(device));
    emu_lock();
    CUresult code = emu.primary_count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
    if (!code && !--emu.primary_count) {
        drop_primary();
    }
    emu_unlock();
    return code;
}
EMU_ALIAS(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);

/* Answers success even when the process is lost, and cures nothing then: as on an H200. */
EMU_EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    EMU_ENTER(cuDevicePrimaryCtxReset, EMU_READY);
    EMU_TRY(check_device(device));
    emu_lock();
    drop_primary();
    emu_unlock();
    return CUDA_SUCCESS;
}
EMU_ALIAS(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);

EMU_EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    EMU_ENTER(cuDevicePrimaryCtxSetFlags, EMU_READY);
    EMU_TRY(check_device(device));
    emu_lock();
    emu.primary_flags = flags & CU_CTX_FLAGS_MASK;
    if (emu.primary) {
        emu.primary->flags = emu.primary_flags;
    }
    emu_unlock();
    return CUDA_SUCCESS;
}
EMU_ALIAS(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);

EMU_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    EMU_ENTER(cuDevicePrimaryCtxGetState, EMU_READY);
    EMU_CHECK(flags && active, CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(check_device(device));
    emu_lock();
    *flags = emu.primary_flags;
    *active = emu.primary != NULL;
    emu_unlock();
    return CUDA_SUCCESS;
}

static CUresult create(CUcontext *out, unsigned flags, CUdevice device)
{
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(check_device(device));
    emu_lock();
    CUresult code = new_context(out, flags & CU_CTX_FLAGS_MASK, false);
    emu_unlock();
    return code ? code : push(*out);
}

EMU_EXPORT CUresult cuCtxCreate_v4(CUcontext *out, CUctxCreateParams *params, unsigned flags,
                                   CUdevice device)
{
    EMU_ENTER(cuCtxCreate, EMU_READY | EMU_SOUND);
    EMU_CHECK(!params || (!params->numExecAffinityParams && !params->cigParams),
              CUDA_ERROR_NOT_SUPPORTED);
    return create(out, flags, device);
}

EMU_EXPORT CUresult cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *params, int count,
                                   unsigned flags, CUdevice device)
{
    EMU_ENTER(cuCtxCreate, EMU_READY | EMU_SOUND);
    EMU_CHECK(!params && !count, CUDA_ERROR_NOT_SUPPORTED);
    return create(out, flags, device);
}

EMU_EXPORT CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device)
{
    EMU_ENTER(cuCtxCreate, EMU_READY | EMU_SOUND);
    return create(out, flags, device);
}
EMU_ALIAS(cuCtxCreate, cuCtxCreate_v2);

EMU_EXPORT CUresult cuCtxDestroy_v2(CUcontext context)
{
    EMU_ENTER(cuCtxDestroy, EMU_READY);
    EMU_TRY(emu_context_check(context));
    EMU_CHECK(!context->is_primary, CUDA_ERROR_INVALID_CONTEXT);
    emu_lock();
    destroy(context);
    emu_unlock();
    if (stack.depth && stack.at[stack.depth - 1] == context) {
        stack.depth--;
    }
    return CUDA_SUCCESS;
}
EMU_ALIAS(cuCtxDestroy, cuCtxDestroy_v2);

EMU_EXPORT CUresult cuCtxSetCurrent(CUcontext context)
{
    EMU_ENTER(cuCtxSetCurrent, EMU_READY);
    if (!context) {
        stack.depth -= stack.depth > 0;
        return CUDA_SUCCESS;
    }
    EMU_TRY(emu_context_check(context));
    stack.depth = stack.depth ? stack.depth : 1;
    stack.at[stack.depth - 1] = context;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuCtxGetCurrent(CUcontext *out)
{
    EMU_ENTER(cuCtxGetCurrent, EMU_READY);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    *out = stack.depth ? stack.at[stack.depth - 1] : NULL;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    EMU_ENTER(cuCtxPushCurrent, EMU_READY);
    EMU_TRY(emu_context_check(context));
    return push(context);
}
EMU_ALIAS(cuCtxPushCurrent, cuCtxPushCurrent_v2);

EMU_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *out)
{
    EMU_ENTER(cuCtxPopCurrent, EMU_READY);
    EMU_CHECK(stack.depth, CUDA_ERROR_INVALID_CONTEXT);
    CUcontext top = stack.at[--stack.depth];
    if (out) {
        *out = top;
    }
    return CUDA_SUCCESS;
}
EMU_ALIAS(cuCtxPopCurrent, cuCtxPopCurrent_v2);

EMU_EXPORT CUresult cuCtxGetDevice(CUdevice *out)
{
    EMU_ENTER(cuCtxGetDevice, EMU_READY | EMU_CONTEXT);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    *out = 0;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuCtxGetFlags(unsigned *out)
{
    EMU_ENTER(cuCtxGetFlags, EMU_READY | EMU_CONTEXT);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    *out = emu_current()->flags;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuCtxGetId(CUcontext context, unsigned long long *out)
{
    EMU_ENTER(cuCtxGetId, EMU_READY);
    CUcontext wanted = context ? context : emu_current();
    EMU_TRY(emu_context_check(wanted));
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    *out = wanted->id;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuCtxGetApiVersion(CUcontext context, unsigned *out)
{
    EMU_ENTER(cuCtxGetApiVersion, EMU_READY);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(!context || !emu_context_check(context), CUDA_ERROR_INVALID_CONTEXT);
    *out = 3020;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuCtxSynchronize(void)
{
    EMU_ENTER(cuCtxSynchronize, EMU_USE);
    emu_lock();
    CUcontext context = emu_current();
    CUresult code = emu_capture_forbids_context(context);
    code = code ? code : emu_queue_join_context(context);
    emu_unlock();
    emu_host_spend(emu.profile.host_sync_ns);
    return code;
}

EMU_EXPORT CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    EMU_ENTER(cuCtxGetStreamPriorityRange, EMU_READY | EMU_CONTEXT);
    if (least) {
        *least = 0;
    }
    if (greatest) {
        *greatest = -5;
    }
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuCtxGetLimit(size_t *out, CUlimit limit)
{
    EMU_ENTER(cuCtxGetLimit, EMU_READY | EMU_CONTEXT);
    EMU_CHECK(out && limit < CU_LIMIT_MAX, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(limit == CU_LIMIT_STACK_SIZE, CUDA_ERROR_UNSUPPORTED_LIMIT);
    *out = emu_current()->stack_bytes;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    EMU_ENTER(cuCtxSetLimit, EMU_USE);
    EMU_CHECK(limit < CU_LIMIT_MAX, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(limit == CU_LIMIT_STACK_SIZE, CUDA_ERROR_UNSUPPORTED_LIMIT);
    EMU_CHECK(value <= LARGEST_STACK_BYTES, CUDA_ERROR_INVALID_VALUE);
    emu_current()->stack_bytes = value;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
    EMU_ENTER(cuCtxSetCacheConfig, EMU_READY | EMU_CONTEXT);
    (void)config;
    return CUDA_SUCCESS;
}
