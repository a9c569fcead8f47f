/* A pool: memory allocated piece by piece and freed at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A pool; all zero is an empty one. `failed` stays set once memory has run out. */
typedef struct emu_pool {
    struct emu_pool_block *blocks;
    bool failed;
} emu_pool;

/* Allocates zeroed memory, or returns NULL if memory ran out. The pool owns it. */
void *emu_pool_alloc(emu_pool *pool, size_t bytes);

/* Makes a NUL-terminated copy of `length` bytes, or returns NULL. */
char *emu_pool_string(emu_pool *pool, const char *text, size_t length);

/* Grows an array: returns `items`, or a larger copy that fits one more than `count` elements of
 * `size` bytes, and updates *capacity. NULL if memory ran out. */
void *emu_pool_grow(emu_pool *pool, void *items, size_t count, size_t *capacity, size_t size);

void emu_pool_free(emu_pool *pool);
