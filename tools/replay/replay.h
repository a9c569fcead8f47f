/* Replays a search strategy on a recorded space with a virtual clock. Pure. */
#pragma once

#include "replay/recorded.h"

typedef struct gt_replay_settings {
    gputune_strategy kind;
    uint64_t seed;
    uint32_t workers;     /* number of compile workers; 0: replay without a clock */
    uint32_t evaluations; /* number of results, including failures, after which the replay ends */
    double reach[2];      /* with workers, the replay continues until the best time is within these
                             fractions of the optimum; the larger fraction comes first */
} gt_replay_settings;

enum { GT_REPLAY_MOST = 5000 }; /* number of results after which `reach` is given up */

typedef struct gt_replay_result {
    double *best_ns;  /* best time after each of settings.evaluations results; owned by the caller.
                         Before the first success, the slowest time of the space */
    double *time_ns;  /* times of these results, 0 for a failure; owned by the caller, or NULL */
    uint64_t results; /* total number of results */
    double reached_s[2]; /* virtual seconds until settings.reach; infinite if never reached */
} gt_replay_result;

/* Replays a search. With workers, sources compile in parallel, and one GPU runs first launches,
 * verifications and samples, with the recorded costs. As in a tuning, search/schedule.h determines
 * how far compiling runs ahead and what the GPU does next. A configuration that is more than 15%
 * slower than the best so far is launched once, others five times or as often as recorded. The
 * strategy gets a result after a first launch or a verification. Fails with EINVAL or ENOMEM. */
gputune_status gt_replay(gt_replay_result *out, const gt_recorded *recorded,
                         const gt_replay_settings *settings);
