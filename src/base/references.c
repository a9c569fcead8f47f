/* A reference count in parts. */
#include "base/references.h"

#include "base/readers.h"

#include <limits.h>

static const long spread_bias = LONG_MAX / 2; /* keeps the sum from zero while it is spread */

void gt_references_init(gt_references *references)
{
    atomic_init(&references->sum, 1);
    for (int i = 0; i < GT_REFERENCE_PARTS; i++) {
        atomic_init(&references->parts[i].twice, 1);
    }
}

static atomic_long *own_part(gt_references *references)
{
    return &references->parts[gt_readers_place() % GT_REFERENCE_PARTS].twice;
}

void gt_references_add(gt_references *references)
{
    if (atomic_fetch_add_explicit(own_part(references), 2, memory_order_relaxed) & 1) {
        atomic_fetch_add_explicit(&references->sum, 1, memory_order_relaxed);
    }
}

/* A part that is not in use holds no count, so what was added to it does not matter. */
bool gt_references_drop(gt_references *references)
{
    return atomic_fetch_sub_explicit(own_part(references), 2, memory_order_acq_rel) & 1 &&
           atomic_fetch_sub_explicit(&references->sum, 1, memory_order_acq_rel) == 1;
}

void gt_references_spread(gt_references *references)
{
    atomic_fetch_add(&references->sum, spread_bias);
    for (int i = 0; i < GT_REFERENCE_PARTS; i++) {
        atomic_store(&references->parts[i].twice, 0);
    }
}

void gt_references_gather(gt_references *references)
{
    long counted = 0;
    for (int i = 0; i < GT_REFERENCE_PARTS; i++) {
        counted += (atomic_fetch_or(&references->parts[i].twice, 1)) / 2;
    }
    atomic_fetch_add(&references->sum, counted - spread_bias);
}
