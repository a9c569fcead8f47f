/* Pools, from which memory is allocated in pieces and which are freed as a whole. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* An all-zero pool is empty. `failed` is set when memory has run out. */
typedef struct emu_pool {
    struct emu_pool_block *blocks;
    bool failed;
} emu_pool;

/* Returns zeroed memory that belongs to the pool, or NULL if memory runs out. */
void *emu_pool_alloc(emu_pool *pool, size_t bytes);

/* Copies `length` bytes and adds a NUL. Returns NULL if memory runs out. */
char *emu_pool_string(emu_pool *pool, const char *text, size_t length);

/* Makes room for one more element of `size` bytes in an array of `count` elements. Returns `items`,
 * or a larger copy after setting *capacity, or NULL if memory runs out. */
void *emu_pool_grow(emu_pool *pool, void *items, size_t count, size_t *capacity, size_t size);

void emu_pool_free(emu_pool *pool);
