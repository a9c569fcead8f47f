/* The set of valid handles. Driver calls use it to detect invalid handles instead of crashing. */
#pragma once

#include "emulator/driver_abi.h"

#include <stdbool.h>

typedef enum emu_kind {
    EMU_KIND_CONTEXT = 1,
    EMU_KIND_STREAM,
    EMU_KIND_EVENT,
    EMU_KIND_MODULE,
    EMU_KIND_FUNCTION,
    EMU_KIND_GRAPH,
    EMU_KIND_EXEC,
    EMU_KIND_USER_OBJECT,
    EMU_KIND_TEXTURE,
    EMU_KIND_ARRAY
} emu_kind;

/* A member of every object that has a handle. */
typedef struct emu_handle {
    const void *object; /* the value of the handle; NULL if the handle is invalid */
    emu_kind kind;
    CUcontext context; /* the object's context, or NULL */
    struct emu_handle *next;
} emu_handle;

/* Makes the address of `object` a valid handle. `handle` is a member of the object. Thread-safe. */
void emu_handle_add(emu_handle *handle, const void *object, emu_kind kind, CUcontext context);

/* Makes the handle invalid. Call it before freeing the object. Thread-safe. */
void emu_handle_drop(emu_handle *handle);

/* Frees an object that had a handle. The memory is released later, because otherwise its address
 * could soon become the handle of a new object. Thread-safe. */
void emu_handle_free(void *object);

/* Returns true if `object` is a valid handle of that kind. Any value is allowed. Thread-safe. */
bool emu_handle_is(const void *object, emu_kind kind);

/* Returns true if `object` is a valid handle of that kind in the context. */
bool emu_handle_is_of(const void *object, emu_kind kind, CUcontext context);

/* Returns any valid handle of that kind in the context, or NULL. Thread-safe. */
void *emu_handle_any(emu_kind kind, CUcontext context);
