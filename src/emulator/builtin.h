/* Functions of the device runtime, which kernels call without a definition. */
#pragma once

#include "emulator/warp.h"

/* Returns the handler of vprintf, __assertfail, malloc or free, or NULL for another name. */
emu_handler emu_builtin_find(const char *name);
