/* Keys of scenarios and environments (keys.c), and functions that results.c has for the store. */
#pragma once

#include "store/database.h"

/* The hash of the scenario without run-time sizes, by which `nearest` finds scenarios. */
gt_hash gt_family_hash(const gt_scenario *scenario);

/* Sets the rows of a site's GPU and scenario, adding missing ones. Stored rows take over the GPU's
 * facts (only offered: if there are none), problem, sizes and work. In a transaction. */
gputune_status gt_site_rows(int64_t *gpu, int64_t *scenario, gt_database *database,
                            const gt_site *site, bool offered);
/* Reads the images of the winner's code. A missing or damaged one stays empty, to be compiled. */
gputune_status gt_winner_load_codes(gt_winner *winner, gt_database *database);
/* Does gt_store_put_winner() in this database with a const gt_outcome, within a transaction. */
gputune_status gt_winner_put(gt_database *database, void *outcome);
/* Writes the scenario's run-time sizes in the template's order, "67108864 1024". Returns out. */
enum { GT_SIZES_TEXT = 352 };
const char *gt_sizes_of(char out[GT_SIZES_TEXT], const gt_scenario *scenario);
/* Returns true if `wanted` asks for what is stored there. */
bool gt_is_wanted(const gt_wanted *wanted, const gt_site *site);
/* How far sizes are from those that are wanted, both as gt_sizes_of() writes them: the sum over all
 * sizes of |log(size / wanted size)|, where 0 counts as a half, plus |log| of the ratio of the
 * greatest powers of two, up to 16, that divide the two. The second term is there because code that
 * is fast where vectors and tiles fit is often slow, or wrong, where they do not. INFINITY where
 * the sizes cannot be compared. */
double gt_sizes_distance(const char *wanted, const char *sizes);
/* The time `seconds_ago` seconds ago in UTC, "2026-01-31T12:00:00Z". Returns out. */
enum { GT_TIMESTAMP = 24 };
const char *gt_timestamp(char out[GT_TIMESTAMP], double seconds_ago);
