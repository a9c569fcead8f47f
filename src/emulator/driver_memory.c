/* Allocations: cuMem*, cuIpc*. */
#include "emulator/enter.h"
#include "emulator/registered.h"
#include "emulator/stream.h"

#include <string.h>

static CUresult allocate_memory(CUdeviceptr *out, size_t bytes, emu_memory_kind kind)
{
    EMU_CHECK(out && bytes, CUDA_ERROR_INVALID_VALUE);
    uint64_t address;
    EMU_TRY((CUresult)emu_memory_allocate(&address, bytes, kind, emu_context_top()));
    *out = address;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes)
{
    EMU_ENTER(cuMemAlloc, EMU_USE | EMU_UNSAFE);
    return allocate_memory(out, bytes, EMU_MEMORY_DEVICE);
}

/* Frees memory. Unless it is a view, first waits for its context's work, as on hardware. */
static CUresult free_kind(uint64_t address, emu_memory_kind kind)
{
    emu_allocation what;
    EMU_CHECK(emu_memory_lookup(&what, address) && what.base == address && what.kind == kind,
              CUDA_ERROR_INVALID_VALUE);
    CUcontext owner = what.owner;
    emu_lock();
    bool waits = kind != EMU_MEMORY_VIEW && owner && owner->alive;
    CUresult code = waits ? emu_queue_join_context(owner) : CUDA_SUCCESS;
    emu_unlock();
    return code ? code : (CUresult)emu_memory_release(address, kind);
}

EMU_EXPORT CUresult cuMemFree_v2(CUdeviceptr address)
{
    EMU_ENTER(cuMemFree, EMU_USE | EMU_UNSAFE);
    emu_allocation what;
    if (!address) {
        return CUDA_SUCCESS;
    }
    EMU_CHECK(emu_memory_lookup(&what, address), CUDA_ERROR_INVALID_VALUE);
    return free_kind(address, what.kind == EMU_MEMORY_VIEW ? what.kind : EMU_MEMORY_DEVICE);
}

EMU_EXPORT CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    EMU_ENTER(cuMemGetInfo, EMU_USE);
    EMU_CHECK(free_bytes && total_bytes, CUDA_ERROR_INVALID_VALUE);
    *total_bytes = (size_t)emu.profile.total_memory_bytes;
    *free_bytes = emu_memory_limit() - emu_memory_in_use();
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    EMU_ENTER(cuMemGetAddressRange, EMU_USE);
    emu_allocation what;
    EMU_CHECK(emu_memory_lookup(&what, address), CUDA_ERROR_NOT_FOUND);
    if (base) {
        *base = what.base;
    }
    if (bytes) {
        *bytes = what.bytes;
    }
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult emuNameMemory(CUdeviceptr address, const char *name)
{
    EMU_ENTER(emuNameMemory, EMU_USE);
    EMU_CHECK(name && emu_memory_name(address, name), CUDA_ERROR_INVALID_VALUE);
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult emuViewMemory(CUdeviceptr *view, CUdeviceptr address)
{
    EMU_ENTER(emuViewMemory, EMU_USE | EMU_UNSAFE);
    EMU_CHECK(view, CUDA_ERROR_INVALID_VALUE);
    uint64_t at;
    EMU_TRY((CUresult)emu_memory_view(&at, address, emu_context_top()));
    *view = at;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuMemAllocHost_v2(void **out, size_t bytes)
{
    EMU_ENTER(cuMemAllocHost, EMU_USE | EMU_UNSAFE);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    CUdeviceptr address;
    EMU_TRY(allocate_memory(&address, bytes, EMU_MEMORY_HOST));
    *out = (void *)(uintptr_t)address;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuMemFreeHost(void *pointer)
{
    EMU_ENTER(cuMemFreeHost, EMU_USE | EMU_UNSAFE);
    if (!pointer) {
        return CUDA_SUCCESS;
    }
    return free_kind((uint64_t)(uintptr_t)pointer, EMU_MEMORY_HOST);
}

EMU_EXPORT CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags)
{
    EMU_ENTER(cuMemHostRegister, EMU_USE | EMU_UNSAFE);
    EMU_CHECK(flags < 16, CUDA_ERROR_INVALID_VALUE);
    return (CUresult)emu_registered_add(pointer, bytes, emu_context_top());
}

EMU_EXPORT CUresult cuMemHostUnregister(void *pointer)
{
    EMU_ENTER(cuMemHostUnregister, EMU_USE | EMU_UNSAFE);
    emu_lock();
    CUresult code = emu_queue_join_context(emu_context_top());
    emu_unlock();
    return code ? code : (CUresult)emu_registered_remove(pointer);
}

_Static_assert(sizeof(emu_memory_share) <= sizeof(CUipcMemHandle), "a share fits a handle");

EMU_EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle *out, CUdeviceptr address)
{
    EMU_ENTER(cuIpcGetMemHandle, EMU_USE);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    emu_memory_share share;
    EMU_TRY((CUresult)emu_memory_export(&share, address));
    memset(out, 0, sizeof *out);
    memcpy(out, &share, sizeof share);
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *out, CUipcMemHandle handle, unsigned flags)
{
    EMU_ENTER(cuIpcOpenMemHandle, EMU_USE | EMU_UNSAFE);
    EMU_CHECK(out && flags <= 1, CUDA_ERROR_INVALID_VALUE);
    emu_memory_share share;
    memcpy(&share, &handle, sizeof share);
    uint64_t address;
    EMU_TRY((CUresult)emu_memory_import(&address, &share, emu_context_top()));
    *out = address;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr address)
{
    EMU_ENTER(cuIpcCloseMemHandle, EMU_USE | EMU_UNSAFE);
    return free_kind(address, EMU_MEMORY_IMPORT);
}
