/* What earlier tunings of a scenario found, by trial: evidence about configurations, whatever race
 * they were in. Immutable once loaded. */
#pragma once

#include "kernel/space.h"
#include "store/store.h"

struct gt_request;

typedef struct gt_history {
    gt_trial_list trials; /* sorted by hash */
} gt_history;

/* Loads the trials of the request's scenario; an empty history where there are none. Failures that
 * were met with another driver, or in a proof at something else (gt_request.proved_at), are left
 * out. */
gputune_status gt_history_load(gt_history *out, const struct gt_request *request);
/* The same of the request's own sizes alone (gt_request.here). */
gputune_status gt_history_load_here(gt_history *out, const struct gt_request *request);
void gt_history_free(gt_history *history);
/* The trial of that hash, or NULL; a NULL history knows nothing. */
const gt_trial *gt_history_find(const gt_history *history, gt_hash trial);
/* The fastest right trial of the request's own space, and its time; zero and 0 if there is none. */
gputune_status gt_history_champion(gt_hash *trial, double *time_ns, const gt_history *history,
                                   const struct gt_request *request);
/* Whether a time of an earlier tuning is so far behind the best that its variant cannot win. */
bool gt_history_is_slower(double time_ns, double best_ns, const struct gt_request *request);
/* Whether a trial that is right is so much slower than `champion_ns` (0: no) that it cannot win, in
 * spite of what may differ between two tunings: clocks, temperature, and that it may have been
 * sampled once only. */
bool gt_history_is_outclassed(const gt_trial *trial, double champion_ns,
                              const struct gt_request *request);
/* The failure that the trial is remembered for; OK if it was right, or did not finish within a
 * shorter limit than the request's. */
gputune_status gt_history_failure(const gt_trial *trial, const struct gt_request *request);
/* The trial of a configuration in the request's scenario, or NULL. It lives as long as the history,
 * which is for gt_history_free(). */
gputune_status gt_history_find_config(const gt_trial **out, gt_history *history,
                                      const struct gt_request *request, const gt_config *config);
/* Whether the configuration is known to be right at what the request is proved at, with the present
 * driver. */
gputune_status gt_history_is_proved(bool *out, const struct gt_request *request,
                                    const gt_config *config);
/* The failure that is known of a configuration with the present driver, with a message. OK: none is
 * known. */
gputune_status gt_history_refutes(const struct gt_request *request, const gt_config *config);
/* The same of failures that would harm who launches it: that its compile did not end within a limit
 * is none. */
gputune_status gt_history_warns(const struct gt_request *request, const gt_config *config);
