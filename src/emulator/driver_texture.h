/* Texture objects and CUDA arrays. */
#pragma once

#include "emulator/context.h"
#include "emulator/machine.h"

/* Returns the texture that a texture object describes, or NULL. Thread-safe. */
const emu_texture *emu_texture_find(uint64_t object);

/* emu_array_find() returns the memory and shape of an array, or NULL if there is no such array.
 * emu_array_rows() returns the number of the array's rows. The rows are consecutive in memory. */
const emu_texture *emu_array_find(CUarray array);
uint64_t emu_array_rows(CUarray array);

/* Destroys the context's textures and arrays, but not the arrays' memory. Needs the lock. */
void emu_textures_end(CUcontext context);
