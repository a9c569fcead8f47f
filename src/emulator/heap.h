/* The heap of a context, for malloc() and free() in kernels. Its size is the driver's default.
 * Blocks that kernels do not free stay allocated until the context ends. */
#pragma once

#include "emulator/machine.h"

/* A heap. If all bytes are zero, no kernel has used it yet. */
typedef struct emu_heap {
    _Atomic uint64_t base;   /* device address; 0: not created yet */
    _Atomic uint32_t *start; /* the first unit of each unit's block, plus one; 0: free */
    uint32_t *bytes;         /* size of each block, stored at its first unit */
    uint32_t cursor;         /* the next search starts at this unit */
    uint32_t too_many; /* size in units of an allocation that failed since the last release; 0:
                          none */
} emu_heap;

/* Allocates `bytes` bytes aligned to 16, or returns 0 if they do not fit. The first call creates
 * the heap in memory of `owner`. Any thread. */
uint64_t emu_heap_allocate(emu_heap *heap, uint64_t bytes, void *owner);
/* Releases the block at `address`. Returns false if no block begins there. Any thread. */
bool emu_heap_release(emu_heap *heap, uint64_t address);
/* Narrows *range from the whole heap to the block that contains the address. Returns false if no
 * block contains it. Any thread. */
bool emu_heap_narrow(emu_heap *heap, uint64_t address, emu_range *range);
/* Resets the heap, which no kernel may be using. The memory itself belongs to the owner. */
void emu_heap_end(emu_heap *heap);
