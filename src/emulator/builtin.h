/* Functions of the device runtime, which no module defines. */
#pragma once

#include "emulator/warp.h"

/* Returns the handler of a call of that name (vprintf, __assertfail, malloc, free), or NULL. */
emu_handler emu_builtin_find(const char *name);
