/* A model of the L1 cache of one SM, without the data: 4-way, with 128-byte lines of four sectors.
 * It replaces the least recently used line. Stores write through it and do not allocate a line. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct emu_l1 emu_l1;

/* Creates a cache of at most `bytes` bytes. The number of sets is a power of two. Returns NULL if
 * no set fits or memory runs out. To the other functions, NULL is a cache that is always empty. */
emu_l1 *emu_cache_new(size_t bytes);
void emu_cache_free(emu_l1 *cache);
void emu_cache_clear(emu_l1 *cache);

/* Reads the sectors in the mask `sectors` of a line. Returns how many of them were in the cache. */
unsigned emu_cache_read(emu_l1 *cache, uint64_t line, unsigned sectors);
