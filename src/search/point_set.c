/* A hash table of points with linear probing. */
#include "search/point_set.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 64 };

static size_t item_bytes(const gt_point_set *set)
{
    return set->item_bytes ? set->item_bytes : sizeof(gt_point);
}

static gt_point *point_at(const gt_point_set *set, uint32_t index)
{
    return (gt_point *)(void *)((char *)set->items + index * item_bytes(set));
}

static uint32_t *slot_of(const gt_point_set *set, const gt_point *point)
{
    uint32_t mask = set->slot_count - 1;
    for (uint32_t at = (uint32_t)gt_point_hash(point) & mask;; at = (at + 1) & mask) {
        uint32_t *slot = &set->slots[at];
        if (!*slot || gt_point_equal(point_at(set, *slot - 1), point)) {
            return slot;
        }
    }
}

static gputune_status grow(gt_point_set *set)
{
    uint32_t capacity = set->capacity ? 2 * set->capacity : FIRST;
    void *items = realloc(set->items, capacity * item_bytes(set));
    GT_TRY(gt_allocated(items));
    set->items = items;
    uint32_t *slots = calloc((size_t)capacity * 2, sizeof *slots);
    GT_TRY(gt_allocated(slots));
    free(set->slots);
    set->slots = slots;
    set->capacity = capacity;
    set->slot_count = 2 * capacity;
    for (uint32_t i = 0; i < set->count; i++) {
        *slot_of(set, point_at(set, i)) = i + 1;
    }
    return GPUTUNE_OK;
}

gputune_status gt_point_set_add(gt_point_set *set, const gt_point *point, uint32_t *index,
                                bool *is_new)
{
    if (set->count == set->capacity) {
        GT_TRY(grow(set));
    }
    uint32_t *slot = slot_of(set, point);
    *is_new = !*slot;
    if (*is_new) {
        *point_at(set, set->count) = *point;
        *slot = ++set->count;
    }
    *index = *slot - 1;
    return GPUTUNE_OK;
}

int64_t gt_point_set_find(const gt_point_set *set, const gt_point *point)
{
    return set->count ? (int64_t)*slot_of(set, point) - 1 : -1;
}

void gt_point_set_clear(gt_point_set *set)
{
    set->count = 0;
    if (set->slots) {
        memset(set->slots, 0, set->slot_count * sizeof *set->slots);
    }
}

void gt_point_set_free(gt_point_set *set)
{
    free(set->items);
    free(set->slots);
    *set = (gt_point_set){0};
}
