/* A pool allocator in which each block is twice as large as the block before it. */
#include "emulator/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 4 * 1024, LARGEST = 64 * 1024, ALIGNMENT = 16 };

typedef struct emu_pool_block {
    struct emu_pool_block *next;
    size_t used, bytes;
    _Alignas(ALIGNMENT) unsigned char data[];
} emu_pool_block;

static emu_pool_block *add_block(emu_pool *pool, size_t bytes)
{
    emu_pool_block *block = calloc(1, sizeof *block + bytes);
    if (!block) {
        pool->failed = true;
        return NULL;
    }
    block->bytes = bytes;
    block->next = pool->blocks;
    pool->blocks = block;
    return block;
}

void *emu_pool_alloc(emu_pool *pool, size_t bytes)
{
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    emu_pool_block *block = pool->blocks;
    if (!block || block->bytes - block->used < bytes) {
        size_t next = !block ? SMALLEST : block->bytes < LARGEST ? 2 * block->bytes : LARGEST;
        block = add_block(pool, bytes > next ? bytes : next);
    }
    if (!block)
        return NULL;
    void *result = block->data + block->used;
    block->used += bytes;
    return result;
}

char *emu_pool_string(emu_pool *pool, const char *text, size_t length)
{
    char *copy = emu_pool_alloc(pool, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void *emu_pool_grow(emu_pool *pool, void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    size_t larger = *capacity ? *capacity * 2 : 8;
    void *copy = emu_pool_alloc(pool, larger * size);
    if (!copy)
        return NULL;
    if (count)
        memcpy(copy, items, count * size);
    *capacity = larger;
    return copy;
}

void emu_pool_free(emu_pool *pool)
{
    while (pool->blocks) {
        emu_pool_block *next = pool->blocks->next;
        free(pool->blocks);
        pool->blocks = next;
    }
}
