/* The heap of malloc() and free() in kernels: one for each context, of the driver's default size.
 * Memory that kernels do not free stays allocated as long as the context. */
#pragma once

#include "emulator/machine.h"

/* A heap; all zero before its first use. */
typedef struct emu_heap {
    _Atomic uint64_t base;   /* device address; 0: not created yet */
    _Atomic uint32_t *start; /* for each unit: first unit of its block, plus one; 0: none */
    uint32_t *bytes;         /* size of the block, by its first unit */
    uint32_t cursor;         /* unit where the next search starts */
    uint32_t too_many;       /* this many units were not found since the last release; 0: none */
} emu_heap;

/* Allocates `bytes` bytes, aligned to 16; returns 0 if they do not fit. The first call creates the
 * heap, as memory of `owner`. Any thread. */
uint64_t emu_heap_allocate(emu_heap *heap, uint64_t bytes, void *owner);
/* Releases a block; returns false if none begins at the address. Any thread. */
bool emu_heap_release(emu_heap *heap, uint64_t address);
/* Narrows *range from the whole heap to the block that contains the address; returns false if there
 * is none. Any thread. */
bool emu_heap_narrow(emu_heap *heap, uint64_t address, emu_range *range);
/* Resets the heap; its owner frees the memory. No kernel may be using it. */
void emu_heap_end(emu_heap *heap);
