#include "tuner/history.h"

#include <stdlib.h>
#include <string.h>

static int compare_hashes(gt_hash a, gt_hash b)
{
    if (a.high != b.high) {
        return a.high < b.high ? -1 : 1;
    }
    return a.low == b.low ? 0 : a.low < b.low ? -1 : 1;
}

static int compare_trials(const void *a, const void *b)
{
    return compare_hashes(((const gt_trial *)a)->hash, ((const gt_trial *)b)->hash);
}

gputune_status gt_history_load(gt_history *out, gt_store *store, const char *environment,
                               const gt_scenario *scenario, int driver_version, int nvrtc_version)
{
    gt_history history = {0};
    GT_TRY(gt_store_trials(&history.trials, store, environment, scenario, driver_version,
                           nvrtc_version, NULL));
    if (history.trials.count) {
        qsort(history.trials.items, history.trials.count, sizeof *history.trials.items,
              compare_trials);
    }
    *out = history;
    return GPUTUNE_OK;
}

void gt_history_free(gt_history *history)
{
    gt_trial_list_free(&history->trials);
}

const gt_trial *gt_history_find(const gt_history *history, gt_hash trial)
{
    if (!history || !history->trials.count) {
        return NULL;
    }
    const gt_trial key = {.hash = trial};
    return bsearch(&key, history->trials.items, history->trials.count,
                   sizeof *history->trials.items, compare_trials);
}

const gt_trial *gt_history_best(const gt_history *history)
{
    const gt_trial *best = NULL;
    for (size_t i = 0; i < history->trials.count; i++) {
        const gt_trial *trial = &history->trials.items[i];
        bool right = trial->status == GT_TRIAL_OK || trial->status == GT_TRIAL_ELIMINATED;
        if (right && trial->time.count && (!best || trial->time.median < best->time.median)) {
            best = trial;
        }
    }
    return best;
}

bool gt_trial_settled(const gt_trial *trial)
{
    return trial->status != GT_TRIAL_OK;
}

gputune_status gt_trial_failure(const gt_trial *trial)
{
    switch (trial->status) {
    case GT_TRIAL_WRONG:
        return GPUTUNE_EWRONG;
    case GT_TRIAL_CRASHED:
        return GPUTUNE_ECRASHED;
    case GT_TRIAL_HUNG:
        return GPUTUNE_ETIMEOUT;
    case GT_TRIAL_COMPILE:
        return GPUTUNE_ECOMPILE;
    case GT_TRIAL_LAUNCH:
        return GPUTUNE_ECUDA;
    default:
        return GPUTUNE_OK;
    }
}
