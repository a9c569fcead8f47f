/* Functions of the device runtime, which kernels call without a definition. */
#pragma once

#include "emulator/warp.h"

/* Returns the handler for calls of the function `name` (vprintf, __assertfail, malloc, free), or
 * NULL. */
emu_handler emu_builtin_find(const char *name);
