/* Checks at the beginning of every entry point. */
#pragma once

#include "emulator/driver.h"

/* Preconditions of an entry point. */
enum {
    EMU_INITIALIZED = 1,     /* cuInit was called; otherwise 3 */
    EMU_NO_STICKY_ERROR = 2, /* no sticky error; otherwise that error */
    EMU_CONTEXT = 4,         /* a current context, otherwise 201; it is alive, otherwise 709 */
    EMU_UNSAFE = 8, /* no capture forbids it; otherwise 900, and the capture becomes invalid */
    EMU_USE = EMU_INITIALIZED | EMU_NO_STICKY_ERROR | EMU_CONTEXT
};

/* Runs the fault script for `name`, checks `needs` and advances the modelled host clock by the cost
 * of a call. Returns 0 or the code to return. Lock not held. */
CUresult emu_enter(const char *name, unsigned needs);

#define EMU_ENTER(name, needs)                                                                     \
    do {                                                                                           \
        CUresult emu_enter_code_ = emu_enter(#name, needs);                                        \
        if (emu_enter_code_ != CUDA_SUCCESS) {                                                     \
            return emu_enter_code_;                                                                \
        }                                                                                          \
    } while (0)
