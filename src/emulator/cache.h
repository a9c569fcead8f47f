/* The L1 cache of one SM, as tags only: 128-byte lines of four sectors, 4-way, least recently used
 * out first. Stores write through and do not allocate. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct emu_l1 emu_l1;

/* Creates a cache of `bytes` bytes, rounded down to a power of two of sets. Returns NULL if memory
 * runs out or the cache is too small for one set: a cache that never hits, which the other
 * functions accept. */
emu_l1 *emu_cache_new(size_t bytes);
void emu_cache_free(emu_l1 *cache);
void emu_cache_clear(emu_l1 *cache);

/* Reads the sectors in `sectors` (bit i: bytes 32 i of the line) of a line, and returns how many of
 * them hit. */
unsigned emu_cache_read(emu_l1 *cache, uint64_t line, unsigned sectors);
