/* Allocates blocks in units of 16 bytes, by next fit. The unit after each block is left unused, so
 * an access just past the block is detected. */
#include "emulator/heap.h"

#include "emulator/memory.h"

#include <pthread.h>
#include <stdlib.h>

enum { HEAP_BYTES = 8 << 20, UNIT = 16, UNITS = HEAP_BYTES / UNIT };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Creates the heap. Call it with the lock held. */
static bool make_heap(emu_heap *heap, void *owner)
{
    uint64_t base;
    if (!heap->start)
        heap->start = calloc(UNITS, sizeof *heap->start);
    if (!heap->bytes)
        heap->bytes = calloc(UNITS, sizeof *heap->bytes);
    if (!heap->start || !heap->bytes ||
        emu_memory_allocate(&base, HEAP_BYTES, EMU_MEMORY_MODULE, owner) != 0)
        return false;
    heap->base = base;
    return true;
}

static uint32_t units_of(uint64_t bytes)
{
    return bytes < HEAP_BYTES ? (uint32_t)((bytes + UNIT - 1) / UNIT) + 1 : UNITS + 1;
}

/* Returns the first of `units` consecutive free units in [from, end), or UNITS if none are free. */
static uint32_t find_room(const emu_heap *heap, uint32_t from, uint32_t end, uint32_t units)
{
    uint32_t run = 0;
    for (uint32_t i = from; i < end;) {
        bool taken = heap->start[i] != 0;
        run = taken ? 0 : run + 1;
        if (run == units)
            return i + 1 - units;
        i += taken ? units_of(heap->bytes[i]) : 1;
    }
    return UNITS;
}

static uint64_t take_block(emu_heap *heap, uint32_t first, uint32_t units, uint64_t bytes)
{
    for (uint32_t i = 0; i < units; i++)
        heap->start[first + i] = first + 1;
    heap->bytes[first] = (uint32_t)bytes;
    heap->cursor = first + units;
    return heap->base + (uint64_t)first * UNIT;
}

uint64_t emu_heap_allocate(emu_heap *heap, uint64_t bytes, void *owner)
{
    uint64_t address = 0;
    uint32_t units = units_of(bytes);
    pthread_mutex_lock(&lock);
    bool too_large = heap->too_many && units >= heap->too_many;
    if (!too_large && (heap->base || make_heap(heap, owner))) {
        uint32_t first = find_room(heap, heap->cursor, UNITS, units);
        if (first == UNITS)
            first = find_room(heap, 0, UNITS, units);
        if (first == UNITS)
            heap->too_many = units;
        else
            address = take_block(heap, first, units, bytes);
    }
    pthread_mutex_unlock(&lock);
    return address;
}

/* Returns true if a block begins at the address, and sets *first to the first unit of the block. */
static bool find_block(const emu_heap *heap, uint64_t address, uint32_t *first)
{
    uint64_t offset = address - heap->base;
    *first = (uint32_t)(offset / UNIT);
    return heap->base && offset < HEAP_BYTES && offset % UNIT == 0 &&
           heap->start[*first] == *first + 1;
}

bool emu_heap_release(emu_heap *heap, uint64_t address)
{
    uint32_t first;
    pthread_mutex_lock(&lock);
    bool found = find_block(heap, address, &first);
    for (uint32_t i = 0, units = found ? units_of(heap->bytes[first]) : 0; i < units; i++)
        heap->start[first + i] = 0;
    heap->too_many = found ? 0 : heap->too_many;
    pthread_mutex_unlock(&lock);
    return found;
}

bool emu_heap_narrow(emu_heap *heap, uint64_t address, emu_range *range)
{
    uint64_t base = heap->base;
    if (!base || range->base != base)
        return true;
    uint32_t start = heap->start[(address - base) / UNIT];
    if (!start)
        return false;
    range->base = base + (uint64_t)(start - 1) * UNIT;
    range->end = range->base + heap->bytes[start - 1];
    return address < range->end;
}

void emu_heap_end(emu_heap *heap)
{
    free((void *)heap->start);
    free(heap->bytes);
    *heap = (emu_heap){0};
}
