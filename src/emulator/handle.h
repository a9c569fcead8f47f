/* The handles that are valid now. A driver call looks a handle up here before it follows the
 * pointer, so that a handle that was destroyed, or that never was one, is an error and no crash. */
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

/* A member of every object behind a handle. */
typedef struct emu_handle {
    const void *object; /* the handle's value; NULL while it is not valid */
    emu_kind kind;
    CUcontext context; /* where the object was made; NULL: in none */
    struct emu_handle *next;
} emu_handle;

/* Makes `object` a valid handle. `handle` is a member of it. Any thread. */
void emu_handle_add(emu_handle *handle, const void *object, emu_kind kind, CUcontext context);

/* Ends the handle's validity, before its object is freed. An invalid one stays so. Any thread. */
void emu_handle_drop(emu_handle *handle);

/* Frees an object that was behind a handle, some time later: as long as its memory is not used
 * again, an old handle is not the handle of a new object. Any thread. */
void emu_handle_free(void *object);

/* Whether `object` is a valid handle of that kind. Any value may be asked for. Any thread. */
bool emu_handle_is(const void *object, emu_kind kind);

/* The same, of an object that was made in `context`. */
bool emu_handle_is_of(const void *object, emu_kind kind, CUcontext context);

/* Some valid handle of that kind that was made in `context`, or NULL. Any thread. */
void *emu_handle_any(emu_kind kind, CUcontext context);
