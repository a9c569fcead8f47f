/* How every entry point of the driver begins. */
#pragma once

#include "emulator/driver.h"

/* What an entry point needs before it does anything. */
enum {
    EMU_INITIALIZED = 1,     /* cuInit, else 3 */
    EMU_NO_STICKY_ERROR = 2, /* no sticky error, else that error */
    EMU_CONTEXT = 4,         /* a current context, else 201; one that is alive, else 709 */
    EMU_UNSAFE = 8,          /* no capture that forbids it, else 900 and that capture is invalid */
    EMU_USE = EMU_INITIALIZED | EMU_NO_STICKY_ERROR | EMU_CONTEXT
};

/* Runs the fault script for `name`, checks `needs` and moves the modelled host clock by the cost of
 * a call. 0, or the code to return. Lock not held. */
CUresult emu_enter(const char *name, unsigned needs);

#define EMU_ENTER(name, needs)                                                                     \
    do {                                                                                           \
        CUresult emu_enter_code_ = emu_enter(#name, needs);                                        \
        if (emu_enter_code_ != CUDA_SUCCESS) {                                                     \
            return emu_enter_code_;                                                                \
        }                                                                                          \
    } while (0)
