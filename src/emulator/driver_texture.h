/* Texture objects, as launches see them. */
#pragma once

#include "emulator/context.h"
#include "emulator/machine.h"

/* What the object of that handle reads; NULL without one. Any thread. */
const emu_texture *emu_texture_find(uint64_t object);

/* Destroys all that were made in the context. Lock held. */
void emu_textures_end(CUcontext context);
