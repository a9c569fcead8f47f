/* Keys of scenarios and environments (keys.c), and what the files of the tables do for each other:
 * trials.c, winner.c. */
#pragma once

#include "store/database.h"
#include "store/store.h"

/* The scenario's key without its run-time sizes: what `nearest` may cross. */
gt_hash gt_family_hash(const gt_scenario *scenario);

/* The rows of an environment and of a scenario, made when missing; the scenario's problem, sizes
 * and work become this one's. Within a transaction. */
gputune_status gt_gpu_row(int64_t *out, gt_database *database, const char *environment);
/* Sets what is shown of an environment that has a row. */
gputune_status gt_gpu_set(gt_database *database, const char *environment,
                          const gt_gpu_facts *facts);
gputune_status gt_scenario_row(int64_t *out, gt_database *database, const gt_scenario *scenario);
/* Adds or replaces trials, as measured at the time `now`; those that are stored with a time that is
 * not before `since` (NULL: none is) keep it. */
gputune_status gt_trial_rows(gt_database *database, int64_t gpu, int64_t scenario, const char *now,
                             const char *since, const gt_trial *trials, size_t count);
/* Fills the winner's images; what is missing or damaged stays empty, as it can be compiled again.
 */
gputune_status gt_winner_load_codes(gt_winner *winner, gt_database *database);
/* As gt_store_put_winner(), in this database. Within a transaction. */
gputune_status gt_winner_put(gt_database *database, const gt_outcome *outcome);
/* Seven columns: samples, median, mean, stddev, low, high, min. */
gt_summary gt_rows_summary(gt_rows *rows);
/* "67108864 1024" of sizes, and back; returns the count. */
enum { GT_SIZES_TEXT = 22 * GT_SCENARIO_SIZES };
const char *gt_sizes_text(char out[GT_SIZES_TEXT], const int64_t *sizes, uint32_t count);
uint32_t gt_sizes_parse(int64_t out[GT_SCENARIO_SIZES], const char *text);
/* Whether what is of this kernel, GPU and sizes is asked for. */
bool gt_is_wanted(const gt_wanted *wanted, const char *kernel, const char *gpu,
                  const char *environment, const char *sizes);
/* How far sizes are from those of a scenario: the sum of |log(size / wanted)|, where 0 counts as a
 * half, and of |log| of the ratio of the powers of two, up to 16, that divide them: what is fast
 * where vectors and tiles fit is often slow, or wrong, where they do not. INFINITY where they
 * cannot be compared. */
double gt_sizes_distance(const gt_scenario *wanted, const int64_t *sizes, uint32_t count);
/* The time so many seconds ago in UTC, "2026-01-31T12:00:00Z". */
enum { GT_TIMESTAMP = 24 };
const char *gt_timestamp(char out[GT_TIMESTAMP], double seconds_ago);
