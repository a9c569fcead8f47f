/* Scores replays of recorded spaces. */
#pragma once

#include <gputune_tools.h>

typedef struct replay_options {
    const gputune_strategy *strategies; /* NULL: AUTO */
    size_t strategy_count;
    const uint32_t *evaluations; /* numbers of results after which to score; NULL: 50, 100, 200 */
    size_t evaluation_count;
    uint32_t seeds; /* number of runs; 0: 100 */
    uint64_t seed;
    uint32_t workers; /* number of compile workers; 0: no virtual clock */
    gputune_log_fn log;
    void *user;           /* passed to log */
    volatile int *cancel; /* if nonzero, the call ends with ECANCELED, as in gputune_options */
} replay_options;

/* The result of a strategy on a recorded space. */
typedef struct replayed {
    const char *space, *strategy; /* `space` is the name of the file without suffixes */
    uint32_t evaluations, seeds, workers;
    double mean_regret; /* mean of (best time so far / optimum - 1) over all runs */
    double seconds_to_5_percent, seconds_to_2_percent; /* medians on the virtual clock; 0 without
                                                          workers, or if not reached */
    uint64_t configurations, valid; /* recorded configurations; those with a time */
    double optimum_ns;
} replayed;
/* Runs strategies on a recorded space, and calls `each` for every strategy and number of
 * evaluations. The file is a Kernel Tuner cache or has T4 results. It is plain or gzip, has at most
 * 1 GB unpacked, and may lack closing braces. Fails with ENOTFOUND or EIO if the file cannot be
 * read, or with ERECORDED and a message with the line if the file has a mistake. */
int replay_score(const char *path, const replay_options *options,
                 int (*each)(void *user, const replayed *replayed), void *user);
