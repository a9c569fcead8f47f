/* A reference count that many threads change concurrently. While it is spread, each thread counts
 * in its own part and nobody tests for zero, because the owner holds a reference. When the owner
 * gathers the parts, the count becomes exact. */
#pragma once

#include "base/readers.h"

enum { GT_REFERENCE_PARTS = 16 }; /* a power of two */

typedef struct gt_references {
    atomic_long sum;
    struct gt_reference_part {
        _Alignas(GT_LINE_BYTES) atomic_long twice; /* twice the part's count; odd: unused */
    } parts[GT_REFERENCE_PARTS];
} gt_references;

/* Sets the count to one reference, the caller's, not spread. The memory must be aligned for the
 * type. */
void gt_references_init(gt_references *references);

static inline atomic_long *gt_own_part(gt_references *references)
{
    return &references->parts[gt_readers_place() % GT_REFERENCE_PARTS].twice;
}

/* Adds a reference. The caller holds one, or something else keeps the count above zero. Adding to
 * an unused part is harmless: its count is not read. */
static inline void gt_references_add(gt_references *references)
{
    if (atomic_fetch_add_explicit(gt_own_part(references), 2, memory_order_relaxed) & 1) {
        atomic_fetch_add_explicit(&references->sum, 1, memory_order_relaxed);
    }
}

/* Drops a reference. Returns true if it was the last one. */
static inline bool gt_references_drop(gt_references *references)
{
    return atomic_fetch_sub_explicit(gt_own_part(references), 2, memory_order_acq_rel) & 1 &&
           atomic_fetch_sub_explicit(&references->sum, 1, memory_order_acq_rel) == 1;
}

/* Spread and gather the count. The caller holds a reference throughout, and is the only thread that
 * calls either. */
void gt_references_spread(gt_references *references);
void gt_references_gather(gt_references *references);
