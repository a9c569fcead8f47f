/* A table from content hashes to numbers. */
#pragma once

#include "base/hash.h"
#include "base/status.h"

/* An index that is all zero is empty. Only one thread at a time may use an index. */
typedef struct gt_hash_index {
    struct gt_hash_entry *entries; /* open addressing */
    uint32_t slots, count;
} gt_hash_index;

/* Sets *number to the number that was first given for this hash; a new hash gets `candidate`.
 * ENOMEM leaves the index unchanged. */
gputune_status gt_hash_index_intern(gt_hash_index *index, gt_hash hash, uint32_t candidate,
                                    uint32_t *number);
/* Whether a number was given for this hash. If so, sets *number to it. */
bool gt_hash_index_find(uint32_t *number, const gt_hash_index *index, gt_hash hash);
void gt_hash_index_free(gt_hash_index *index);
