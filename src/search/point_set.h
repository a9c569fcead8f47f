/* A growable set of points, which numbers its points from 0 and may keep something with each. */
#pragma once

#include "search/domain.h"

/* All zero is an empty set of points alone. One thread. */
typedef struct gt_point_set {
    size_t item_bytes; /* of the structs that are kept, which begin with their point; 0: the items
                          are points */
    void *items;       /* in the order in which they were added */
    uint32_t *slots;   /* open addressing: index into items, plus 1 */
    uint32_t count, capacity, slot_count;
} gt_point_set;

/* Finds or adds a point. *index is its place in `items`, which may move; a new point is added at
 * the end, *is_new is true, and the caller sets what is behind it. ENOMEM. */
gputune_status gt_point_set_add(gt_point_set *set, const gt_point *point, uint32_t *index,
                                bool *is_new);
/* The point's index, or -1. */
int64_t gt_point_set_find(const gt_point_set *set, const gt_point *point);
void gt_point_set_clear(gt_point_set *set);
void gt_point_set_free(gt_point_set *set);
