/* Checks at the beginning of each driver call. */
#pragma once

#include "emulator/driver.h"

/* Preconditions of a driver call. */
enum {
    EMU_INITIALIZED = 1,     /* fails with 3 before cuInit */
    EMU_NO_STICKY_ERROR = 2, /* fails with the sticky error if there is one */
    EMU_CONTEXT = 4,         /* fails with 201 without a current context, 709 if it is destroyed */
    EMU_UNSAFE = 8,          /* fails with 900 if a capture forbids the call */
    EMU_USE = EMU_INITIALIZED | EMU_NO_STICKY_ERROR | EMU_CONTEXT
};

/* Begins the call `name`: applies the fault script, checks the preconditions and advances the host
 * clock. Returns 0 or the error of the call. Call it without the lock. */
CUresult emu_enter(const char *name, unsigned needs);

#define EMU_ENTER(name, needs)                                                                     \
    do {                                                                                           \
        CUresult emu_enter_code_ = emu_enter(#name, needs);                                        \
        if (emu_enter_code_ != CUDA_SUCCESS) {                                                     \
            return emu_enter_code_;                                                                \
        }                                                                                          \
    } while (0)
