/* Functions that kernels can call without defining them, such as printf() and malloc(). */
#pragma once

#include "emulator/warp.h"

/* Returns the handler of vprintf, __assertfail, malloc or free, or NULL for another name. */
emu_handler emu_builtin_find(const char *name);
