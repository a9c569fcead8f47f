/* Trials of a scenario's earlier tunings. A loaded history does not change. */
#pragma once

#include "kernel/space/space.h"
#include "store/store.h"

struct gt_request;

typedef gt_trial_list gt_history; /* sorted by hash; freed by gt_trial_list_free() */

/* Loads the trials of the request's scenario. Omits trials of earlier code (gt_request_stored()),
 * and failures with another driver, data or sizes. */
gputune_status gt_history_load(gt_history *out, const struct gt_request *request);
/* Finds a trial by its hash. Returns NULL if there is none. `history` may be NULL. */
const gt_trial *gt_history_find(const gt_history *history, gt_hash trial);
/* Returns the failure for which a trial is not repeated, or OK if it did not fail or its time limit
 * was shorter than the request's. A request that does not measure never launches a variant that
 * hung. */
gputune_status gt_history_failure(const gt_trial *trial, const struct gt_request *request);
/* Returns true if the configuration was proved with the request's data and sizes
 * (gt_request.proved_at) and the current driver. Returns false if the store cannot be read. */
bool gt_history_is_proved(const struct gt_request *request, const gt_config *config);
/* Returns an error if the configuration failed with the current driver. With `only_harm`, a slow
 * compile does not count, because launching its code is harmless. */
gputune_status gt_history_refutes(const struct gt_request *request, const gt_config *config,
                                  bool only_harm);
