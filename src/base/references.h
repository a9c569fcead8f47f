/* A reference count that many threads change at once. While it is spread, each thread counts in a
 * part of its own, and no thread asks whether the count is zero: the owner holds a reference. When
 * the owner lets go, it gathers the parts, and the count is exact from then on. */
#pragma once

#include "base/readers.h"

enum { GT_REFERENCE_PARTS = 16 }; /* a power of two */

typedef struct gt_references {
    atomic_long sum;
    struct gt_reference_part {
        _Alignas(GT_LINE_BYTES) atomic_long twice; /* twice the part's count; odd: not in use */
    } parts[GT_REFERENCE_PARTS];
} gt_references;

/* Sets the count to one reference, the caller's, and does not spread it. The memory must have the
 * alignment of the type. */
void gt_references_init(gt_references *references);

static inline atomic_long *gt_own_part(gt_references *references)
{
    return &references->parts[gt_readers_place() % GT_REFERENCE_PARTS].twice;
}

/* Adds a reference. The caller holds one, or something else keeps the count above zero. An addition
 * to a part that is not in use does no harm: such a part holds no count. */
static inline void gt_references_add(gt_references *references)
{
    if (atomic_fetch_add_explicit(gt_own_part(references), 2, memory_order_relaxed) & 1) {
        atomic_fetch_add_explicit(&references->sum, 1, memory_order_relaxed);
    }
}

/* Drops a reference. True: it was the last one. */
static inline bool gt_references_drop(gt_references *references)
{
    return atomic_fetch_sub_explicit(gt_own_part(references), 2, memory_order_acq_rel) & 1 &&
           atomic_fetch_sub_explicit(&references->sum, 1, memory_order_acq_rel) == 1;
}

/* gt_references_spread() spreads the count over the parts, gt_references_gather() gathers it. The
 * caller holds a reference throughout, and is the only thread that calls either. */
void gt_references_spread(gt_references *references);
void gt_references_gather(gt_references *references);
