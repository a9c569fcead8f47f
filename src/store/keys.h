/* Keys of scenarios and environments (keys.c), and rows of results (results.c). Functions that
 * write must be called within a transaction. */
#pragma once

#include "store/database.h"

/* Returns the hash of a scenario's family: of all its members except the run-time sizes. */
gt_hash gt_family_hash(const gt_scenario *scenario);

/* Returns the key of a scenario on a kind of GPU. The scenario is given by its hash. */
static inline gt_hash gt_site_key(const char *environment, gt_hash scenario)
{
    return gt_hash_join(gt_hash_string(environment), scenario);
}
/* Reads a row of GT_SQL_RULES. The caller must free the site and the rule, even after a failure. */
gputune_status gt_listed_rule_take(gt_listed_rule *out, gt_rows *rows);
/* Adds missing rows for a site's GPU and scenario, and returns their row ids. Updates the problem,
 * sizes and work of the scenario, and the properties of the GPU. With `offered`, sets the
 * properties only if none are stored. */
gputune_status gt_site_rows(int64_t *gpu, int64_t *scenario, gt_database *database,
                            const gt_site *site, bool offered);
/* Loads the code of a winner. If code is missing or damaged, its image stays empty. */
gputune_status gt_winner_load_codes(gt_winner *winner, gt_database *database);
/* Stores compiled code. Skips code without an image or with an unknown source. */
gputune_status gt_codes_put(gt_database *database, const gt_code *codes, size_t count);
/* Stores a rule (see gt_store_put_rule()). `outcome` points to a const gt_rule_outcome. */
gputune_status gt_rule_put(gt_database *database, void *outcome);
/* Stores a winner (see gt_store_put_winner()). `outcome` points to a const gt_outcome. */
gputune_status gt_winner_put(gt_database *database, void *outcome);
/* Writes the run-time sizes of a scenario, such as "67108864 1024", to `out`, and returns it. Their
 * order is that of the template. */
enum { GT_SIZES_TEXT = 352 };
const char *gt_sizes_of(char out[GT_SIZES_TEXT], const gt_scenario *scenario);
/* Returns true if the selection `wanted` includes the site. */
bool gt_is_wanted(const gt_wanted *wanted, const gt_site *site);
/* Returns the distance of two lists of sizes from gt_sizes_of(); INFINITY if they cannot be
 * compared. For each size, it adds |log(size / wanted)|, where 0 is taken as 1/2. It also adds
 * |log(a / b)|, where a and b are the largest powers of two that divide the two sizes, but at most
 * 16. Divisibility matters: code is often slow or wrong at a size that its vectors and tiles do not
 * divide. */
double gt_sizes_distance(const char *wanted, const char *sizes);
/* Writes the time `seconds_ago` seconds ago, as "2026-01-31T12:00:00Z", to `out`. Returns `out`. */
enum { GT_TIMESTAMP = 24 };
const char *gt_timestamp(char out[GT_TIMESTAMP], double seconds_ago);
