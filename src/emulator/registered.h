/* Host memory of the caller's that was made known to the driver: cuMemHostRegister. Any thread. */
#pragma once

#include "emulator/memory.h"

/* Adds a range. CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED when it overlaps another; 2 when the
 * table is full. */
int emu_registered_add(void *host, size_t bytes, void *owner);
/* Removes the range that begins at `host`; CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED for none. */
int emu_registered_remove(void *host);
/* Removes all ranges of `owner`, which is a context that ends. */
void emu_registered_release_owner(void *owner);

/* The range that holds `address`. */
bool emu_registered_find(emu_allocation *out, uint64_t address);
