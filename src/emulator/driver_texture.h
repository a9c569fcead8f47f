/* Texture objects and arrays, for launches and copies. */
#pragma once

#include "emulator/context.h"
#include "emulator/machine.h"

/* NULL if there is no such object. Any thread. */
const emu_texture *emu_texture_find(uint64_t object);

/* emu_array_find() gets the texture of an array, NULL if there is none; emu_array_rows() its number
 * of rows, which are stored one after the other. */
const emu_texture *emu_array_find(CUarray array);
uint64_t emu_array_rows(CUarray array);

/* Destroys all objects of the context, except the memory of arrays. Lock held. */
void emu_textures_end(CUcontext context);
