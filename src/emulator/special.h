/* Special registers. */
#pragma once

#include "emulator/warp.h"

typedef uint64_t emu_special(const emu_warp *warp, unsigned lane);

/* Finds a register such as %tid.x, or NULL. Sets *is_uniform if its value is the same in all
 * lanes. */
emu_special *emu_special_find(const char *name, bool *is_uniform);
