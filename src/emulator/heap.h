/* A context's heap for malloc() and free() in kernels. Its size is the driver's default. Blocks
 * that kernels do not free stay allocated until the context ends. */
#pragma once

#include "emulator/machine.h"

/* All zero until a kernel uses the heap. */
typedef struct emu_heap {
    _Atomic uint64_t base;   /* device address, or 0 before the first use */
    _Atomic uint32_t *start; /* for each unit: first unit of its block, plus one; 0: free */
    uint32_t *bytes;         /* size of each block, stored at its first unit */
    uint32_t cursor;
    uint32_t too_many; /* smallest failed allocation since the last release, in units */
} emu_heap;

/* Allocates `bytes` bytes that are aligned to 16, or returns 0 if they do not fit. The first call
 * creates the heap in memory that belongs to `owner`. Thread-safe. */
uint64_t emu_heap_allocate(emu_heap *heap, uint64_t bytes, void *owner);
/* Releases the block at `address`. Returns false if no block begins there. Thread-safe. */
bool emu_heap_release(emu_heap *heap, uint64_t address);
/* Narrows *range to the block that contains the address, or returns false. Thread-safe. */
bool emu_heap_narrow(emu_heap *heap, uint64_t address, emu_range *range);
/* Resets the heap, which no kernel may be using. The memory is freed by its owner. */
void emu_heap_end(emu_heap *heap);
