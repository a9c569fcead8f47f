/* What earlier tunings of a scenario found, by trial. Immutable once loaded. */
#ifndef GT_TUNER_HISTORY_H
#define GT_TUNER_HISTORY_H

#include "store/store.h"

typedef struct gt_history {
    gt_trial_list trials; /* sorted by hash */
} gt_history;

/* Loads the scenario's trials; an empty history where there are none. */
gputune_status gt_history_load(gt_history *out, gt_store *store, const char *environment,
                               const gt_scenario *scenario, int driver_version, int nvrtc_version);
void gt_history_free(gt_history *history);
/* The trial of that hash, or NULL; a NULL history knows nothing. */
const gt_trial *gt_history_find(const gt_history *history, gt_hash trial);
/* The fastest trial that is right, or NULL. */
const gt_trial *gt_history_best(const gt_history *history);
/* Whether it need not be tried again: it failed, or was eliminated as slower. */
bool gt_trial_settled(const gt_trial *trial);
/* The failure of a trial that failed; OK of one that did not. */
gputune_status gt_trial_failure(const gt_trial *trial);

#endif
