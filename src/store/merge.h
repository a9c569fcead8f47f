/* Merges databases into the user's file. */
#ifndef GT_STORE_MERGE_H
#define GT_STORE_MERGE_H

#include "store/store.h"

typedef struct gt_merged {
    int64_t trials, winners;             /* sound ones that the files have, together */
    int64_t taken_trials, taken_winners; /* rows that the user's file lacked, or had with no more
                                            evidence (GT_TEXT_TRIAL_EVIDENCE, _WINNER_EVIDENCE) */
} gt_merged;

/* Takes over what the files have: trials, winners and code, all or nothing. The files are only
 * read. EDATABASE, with the path, for a file that is missing, damaged, locked, or that others may
 * write; EBUSY and EDATABASE where the user's file cannot be written. */
gputune_status gt_store_merge(gt_merged *merged, gt_store *store, const char *const *paths,
                              size_t count, const gt_patience *patience);

#endif
