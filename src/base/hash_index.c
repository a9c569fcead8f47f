/* A hash table with open addressing. */
#include "base/hash_index.h"

#include <stdlib.h>

struct gt_hash_entry {
    gt_hash hash;
    uint32_t number;
    bool used;
};

/* Finds the hash's entry or, if there is none, the free entry for it. */
static struct gt_hash_entry *find_entry(struct gt_hash_entry *entries, uint32_t slots, gt_hash hash)
{
    uint32_t slot = (uint32_t)hash.low & (slots - 1);
    while (entries[slot].used && !gt_hash_equal(entries[slot].hash, hash)) {
        slot = (slot + 1) & (slots - 1);
    }
    return &entries[slot];
}

static gputune_status grow_index(gt_hash_index *index)
{
    uint32_t slots = index->slots ? 2 * index->slots : 256;
    struct gt_hash_entry *entries = calloc(slots, sizeof *entries);
    GT_TRY(gt_allocated(entries));
    for (uint32_t i = 0; i < index->slots; i++) {
        if (index->entries[i].used) {
            *find_entry(entries, slots, index->entries[i].hash) = index->entries[i];
        }
    }
    free(index->entries);
    index->entries = entries;
    index->slots = slots;
    return GPUTUNE_OK;
}

gputune_status gt_hash_index_intern(gt_hash_index *index, gt_hash hash, uint32_t candidate,
                                    uint32_t *number)
{
    if (2 * (index->count + 1) > index->slots) {
        GT_TRY(grow_index(index));
    }
    struct gt_hash_entry *entry = find_entry(index->entries, index->slots, hash);
    if (!entry->used) {
        *entry = (struct gt_hash_entry){hash, candidate, true};
        index->count++;
    }
    *number = entry->number;
    return GPUTUNE_OK;
}

bool gt_hash_index_find(uint32_t *number, const gt_hash_index *index, gt_hash hash)
{
    const struct gt_hash_entry *entry =
        index->slots ? find_entry(index->entries, index->slots, hash) : NULL;
    bool is_there = entry && entry->used;
    *number = is_there ? entry->number : 0;
    return is_there;
}

void gt_hash_index_free(gt_hash_index *index)
{
    free(index->entries);
    *index = (gt_hash_index){0};
}
