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
    atomic_uint_least64_t id; /* read by threads that have the context current */
    size_t stack_bytes, persisting_l2_bytes;
    emu_heap heap;
    CUstream legacy;
    CUstream streams; /* all but the legacy one */
    CUcontext next_destroyed;
};

/* Returns the calling thread's current context, alive or not; NULL if there is none. */
CUcontext emu_context_top(void);

/* Checks that a context is current: 201 if there is none, 709 if it is no longer alive. */
CUresult emu_context_check_current(void);

/* Change the thread's stack of contexts. Push: 2 beyond 32 contexts. Pop: 201 if it is empty. Set
 * replaces the top; NULL removes it. */
CUresult emu_context_push(CUcontext context);
CUresult emu_context_pop(CUcontext *out);
void emu_context_set(CUcontext context);
