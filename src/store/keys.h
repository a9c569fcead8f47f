/* Keys of scenarios and environments (keys.c), and functions that results.c offers to the other
 * files of the store. */
#pragma once

#include "store/database.h"

/* The hash of the scenario without its run-time sizes. A lookup by `nearest` searches all scenarios
 * of this hash. */
gt_hash gt_family_hash(const gt_scenario *scenario);

/* Sets the facts that records show of an environment's GPU. The environment must have a row. */
gputune_status gt_gpu_set(gt_database *database, const char *environment,
                          const gt_gpu_facts *facts);
/* Sets *out to the row number of a scenario, and adds the row when it is missing. A stored scenario
 * takes over the problem, sizes and work of *scenario. Within a transaction. */
gputune_status gt_scenario_row(int64_t *out, gt_database *database, const gt_scenario *scenario);
/* Reads the images of the winner's code. An image that is missing or damaged stays empty, because
 * it can be compiled again. */
gputune_status gt_winner_load_codes(gt_winner *winner, gt_database *database);
/* Does what gt_store_put_winner() promises with `outcome`, a const gt_outcome, in this database.
 * Within a transaction. */
gputune_status gt_winner_put(gt_database *database, void *outcome);
/* Sizes as text, "67108864 1024", and back. gt_sizes_parse() returns how many sizes it read. */
enum { GT_SIZES_TEXT = 22 * GT_SCENARIO_SIZES };
const char *gt_sizes_text(char out[GT_SIZES_TEXT], const int64_t *sizes, uint32_t count);
uint32_t gt_sizes_parse(int64_t out[GT_SCENARIO_SIZES], const char *text);
/* Whether `wanted` asks for what is stored there. */
bool gt_is_wanted(const gt_wanted *wanted, const gt_place *place);
/* How far `sizes` are from those of the scenario `wanted`: the sum over all sizes of |log(size /
 * wanted size)|, where 0 counts as a half, plus |log| of the ratio of the greatest powers of two,
 * up to 16, that divide the two. The second term is there because code that is fast where vectors
 * and tiles fit is often slow, or wrong, where they do not. INFINITY where the sizes cannot be
 * compared. */
double gt_sizes_distance(const gt_scenario *wanted, const int64_t *sizes, uint32_t count);
/* The time `seconds_ago` seconds ago in UTC, "2026-01-31T12:00:00Z". Returns out. */
enum { GT_TIMESTAMP = 24 };
const char *gt_timestamp(char out[GT_TIMESTAMP], double seconds_ago);
