/* A growable map from points to small numbers. */
#pragma once

#include "search/domain.h"

/* All zero is an empty one. One thread. */
typedef struct gt_point_set {
    gt_point *points; /* in the order in which they were added */
    uint32_t *slots;  /* open addressing: index into points, plus 1 */
    uint32_t count, capacity, slot_count;
} gt_point_set;

/* *index is where the point stands; a new one is added at the end (*is_new). ENOMEM. */
gputune_status gt_point_set_add(gt_point_set *set, const gt_point *point, uint32_t *index,
                                bool *is_new);
/* Makes *items, an array of elements of `bytes` bytes, as long as the set has room for points.
 * *capacity is the array's. ENOMEM, and the array is as it was. */
gputune_status gt_point_set_widen(void **items, uint32_t *capacity, const gt_point_set *set,
                                  size_t bytes);
/* The point's index, or -1. */
int64_t gt_point_set_find(const gt_point_set *set, const gt_point *point);
void gt_point_set_clear(gt_point_set *set);
void gt_point_set_free(gt_point_set *set);
