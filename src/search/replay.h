/* Runs a strategy against a recorded space on a virtual clock. Pure. */
#pragma once

#include "search/recorded.h"

typedef struct gt_replay_settings {
    gputune_strategy kind;
    uint64_t seed;
    uint32_t workers;     /* compile workers; 0: one configuration after another, without a clock */
    uint32_t evaluations; /* how many results to go to, failures included */
    double reach[2];      /* with workers: go on until the best is within this fraction of the
                             optimum, the larger one first */
} gt_replay_settings;

enum { GT_REPLAY_MOST = 5000 }; /* results, beyond which nothing is waited for */

typedef struct gt_replay_result {
    double *best_ns;  /* of settings.evaluations: the best after 1, 2, ... results; the slowest of
                         the space while there is none. The caller's array */
    double *time_ns;  /* of as many: of each result, 0 of a failure; or NULL */
    uint64_t results; /* in all */
    double reached_s[2]; /* when; infinite: not within GT_REPLAY_MOST results */
} gt_replay_result;

/* With workers: they compile side by side, and one GPU has the first launches, proofs and samples
 * to do, with their costs as recorded. What is compiled ahead and what the GPU does next is decided
 * as in a tuning (search/schedule.h). What is slower than the best so far by more than 15% has one
 * launch, the others five, or as many as are recorded; a strategy is told after the first, or after
 * the proof. EINVAL, ENOMEM. */
gputune_status gt_replay(gt_replay_result *out, const gt_recorded *recorded,
                         const gt_replay_settings *settings);
