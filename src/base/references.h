/* A reference count that many threads change at once. While it is spread, each thread counts in a
 * part of its own, and nobody asks for zero: the owner holds a reference. When the owner lets go,
 * it gathers the parts, and the count is exact from then on. */
#ifndef GT_BASE_REFERENCES_H
#define GT_BASE_REFERENCES_H

#include <stdatomic.h>
#include <stdbool.h>

enum { GT_REFERENCE_PARTS = 16 }; /* a power of two */

typedef struct gt_references {
    atomic_long sum;
    struct gt_reference_part {
        _Alignas(128) atomic_long twice; /* twice the part's count; odd: not in use */
    } parts[GT_REFERENCE_PARTS];
} gt_references;

/* One reference, the caller's, not spread. The memory is aligned as the type is. */
void gt_references_init(gt_references *references);

/* The caller holds a reference, or is kept from losing the last one otherwise. */
void gt_references_add(gt_references *references);
/* True: that was the last one. */
bool gt_references_drop(gt_references *references);

/* Spreads and gathers the count. The caller holds a reference throughout, and is the only thread
 * that does either. */
void gt_references_spread(gt_references *references);
void gt_references_gather(gt_references *references);

#endif
