/* Texture objects, as launches see them. */
#ifndef EMU_DRIVER_TEXTURE_H
#define EMU_DRIVER_TEXTURE_H

#include "emulator/context.h"
#include "emulator/machine.h"

/* What the object of that handle reads; NULL without one. Any thread. */
const emu_texture *emu_texture_find(uint64_t object);

/* Destroys all that were made in the context. Lock held. */
void emu_textures_end(CUcontext context);

#endif
