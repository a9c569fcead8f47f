/* Which buffers of a launch must lie apart: one that is written, and another one. A proof had them
 * apart, so that nothing is known of a launch in which they overlap. */
#pragma once

#include "kernel/problem.h"

/* Two buffers, by their places among a launch's arguments. */
typedef struct gt_pair {
    uint64_t written_bytes, other_bytes;
    uint8_t written, other;
    bool may_coincide;    /* in_place() names them */
    bool can_be_declared; /* in_place() could name them */
} gt_pair;

typedef struct gt_pairs {
    gt_pair *items;
    uint32_t count;
} gt_pairs;

/* Lists the pairs of a workload. *out is for gt_pairs_free(). ENOMEM. */
gputune_status gt_pairs_make(gt_pairs *out, const gt_workload *workload);
void gt_pairs_free(gt_pairs *pairs);

/* Whether one byte belongs to both. */
static inline bool gt_pair_overlaps(const gt_pair *pair, const void *const *items)
{
    uintptr_t written = *(const uintptr_t *)items[pair->written];
    uintptr_t other = *(const uintptr_t *)items[pair->other];
    return other - written < pair->written_bytes || written - other < pair->other_bytes;
}

/* Judges a pair that overlaps: EINVAL, with the remedy, unless the buffers may coincide and do so,
 * or one of them is NULL. */
gputune_status gt_pair_judge(const gt_pair *pair, const char *kernel, const char *written,
                             const char *other, const void *const *items);
