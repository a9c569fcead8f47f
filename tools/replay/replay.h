/* Replays a search strategy on a recorded space, with a virtual clock. Pure functions. */
#pragma once

#include "replay/recorded.h"

typedef struct gt_replay_settings {
    gputune_strategy kind;
    uint64_t seed;
    uint32_t workers;     /* number of compile workers; 0: replay without a clock */
    uint32_t evaluations; /* number of results, including failures, after which the replay ends */
    double reach[2]; /* if there are workers, the replay continues until the best time is within
                        these fractions of the optimum; the larger fraction is first */
} gt_replay_settings;

enum { GT_REPLAY_MOST = 5000 }; /* maximum number of results while `reach` is not reached */

typedef struct gt_replay_result {
    double *best_ns; /* best time after each of settings.evaluations results, or the slowest time of
                        the space before the first success; owned by the caller */
    double *time_ns; /* times of these results, 0 for a failure; owned by the caller, or NULL */
    uint64_t results;    /* total number of results */
    double reached_s[2]; /* virtual seconds until each settings.reach was reached, or infinite */
} gt_replay_result;

/* Replays a search. If there are workers, sources are compiled in parallel, and one GPU runs the
 * first launches, verifications and samples, which take the recorded times. As in a tuning,
 * search/schedule.h determines how far compiling runs ahead and what the GPU does next. If a
 * configuration is more than 15% slower than the best so far, it is launched once; otherwise five
 * times, or as often as recorded. The strategy gets the result after the first launch or the
 * verification. Fails with EINVAL or ENOMEM. */
gputune_status gt_replay(gt_replay_result *out, const gt_recorded *recorded,
                         const gt_replay_settings *settings);
