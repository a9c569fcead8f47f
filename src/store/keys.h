/* Keys of scenarios and environments (keys.c), and rows of results (results.c). Functions that
 * write must be called in a transaction. */
#pragma once

#include "store/database.h"

/* Returns the hash of a scenario without its run-time sizes, for gt_store_find_nearest(). */
gt_hash gt_family_hash(const gt_scenario *scenario);

/* Reads a row of GT_SQL_RULES. The caller frees both parts, even after a failure. */
gputune_status gt_listed_rule_take(gt_listed_rule *out, gt_rows *rows);
/* Gets the row ids of the site's GPU and scenario, and adds missing rows. Updates problem, sizes,
 * work and the GPU's facts; with `offered`, sets the GPU's facts only if it has none. */
gputune_status gt_site_rows(int64_t *gpu, int64_t *scenario, gt_database *database,
                            const gt_site *site, bool offered);
/* Loads the images of the winner's code. If one is missing or damaged, it stays empty. */
gputune_status gt_winner_load_codes(gt_winner *winner, gt_database *database);
/* Stores compiled code that has an image and a source. */
gputune_status gt_code_put(gt_database *database, const gt_code *code);
/* Stores a rule like gt_store_put_rule(). `outcome` is a const gt_rule_outcome. */
gputune_status gt_rule_put(gt_database *database, void *outcome);
/* Stores a winner like gt_store_put_winner(). `outcome` is a const gt_outcome. */
gputune_status gt_winner_put(gt_database *database, void *outcome);
/* Writes the scenario's run-time sizes in the template's order, "67108864 1024". Returns out. */
enum { GT_SIZES_TEXT = 352 };
const char *gt_sizes_of(char out[GT_SIZES_TEXT], const gt_scenario *scenario);
/* Returns true if `wanted` selects the site. */
bool gt_is_wanted(const gt_wanted *wanted, const gt_site *site);
/* Returns the distance of two lists of sizes from gt_sizes_of(), or INFINITY if they cannot be
 * compared. It is a sum over all sizes. Each adds |log(size / wanted)|, where 0 counts as a half,
 * and |log| of the ratio of the greatest powers of two, up to 16, that divide the two sizes. The
 * second term is there because code that is fast if vectors and tiles fit is often slow, or wrong,
 * if they do not. */
double gt_sizes_distance(const char *wanted, const char *sizes);
/* Writes the time of `seconds_ago` seconds ago, as "2026-01-31T12:00:00Z". Returns out. */
enum { GT_TIMESTAMP = 24 };
const char *gt_timestamp(char out[GT_TIMESTAMP], double seconds_ago);
