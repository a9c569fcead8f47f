/* A growable set of points, which numbers its points from 0. */
#pragma once

#include "search/domain.h"

/* All zero is an empty set. One thread. */
typedef struct gt_point_set {
    gt_point *points; /* in the order in which they were added */
    uint32_t *slots;  /* open addressing: index into points, plus 1 */
    uint32_t count, capacity, slot_count;
} gt_point_set;

/* Finds or adds a point. *index is its place in `points`; a new point is added at the end, and
 * *is_new is true. ENOMEM. */
gputune_status gt_point_set_add(gt_point_set *set, const gt_point *point, uint32_t *index,
                                bool *is_new);
/* Enlarges *items, an array with elements of `bytes` bytes, to one element for each point that the
 * set has room for. *capacity is the array's length in elements. ENOMEM: the array is unchanged. */
gputune_status gt_point_set_widen(void **items, uint32_t *capacity, const gt_point_set *set,
                                  size_t bytes);
/* The point's index, or -1. */
int64_t gt_point_set_find(const gt_point_set *set, const gt_point *point);
void gt_point_set_clear(gt_point_set *set);
void gt_point_set_free(gt_point_set *set);
