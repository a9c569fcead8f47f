/* A hash table that maps content hashes to numbers. */
#pragma once

#include "base/hash.h"
#include "base/status.h"

/* A hash index, empty if zeroed. Not thread-safe. */
typedef struct gt_hash_index {
    struct gt_hash_entry *entries; /* open addressing */
    uint32_t slots, count;
} gt_hash_index;

/* Sets *number to the number stored for a hash. If there is none, stores `candidate`. Fails only
 * with ENOMEM. */
gputune_status gt_hash_index_intern(gt_hash_index *index, gt_hash hash, uint32_t candidate,
                                    uint32_t *number);
/* Returns true and sets *number if a number is stored for this hash. */
bool gt_hash_index_find(uint32_t *number, const gt_hash_index *index, gt_hash hash);
void gt_hash_index_free(gt_hash_index *index);
