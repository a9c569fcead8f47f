/* A hash table of points with linear probing. */
#include "search/point_set.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 64 };

static uint32_t *slot_of(const gt_point_set *set, const gt_point *point)
{
    uint32_t mask = set->slot_count - 1;
    for (uint32_t at = (uint32_t)gt_point_hash(point) & mask;; at = (at + 1) & mask) {
        uint32_t *slot = &set->slots[at];
        if (!*slot || gt_point_equal(&set->points[*slot - 1], point)) {
            return slot;
        }
    }
}

static gputune_status grow(gt_point_set *set)
{
    uint32_t capacity = set->capacity ? 2 * set->capacity : FIRST;
    gt_point *points = realloc(set->points, capacity * sizeof *points);
    GT_TRY(gt_allocated(points));
    set->points = points;
    uint32_t *slots = calloc((size_t)capacity * 2, sizeof *slots);
    GT_TRY(gt_allocated(slots));
    free(set->slots);
    set->slots = slots;
    set->capacity = capacity;
    set->slot_count = 2 * capacity;
    for (uint32_t i = 0; i < set->count; i++) {
        *slot_of(set, &set->points[i]) = i + 1;
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
        set->points[set->count] = *point;
        *slot = ++set->count;
    }
    *index = *slot - 1;
    return GPUTUNE_OK;
}

gputune_status gt_point_set_widen(void **items, uint32_t *capacity, const gt_point_set *set,
                                  size_t bytes)
{
    if (*capacity >= set->capacity) {
        return GPUTUNE_OK;
    }
    void *wider = realloc(*items, set->capacity * bytes);
    GT_TRY(gt_allocated(wider));
    *items = wider;
    *capacity = set->capacity;
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
    free(set->points);
    free(set->slots);
    *set = (gt_point_set){0};
}
