/* Functions that the device runtime brings and no module defines. */
#ifndef EMU_BUILTIN_H
#define EMU_BUILTIN_H

#include "emulator/warp.h"

/* The handler of a call of that name (vprintf, __assertfail), or NULL. */
emu_handler emu_builtin_find(const char *name);

#endif
