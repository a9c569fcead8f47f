/* Contexts, and each thread's stack of them. */
#pragma once

#include "emulator/handle.h"
#include "emulator/heap.h"

#include <stdatomic.h>

struct CUctx_st {
    emu_handle handle;
    bool is_primary;
    atomic_bool alive; /* false: destroyed, or a primary context that was reset or released */
    unsigned flags;
    atomic_uint_least64_t id; /* asked for by threads that have the context current */
    size_t stack_bytes, persisting_l2_bytes;
    emu_heap heap;
    CUstream legacy;
    CUstream streams; /* all but the legacy one */
    CUcontext next_destroyed;
};

/* What is current on the calling thread, alive or not; NULL for none. */
CUcontext emu_context_top(void);

/* Whether a call that needs a context has one: 201 where none is current, 709 where the current one
 * is no longer alive. */
CUresult emu_context_check_current(void);

/* Changes the thread's stack. Push: 2 above 32 contexts. Pop: 201 when it is empty. Set replaces
 * the top; NULL removes it. */
CUresult emu_context_push(CUcontext context);
CUresult emu_context_pop(CUcontext *out);
void emu_context_set(CUcontext context);
