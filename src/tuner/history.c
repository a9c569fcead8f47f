/* Trials of earlier tunings. */
#include "tuner/history.h"

#include "base/array.h"
#include "tuner/outcome.h"
#include "tuner/request.h"

#include <stdlib.h>
#include <string.h>

static int compare_trials(const void *a, const void *b)
{
    return memcmp(&((const gt_trial *)a)->hash, &((const gt_trial *)b)->hash, sizeof(gt_hash));
}

static bool is_at(const gt_trial *trial, const gt_request *request)
{
    return trial->proved_at && strcmp(trial->proved_at, request->proved_at) == 0;
}

/* Loads the trials. If `checked`, leaves out those of code that has changed. */
static gputune_status load_trials(gt_history *out, const gt_request *request, bool checked)
{
    GT_SCOPED(gt_trial_list_free) gt_history history = {0};
    GT_TRY(gt_store_trials(&history, request->services->store, &request->scenario,
                           request->device->driver_version, &request->patience));
    for (size_t i = history.count; i-- > 0;) {
        gt_config config;
        gt_trial *trial = &history.items[i];
        gputune_status status =
            checked ? gt_request_stored(&config, request, trial->config, trial->hash) : GPUTUNE_OK;
        if (status == GPUTUNE_ENOTFOUND) {
            gt_trial_list_drop(&history, i);
            continue;
        }
        GT_TRY(status);
        bool fails_anywhere = trial->status == GT_TRIAL_COMPILE || trial->status == GT_TRIAL_SLOW;
        if (gt_trial_failure(trial->status) != GPUTUNE_OK && !fails_anywhere &&
            !is_at(trial, request)) {
            trial->status = GT_TRIAL_UNPROVED;
        }
    }
    gt_array_sort(&history, compare_trials);
    *out = gt_take(&history);
    return GPUTUNE_OK;
}

gputune_status gt_history_load(gt_history *out, const gt_request *request)
{
    return load_trials(out, request, true);
}

const gt_trial *gt_history_find(const gt_history *history, gt_hash trial)
{
    if (!history || !history->count) {
        return NULL;
    }
    const gt_trial key = {.hash = trial};
    return bsearch(&key, history->items, history->count, sizeof *history->items, compare_trials);
}

gputune_status gt_history_failure(const gt_trial *trial, const gt_request *request)
{
    bool has_more_time =
        trial->limit_ns > 0 && request->options.time_limit_s * 1e9 > trial->limit_ns;
    bool runs_it = trial->status != GT_TRIAL_HUNG || request->options.effort >= GPUTUNE_MEASURE;
    return has_more_time && runs_it ? GPUTUNE_OK : gt_trial_failure(trial->status);
}

/* Fails if the configuration has failed before. Sets *proved if it was verified with this driver
 * and for the request's data and sizes. */
static gputune_status judge_config(bool *proved, const gt_request *request, const gt_config *config,
                                   bool only_harm)
{
    gt_hash hash;
    GT_SCOPED(gt_trial_list_free) gt_history history = {0};
    *proved = false;
    GT_TRY(gt_request_trial(&hash, request, config));
    GT_TRY(load_trials(&history, request, false));
    const gt_trial *trial = gt_history_find(&history, hash);
    if (!trial || (only_harm && trial->status == GT_TRIAL_SLOW)) {
        return GPUTUNE_OK;
    }
    *proved = gt_trial_is_correct(trial->status) && is_at(trial, request) &&
              trial->driver_version == request->device->driver_version;
    gputune_status failure = gt_history_failure(trial, request);
    GT_REFUSE(failure != GPUTUNE_OK, failure,
              "%s: %s is not launched, because its stored status is '%s': %s",
              request->template->name, trial->config, gt_trial_status_name(trial->status),
              trial->message);
    return GPUTUNE_OK;
}

bool gt_history_is_proved(const gt_request *request, const gt_config *config)
{
    bool proved;
    return judge_config(&proved, request, config, false) == GPUTUNE_OK && proved;
}

gputune_status gt_history_refutes(const gt_request *request, const gt_config *config,
                                  bool only_harm)
{
    bool ignored;
    return judge_config(&ignored, request, config, only_harm);
}
