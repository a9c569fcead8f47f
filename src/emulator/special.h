/* Special registers. */
#pragma once

#include "emulator/warp.h"

/* Returns the value of a special register in one lane. */
typedef uint64_t emu_special(const emu_warp *warp, unsigned lane);

/* Finds a special register by its name (%tid.x), or returns NULL. Sets *is_uniform if all lanes of
 * a warp have the same value. */
emu_special *emu_special_find(const char *name, bool *is_uniform);
