/* Special registers. */
#pragma once

#include "emulator/warp.h"

/* A special register's value in one lane. */
typedef uint64_t emu_special(const emu_warp *warp, unsigned lane);

/* The register of that name (%tid.x), or NULL; *is_uniform when all lanes of a warp agree. */
emu_special *emu_special_find(const char *name, bool *is_uniform);
