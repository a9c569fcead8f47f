/* Where malloc() and free() of kernels take memory from: a heap for each context, of the size that
 * a driver gives it at first. What kernels do not free stays taken as long as the context lives. */
#pragma once

#include "emulator/machine.h"

/* Zeroed: nothing was taken from it yet. */
typedef struct emu_heap {
    _Atomic uint64_t base;   /* device address; 0: not made yet */
    _Atomic uint32_t *start; /* by unit: the first one of its block, plus one; 0: none */
    uint32_t *bytes;         /* of the block, by its first unit */
    uint32_t cursor;         /* unit where the search for room goes on */
    uint32_t too_many;       /* so many units were not found since the last release; 0: none */
} emu_heap;

/* Returns the address of `bytes` bytes, aligned to 16; 0: there is no room. The first call makes
 * the heap, as memory of `owner`. Any thread. */
uint64_t emu_heap_allocate(emu_heap *heap, uint64_t bytes, void *owner);
/* Gives a block back; false: none begins at the address. Any thread. */
bool emu_heap_release(emu_heap *heap, uint64_t address);
/* Narrows the range of an allocation that is the heap to the block that holds the address; false:
 * none does. Any thread. */
bool emu_heap_narrow(emu_heap *heap, uint64_t address, emu_range *range);
/* Forgets the heap; its memory goes with its owner. Nothing may be using it. */
void emu_heap_end(emu_heap *heap);
