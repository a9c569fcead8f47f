/* A distributed reference count. */
#include "base/references.h"

#include <limits.h>

static const long spread_bias = LONG_MAX / 2; /* keeps the sum above zero while it is spread */

void gt_references_init(gt_references *references)
{
    atomic_init(&references->sum, 1);
    for (int i = 0; i < GT_REFERENCE_PARTS; i++) {
        atomic_init(&references->parts[i].twice, 1);
    }
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
