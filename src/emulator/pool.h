/* Memory that lives as long as a program: allocated piece by piece, freed at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* All zero is an empty pool. `failed` is set for good when memory runs out. */
typedef struct emu_pool {
    struct emu_pool_block *blocks;
    bool failed;
} emu_pool;

/* Zeroed memory for anything, or NULL when memory ran out. The pool's until emu_pool_free. */
void *emu_pool_alloc(emu_pool *pool, size_t bytes);

/* A NUL-terminated copy of `length` bytes, or NULL. */
char *emu_pool_string(emu_pool *pool, const char *text, size_t length);

/* A growing array: returns `items` or a larger copy with room for one more than `count` elements
 * of `size` bytes; *capacity is kept up. NULL when memory ran out. */
void *emu_pool_grow(emu_pool *pool, void *items, size_t count, size_t *capacity, size_t size);

void emu_pool_free(emu_pool *pool);
