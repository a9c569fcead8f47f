/* Keys of scenarios and environments (keys.c), and functions of results.c for the store. */
#pragma once

#include "store/database.h"

/* Returns the hash of the scenario without run-time sizes, by which `nearest` finds it. */
gt_hash gt_family_hash(const gt_scenario *scenario);

/* Reads a row of GT_SQL_RULES. gt_columns_free() releases its two parts, also after a failure. */
gputune_status gt_listed_rule_take(gt_listed_rule *out, gt_rows *rows);
/* Gets the ids of the site's GPU and scenario, and adds missing rows. Updates the GPU's facts (with
 * `offered` only if the row has none), the problem, sizes and work. Needs a transaction. */
gputune_status gt_site_rows(int64_t *gpu, int64_t *scenario, gt_database *database,
                            const gt_site *site, bool offered);
/* Loads the images of the winner's code. A missing or damaged one stays empty. */
gputune_status gt_winner_load_codes(gt_winner *winner, gt_database *database);
/* Stores compiled code, in a transaction. Does nothing without an image or a source. */
gputune_status gt_code_put(gt_database *database, const gt_code *code);
/* Stores a const gt_rule_outcome as gt_store_put_rule() does, in a transaction. */
gputune_status gt_rule_put(gt_database *database, void *outcome);
/* Stores a const gt_outcome as gt_store_put_winner() does, inside a transaction. */
gputune_status gt_winner_put(gt_database *database, void *outcome);
/* Writes the scenario's run-time sizes in the template's order, "67108864 1024". Returns out. */
enum { GT_SIZES_TEXT = 352 };
const char *gt_sizes_of(char out[GT_SIZES_TEXT], const gt_scenario *scenario);
/* Returns true if `wanted` selects the site. */
bool gt_is_wanted(const gt_wanted *wanted, const gt_site *site);
/* Returns the distance of two lists of sizes, as written by gt_sizes_of(): the sum over all sizes
 * of |log(size / wanted)|, where 0 counts as a half, plus |log| of the ratio of the greatest powers
 * of two, up to 16, that divide the two. The second term counts because code that is fast if
 * vectors and tiles fit is often slow, or wrong, if they do not. INFINITY if the lists cannot be
 * compared. */
double gt_sizes_distance(const char *wanted, const char *sizes);
/* The time `seconds_ago` seconds ago in UTC, "2026-01-31T12:00:00Z". Returns out. */
enum { GT_TIMESTAMP = 24 };
const char *gt_timestamp(char out[GT_TIMESTAMP], double seconds_ago);
