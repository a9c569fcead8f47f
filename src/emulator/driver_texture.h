/* Texture objects and arrays, as launches and copies see them. */
#pragma once

#include "emulator/context.h"
#include "emulator/machine.h"

/* What the object of that handle reads; NULL without one. Any thread. */
const emu_texture *emu_texture_find(uint64_t object);

/* What a texture object of that array reads, and how many rows it has, one behind the other; NULL
 * without one. */
const emu_texture *emu_array_find(CUarray array);
uint64_t emu_array_rows(CUarray array);

/* Destroys all that were made in the context, but for the memory of arrays. Lock held. */
void emu_textures_end(CUcontext context);
