/* Scores replays of recorded spaces. */
#pragma once

#include <gputune_tools.h>

typedef struct replay_options {
    const gputune_strategy *strategies; /* NULL: AUTO */
    size_t strategy_count;
    const uint32_t *evaluations; /* numbers of results at which to score; NULL: 50, 100, 200 */
    size_t evaluation_count;
    uint32_t seeds; /* number of runs; 0: 100 */
    uint64_t seed;
    uint32_t workers; /* number of compile workers; 0: no clock and no overlap */
    gputune_log_fn log;
    void *user;           /* passed to log */
    volatile int *cancel; /* nonzero ends the call with ECANCELED, as in gputune_options */
} replay_options;

/* The result of a strategy on a recorded space. */
typedef struct replayed {
    const char *space, *strategy; /* `space`: the file's name without suffixes */
    uint32_t evaluations, seeds, workers;
    double mean_regret; /* best time so far / optimum - 1, mean over all runs */
    double seconds_to_5_percent, seconds_to_2_percent; /* medians on the virtual clock; 0 without
                                                          workers, or if not reached */
    uint64_t configurations,
        valid; /* number of recorded configurations; number of those with a time */
    double optimum_ns;
} replayed;
/* Runs strategies on a recorded space, and calls `each` for every strategy and number of
 * evaluations. The file is a Kernel Tuner cache or T4 results, plain or gzip, and at most 1 GB
 * unpacked; its closing braces may be missing. Fails with ENOTFOUND or EIO if the file cannot be
 * read, or with ERECORDED and a message with the line if the file has a mistake. */
int replay_score(const char *path, const replay_options *options,
                 int (*each)(void *user, const replayed *replayed), void *user);
