/* Trials of a scenario's earlier tunings, from any race. A loaded history does not change. */
#pragma once

#include "kernel/space/space.h"
#include "store/store.h"

struct gt_request;

typedef gt_trial_list gt_history; /* sorted by hash; for gt_trial_list_free() */

/* Loads the trials of a scenario of the request, `scenario` or `here`. Leaves out trials whose
 * configuration has another source or launch now (gt_request_stored()), so users may compare
 * configurations, and failures with another driver, data or sizes (gt_request.proved_at). */
gputune_status gt_history_load(gt_history *out, const struct gt_request *request,
                               const gt_scenario *scenario);
/* The trial of that hash, or NULL. `history` may be NULL, and then has no trials. */
const gt_trial *gt_history_find(const gt_history *history, gt_hash trial);
/* Returns the failure for which a trial is not tried again. OK: it was right, or had a shorter
 * limit than the request's. A request that does not measure never launches what did not end. */
gputune_status gt_history_failure(const gt_trial *trial, const struct gt_request *request);
/* Returns true if the configuration was proved right with the data and sizes of the request's proof
 * (gt_request.proved_at) and with the present driver. False, too, where that cannot be read. */
bool gt_history_is_proved(const struct gt_request *request, const gt_config *config);
/* Fails, with a message, as the configuration failed with the present driver. OK: it did not.
 * `only_harm`: a compile that took too long is none, as it harms no caller that launches it. */
gputune_status gt_history_refutes(const struct gt_request *request, const gt_config *config,
                                  bool only_harm);
