/* The trials of earlier tunings of a scenario. A trial is evidence about the code and the launch of
 * a configuration, whatever race that configuration was in. A history does not change once it is
 * loaded. */
#pragma once

#include "kernel/space/space.h"
#include "store/store.h"

struct gt_request;

typedef gt_trial_list gt_history; /* sorted by hash; for gt_trial_list_free() */

/* Loads the trials of a scenario of the request, `scenario` or `here`; the history is empty if
 * there are none. Leaves out trials whose configuration has another source or launch by now
 * (gt_request_stored()): every user of the history may compare configurations. Leaves out failures
 * that were seen with another driver, or in a proof with other data or sizes
 * (gt_request.proved_at). */
gputune_status gt_history_load(gt_history *out, const struct gt_request *request,
                               const gt_scenario *scenario);
/* The trial of that hash, or NULL. `history` may be NULL, and then has no trials. */
const gt_trial *gt_history_find(const gt_history *history, gt_hash trial);
/* The failure for which a trial is not tried again. OK if the trial was right, or if it only did
 * not finish within a limit that was shorter than the request's. What did not end is no answer of a
 * request that measures nothing, whatever its limit: the application would launch it. */
gputune_status gt_history_failure(const gt_trial *trial, const struct gt_request *request);
/* Returns true if the configuration was proved right with the data and sizes of the request's proof
 * (gt_request.proved_at) and with the present driver. False, too, where that cannot be read. */
bool gt_history_is_proved(const struct gt_request *request, const gt_config *config);
/* Fails, with a message, as the configuration is known to have failed with the present driver. OK:
 * no failure is known. `only_harm`: a compile that did not end within a limit is no failure, as it
 * does not harm a caller who launches the configuration. */
gputune_status gt_history_refutes(const struct gt_request *request, const gt_config *config,
                                  bool only_harm);
