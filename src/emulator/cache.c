/* Simulates which sectors an L1 cache contains; the data itself is not stored. */
#include "emulator/cache.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS = 4, LINE_BYTES = 128 };

typedef struct way {
    uint64_t line; /* cache line number plus 1; 0: the way is empty */
    unsigned sectors;
} way;

struct emu_l1 {
    size_t sets;
    way ways[];
};

emu_l1 *emu_cache_new(size_t bytes)
{
    size_t sets = 1;
    while (sets * 2 * WAYS * LINE_BYTES <= bytes)
        sets *= 2;
    if (sets * WAYS * LINE_BYTES > bytes)
        return NULL;
    emu_l1 *cache = calloc(1, sizeof *cache + sets * WAYS * sizeof(way));
    if (cache)
        cache->sets = sets;
    return cache;
}

void emu_cache_free(emu_l1 *cache)
{
    free(cache);
}

void emu_cache_clear(emu_l1 *cache)
{
    if (cache)
        memset(cache->ways, 0, cache->sets * WAYS * sizeof(way));
}

unsigned emu_cache_read(emu_l1 *cache, uint64_t line, unsigned sectors)
{
    if (!cache)
        return 0;
    /* hash the upper bits too; otherwise buffers that are a power of two apart share sets */
    way *set = &cache->ways[((line ^ line >> 11 ^ line >> 22) & (cache->sets - 1)) * WAYS];
    way found = {.line = line + 1};
    unsigned at = 0;
    while (at < WAYS - 1 && set[at].line != found.line)
        at++;
    if (set[at].line == found.line)
        found.sectors = set[at].sectors;
    unsigned hits = found.sectors & sectors;
    found.sectors |= sectors;
    memmove(set + 1, set, at * sizeof *set);
    set[0] = found;
    return (unsigned)__builtin_popcount(hits);
}
