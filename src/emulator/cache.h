/* A model of the L1 cache of one SM, without data: 128-byte lines of four sectors, 4-way, with
 * replacement of the least recently used line. Stores write through and do not allocate. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct emu_l1 emu_l1;

/* Creates a cache of about `bytes` bytes; the number of sets is a power of two. Returns NULL if
 * `bytes` is too small for a set or memory runs out. To other functions, NULL is an empty cache. */
emu_l1 *emu_cache_new(size_t bytes);
void emu_cache_free(emu_l1 *cache);
void emu_cache_clear(emu_l1 *cache);

/* Reads the sectors of a line that are set in the mask `sectors`. Returns the number of hits. */
unsigned emu_cache_read(emu_l1 *cache, uint64_t line, unsigned sectors);
