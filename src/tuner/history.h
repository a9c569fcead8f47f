/* Trials of earlier tunings of a scenario. Immutable after loading. */
#pragma once

#include "kernel/space/space.h"
#include "store/store.h"

struct gt_request;

typedef gt_trial_list gt_history; /* sorted by hash; free with gt_trial_list_free() */

/* Loads the trials of the request's scenario. Omits trials of code that has changed
 * (gt_request_stored()), and failures with a different driver, data or sizes. */
gputune_status gt_history_load(gt_history *out, const struct gt_request *request);
/* Finds a trial by its hash; NULL if there is none. `history` may be NULL. */
const gt_trial *gt_history_find(const gt_history *history, gt_hash trial);
/* Returns the failure of a trial; OK if the variant should be tried: it did not fail, or only under
 * a shorter time limit. A variant that hung is tried again only by requests that measure. */
gputune_status gt_history_failure(const gt_trial *trial, const struct gt_request *request);
/* Returns true if the configuration was verified with the current driver, and with the request's
 * data and sizes (gt_request.proved_at). Returns false if the store cannot be read. */
bool gt_history_is_proved(const struct gt_request *request, const gt_config *config);
/* Fails if the configuration failed with the current driver. With `only_harm`, ignores slow
 * compiles, because launching such code is harmless. */
gputune_status gt_history_refutes(const struct gt_request *request, const gt_config *config,
                                  bool only_harm);
