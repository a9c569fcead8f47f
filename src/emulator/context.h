/* Contexts, and the stack of contexts of each thread. */
#pragma once

#include "emulator/handle.h"
#include "emulator/heap.h"

#include <stdatomic.h>

struct CUctx_st {
    emu_handle handle;
    bool is_primary;
    atomic_bool alive; /* false after the context was destroyed, reset or released */
    unsigned flags;
    atomic_uint_least64_t id; /* atomic, because it is read without the lock */
    size_t stack_bytes, persisting_l2_bytes;
    emu_heap heap;
    CUstream legacy;
    CUstream streams; /* all streams except the legacy stream */
    CUcontext next_destroyed;
};

/* Returns the thread's current context, or NULL. The context may have been destroyed. */
CUcontext emu_context_top(void);

/* Fails with 201 if there is no current context, 709 if the current context was destroyed. */
CUresult emu_context_check_current(void);

/* Change the thread's stack of contexts. emu_context_push() fails with 2 if the stack already has
 * 32 contexts. emu_context_pop() fails with 201 if the stack is empty. emu_context_set() replaces
 * the top of the stack, or removes it if `context` is NULL. */
CUresult emu_context_push(CUcontext context);
CUresult emu_context_pop(CUcontext *out);
void emu_context_set(CUcontext context);
