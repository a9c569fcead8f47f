/* Host memory registered with cuMemHostRegister. All functions are thread-safe. */
#pragma once

#include "emulator/memory.h"

/* Adds a range. Fails with CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED if the range overlaps another
 * one, and with 2 if the table is full. */
int emu_registered_add(void *host, size_t bytes, void *owner);
/* Removes the range that begins at `host`. Fails with 713 if there is none. */
int emu_registered_remove(void *host);
/* Removes all ranges of `owner`, a context that is being destroyed. */
void emu_registered_release_owner(void *owner);

/* Finds the range that contains `address`, or returns false. */
bool emu_registered_find(emu_allocation *out, uint64_t address);
