/* The checks that each driver call makes first. */
#pragma once

#include "emulator/driver.h"

/* The requirements of a driver call. */
enum {
    EMU_INITIALIZED = 1,     /* the call fails with 3 before cuInit */
    EMU_NO_STICKY_ERROR = 2, /* the call fails with the sticky error, if there is one */
    EMU_CONTEXT = 4,         /* fails with 201 without a context, 709 with a destroyed context */
    EMU_UNSAFE = 8,          /* the call fails with 900 if a capture forbids it */
    EMU_USE = EMU_INITIALIZED | EMU_NO_STICKY_ERROR | EMU_CONTEXT
};

/* Begins the driver call `name`: applies the fault script, checks the conditions and advances the
 * host clock. Returns 0, or the error that the call must return. Call it without the lock. */
CUresult emu_enter(const char *name, unsigned needs);

#define EMU_ENTER(name, needs)                                                                     \
    do {                                                                                           \
        CUresult emu_enter_code_ = emu_enter(#name, needs);                                        \
        if (emu_enter_code_ != CUDA_SUCCESS) {                                                     \
            return emu_enter_code_;                                                                \
        }                                                                                          \
    } while (0)
