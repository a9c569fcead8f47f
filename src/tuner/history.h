/* Trials of earlier tunings of a scenario. They do not change after they are loaded. */
#pragma once

#include "kernel/space/space.h"
#include "store/store.h"

struct gt_request;

typedef gt_trial_list gt_history; /* sorted by hash; free it with gt_trial_list_free() */

/* Loads the trials of a request's scenario. Leaves out trials of code that has changed
 * (gt_request_stored()), and failures under another driver or with other data or sizes. */
gputune_status gt_history_load(gt_history *out, const struct gt_request *request);
/* Finds a trial by hash. NULL if there is none, or if `history` is NULL. */
const gt_trial *gt_history_find(const gt_history *history, gt_hash trial);
/* Returns OK if the variant should be tried, otherwise the failure of its trial. It should be tried
 * if it did not fail, or exceeded a shorter limit than the request's. If it hung, only requests
 * that measure try it again. */
gputune_status gt_history_failure(const gt_trial *trial, const struct gt_request *request);
/* Returns true if the configuration was verified with the current driver and for the data and sizes
 * of the request (gt_request.proved_at). Returns false if the store cannot be read. */
bool gt_history_is_proved(const struct gt_request *request, const gt_config *config);
/* Fails if the configuration has failed with the current driver. If `only_harm`, ignores variants
 * that were only slow to compile, because launching them is harmless. */
gputune_status gt_history_refutes(const struct gt_request *request, const gt_config *config,
                                  bool only_harm);
