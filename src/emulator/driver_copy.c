/* Implements copies and fills: cuMemcpy*, cuMemset*. */
#include "emulator/check.h"
#include "emulator/driver_texture.h"
#include "emulator/enter.h"
#include "emulator/level2.h"
#include "emulator/stream.h"

#include <stdlib.h>
#include <string.h>

/* Up to this size, copies from pageable memory are staged, so asynchronous calls do not wait. */
enum { STAGED_BYTES = 64 * 1024 };

typedef enum place { PLACE_DEVICE, PLACE_PINNED, PLACE_PAGEABLE } place;

typedef enum side { SIDE_ANY, SIDE_DEVICE } side;

typedef struct copy_command {
    emu_command command;
    void *to;
    const void *from;
    size_t bytes;       /* bytes of a row */
    size_t rows, pitch; /* number of rows, and bytes from one row of the source to the next */
    double rate;        /* modelled rate in bytes per second */
    void *staged;
} copy_command;

static void touch_memory(const void *at, size_t bytes)
{
    emu_level2_touch((uint64_t)(uintptr_t)at, (double)bytes,
                     emu_attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
}

static double run_copy(emu_command *command, double start_ns)
{
    copy_command *copy = (copy_command *)command;
    (void)start_ns;
    const char *from = copy->staged ? copy->staged : copy->from;
    const size_t bytes = copy->bytes * copy->rows;
    const bool clear = copy->rows == 1 && emu_memory_is_clear(from, bytes);
    if (clear) {
        emu_memory_clear(copy->to, bytes);
    }
    for (size_t row = 0; !clear && row < copy->rows; row++) {
        memmove((char *)copy->to + row * copy->bytes, from + row * copy->pitch, copy->bytes);
    }
    emu_check_filled((uint64_t)(uintptr_t)copy->to, bytes);
    touch_memory(copy->from, bytes);
    touch_memory(copy->to, bytes);
    return emu.profile.copy_fixed_ns + (double)bytes / copy->rate * 1e9;
}

static void release_copy(emu_command *command)
{
    free(((copy_command *)command)->staged);
}

static const emu_command_class copy_class = {.run = run_copy, .release = release_copy};

static CUresult place_of(place *out, uint64_t address, size_t bytes, side side)
{
    emu_allocation what;
    if (!emu_memory_lookup(&what, address)) {
        *out = PLACE_PAGEABLE;
        return side == SIDE_DEVICE ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    }
    bool host = what.kind == EMU_MEMORY_HOST || what.kind == EMU_MEMORY_REGISTERED;
    *out = host ? PLACE_PINNED : PLACE_DEVICE;
    return bytes <= what.bytes - (address - what.base) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static double rate_between(place to, place from)
{
    if (to == PLACE_DEVICE && from == PLACE_DEVICE) {
        return emu.profile.copy_device_bytes_per_second /
               2; /* half the bandwidth, because a copy reads and writes each byte */
    }
    bool pageable = to == PLACE_PAGEABLE || from == PLACE_PAGEABLE;
    return pageable ? emu.profile.copy_pageable_bytes_per_second
                    : emu.profile.copy_host_bytes_per_second;
}

static CUresult new_copy(copy_command **out, uint64_t to, uint64_t from, size_t bytes, double rate,
                         bool stage)
{
    copy_command *copy = emu_command_new(&copy_class, sizeof *copy);
    EMU_CHECK(copy, CUDA_ERROR_OUT_OF_MEMORY);
    copy->to = (void *)(uintptr_t)to;
    copy->from = (const void *)(uintptr_t)from;
    copy->bytes = bytes;
    copy->rows = 1;
    copy->rate = rate;
    if (stage) {
        copy->staged = malloc(bytes);
        if (!copy->staged) {
            emu_command_release(&copy->command);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        memcpy(copy->staged, copy->from, bytes);
    }
    *out = copy;
    return CUDA_SUCCESS;
}

typedef struct copy_call {
    uint64_t to, from;
    size_t bytes;
    side to_side, from_side;
} copy_call;

static bool is_captured(CUstream handle)
{
    CUstream stream;
    emu_lock();
    bool captured = !emu_stream_resolve(&stream, handle) && stream->capture;
    emu_unlock();
    return captured;
}

/* Submits a copy. As in the driver, an asynchronous copy may access pinned memory after the call
 * has returned, but not pageable memory. A captured copy reads its source at each replay. */
static CUresult submit_copy(const copy_call *call, CUstream stream, bool async)
{
    place to, from;
    EMU_TRY(place_of(&to, call->to, call->bytes, call->to_side));
    EMU_TRY(place_of(&from, call->from, call->bytes, call->from_side));
    if (!call->bytes) {
        return CUDA_SUCCESS;
    }
    EMU_CHECK(call->to && call->from, CUDA_ERROR_INVALID_VALUE);
    bool pageable = to == PLACE_PAGEABLE || from == PLACE_PAGEABLE;
    bool captured = async && pageable && is_captured(stream);
    bool stage = async && !captured && from == PLACE_PAGEABLE && call->bytes <= STAGED_BYTES;
    copy_command *command;
    EMU_TRY(new_copy(&command, call->to, call->from, call->bytes, rate_between(to, from), stage));
    emu_host_spend(emu.profile.host_copy_ns);
    bool wait = !async || (pageable && !stage && !captured);
    return emu_run_on(stream, &command->command, wait);
}

static uint64_t host_address(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

#define COPY(name, versioned, to_type, to_expression, from_type, from_expression, sides)           \
    EMU_EXPORT CUresult versioned(to_type to, from_type from, size_t bytes)                        \
    {                                                                                              \
        EMU_ENTER(name, EMU_USE | EMU_UNSAFE);                                                     \
        const copy_call call = {to_expression, from_expression, bytes, sides};                     \
        return submit_copy(&call, NULL, false);                                                    \
    }
#define COPY_ASYNC(name, versioned, to_type, to_expression, from_type, from_expression, sides)     \
    EMU_EXPORT CUresult versioned(to_type to, from_type from, size_t bytes, CUstream stream)       \
    {                                                                                              \
        EMU_ENTER(name, EMU_USE);                                                                  \
        const copy_call call = {to_expression, from_expression, bytes, sides};                     \
        return submit_copy(&call, stream, true);                                                   \
    }
#define SIDES(to, from) SIDE_##to, SIDE_##from

COPY(cuMemcpyHtoD, cuMemcpyHtoD_v2, CUdeviceptr, to, const void *, host_address(from),
     SIDES(DEVICE, ANY))
COPY(cuMemcpyDtoH, cuMemcpyDtoH_v2, void *, host_address(to), CUdeviceptr, from, SIDES(ANY, DEVICE))
COPY(cuMemcpyDtoD, cuMemcpyDtoD_v2, CUdeviceptr, to, CUdeviceptr, from, SIDES(DEVICE, DEVICE))
COPY_ASYNC(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, CUdeviceptr, to, const void *,
           host_address(from), SIDES(DEVICE, ANY))
COPY_ASYNC(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, void *, host_address(to), CUdeviceptr, from,
           SIDES(ANY, DEVICE))
COPY_ASYNC(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, CUdeviceptr, to, CUdeviceptr, from,
           SIDES(DEVICE, DEVICE))

/* Supports only copies from device memory to a whole array. */
EMU_EXPORT CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *call, CUstream stream)
{
    EMU_ENTER(cuMemcpy3DAsync, EMU_USE);
    EMU_CHECK(call, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(call->srcMemoryType == CU_MEMORYTYPE_DEVICE &&
                  call->dstMemoryType == CU_MEMORYTYPE_ARRAY && call->srcHeight == call->Height,
              CUDA_ERROR_NOT_SUPPORTED);
    const emu_texture *array = emu_array_find(call->dstArray);
    EMU_CHECK(array, CUDA_ERROR_INVALID_HANDLE);
    const uint64_t rows = emu_array_rows(call->dstArray);
    EMU_CHECK(
        call->WidthInBytes == array->pitch_bytes && call->Height * call->Depth == rows &&
            call->srcPitch >= call->WidthInBytes &&
            emu_memory_covers(call->srcDevice, (rows - 1) * call->srcPitch + call->WidthInBytes),
        CUDA_ERROR_INVALID_VALUE);
    copy_command *command;
    EMU_TRY(new_copy(&command, array->base, call->srcDevice, call->WidthInBytes,
                     rate_between(PLACE_DEVICE, PLACE_DEVICE), false));
    command->rows = rows;
    command->pitch = call->srcPitch;
    emu_host_spend(emu.profile.host_copy_ns);
    return emu_run_on(stream, &command->command, false);
}

/* ---- fills ---- */

typedef struct set_command {
    emu_command command;
    char *to;
    unsigned value;
    size_t width, count;
} set_command;

static void fill32(uint32_t *to, uint32_t value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = value;
    }
}

static double run_set(emu_command *command, double start_ns)
{
    const set_command *set = (const set_command *)command;
    (void)start_ns;
    size_t bytes = set->width * set->count;
    if (set->value << (32 - 8 * set->width) == 0) {
        emu_memory_clear(set->to, bytes);
    } else if (set->width == 1) {
        memset(set->to, (int)(set->value & 0xff), set->count);
    } else {
        fill32((uint32_t *)(void *)set->to, set->value, set->count);
    }
    touch_memory(set->to, bytes);
    emu_check_filled((uint64_t)(uintptr_t)set->to, bytes);
    return emu.profile.set_fixed_ns + (double)bytes / emu.profile.dram_bytes_per_second * 1e9;
}

static const emu_command_class set_class = {.run = run_set};

/* Creates a fill of `count` elements of `width` bytes. Fails with 1 if the range is misaligned or
 * not within one allocation, with 2 if memory runs out. */
static CUresult new_set(emu_command **out, CUdeviceptr to, unsigned value, size_t width,
                        size_t count)
{
    EMU_CHECK(to % width == 0 && count <= SIZE_MAX / 4, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(emu_memory_covers(to, width * count), CUDA_ERROR_INVALID_VALUE);
    set_command *set = emu_command_new(&set_class, sizeof *set);
    EMU_CHECK(set, CUDA_ERROR_OUT_OF_MEMORY);
    set->to = (char *)(uintptr_t)to;
    set->value = value;
    set->width = width;
    set->count = count;
    *out = &set->command;
    return CUDA_SUCCESS;
}

/* Submits a fill. cuMemset waits for it, because on hardware the fill would end before a later
 * launch on another stream begins. */
static CUresult set_on(CUstream stream, bool wait, CUdeviceptr to, unsigned value, size_t width,
                       size_t count)
{
    if (!count) {
        return CUDA_SUCCESS;
    }
    emu_command *command;
    EMU_TRY(new_set(&command, to, value, width, count));
    emu_host_spend(emu.profile.host_copy_ns);
    return emu_run_on(stream, command, wait);
}

#define SET(name, versioned, type, width)                                                          \
    EMU_EXPORT CUresult versioned(CUdeviceptr to, type value, size_t count)                        \
    {                                                                                              \
        EMU_ENTER(name, EMU_USE | EMU_UNSAFE);                                                     \
        return set_on(NULL, true, to, value, width, count);                                        \
    }
#define SET_ASYNC(name, type, width)                                                               \
    EMU_EXPORT CUresult name(CUdeviceptr to, type value, size_t count, CUstream stream)            \
    {                                                                                              \
        EMU_ENTER(name, EMU_USE);                                                                  \
        return set_on(stream, false, to, value, width, count);                                     \
    }

SET(cuMemsetD8, cuMemsetD8_v2, unsigned char, 1)
SET(cuMemsetD32, cuMemsetD32_v2, unsigned, 4)
SET_ASYNC(cuMemsetD8Async, unsigned char, 1)
SET_ASYNC(cuMemsetD32Async, unsigned, 4)
