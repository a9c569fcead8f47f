/* Evidence from earlier tunings. */
#include "tuner/history.h"

#include "base/array.h"
#include "base/objective.h"
#include "tuner/outcome.h"
#include "tuner/request.h"

#include <stdlib.h>
#include <string.h>

/* In any order that is the same for all. */
static int compare_trials(const void *a, const void *b)
{
    return memcmp(&((const gt_trial *)a)->hash, &((const gt_trial *)b)->hash, sizeof(gt_hash));
}

static bool is_at(const gt_trial *trial, const gt_request *request)
{
    return trial->proved_at && strcmp(trial->proved_at, request->proved_at) == 0;
}

/* Whether a trial is a failure that may not occur here. A source that does not compile fails
 * everywhere. */
static bool is_elsewhere(const gt_trial *trial, const gt_request *request)
{
    return gt_trial_failure(trial->status) != GPUTUNE_OK && trial->status != GT_TRIAL_COMPILE &&
           trial->status != GT_TRIAL_SLOW && !is_at(trial, request);
}

gputune_status gt_history_load(gt_history *out, const gt_request *request,
                               const gt_scenario *scenario)
{
    gt_history history = {0};
    GT_TRY(gt_store_trials(&history, request->services->store, scenario,
                           request->device->driver_version, &request->patience));
    for (size_t i = 0; i < history.count; i++) {
        gt_trial *trial = &history.items[i];
        trial->status = is_elsewhere(trial, request) ? GT_TRIAL_UNPROVED : trial->status;
    }
    gt_array_sort(&history, compare_trials);
    *out = history;
    return GPUTUNE_OK;
}

const gt_trial *gt_history_find(const gt_history *history, gt_hash trial)
{
    if (!history || !history->count) {
        return NULL;
    }
    const gt_trial key = {.hash = trial};
    return bsearch(&key, history->items, history->count, sizeof *history->items, compare_trials);
}

bool gt_history_is_slower(double time_ns, double best_ns, const gt_request *request)
{
    double ratio = request->device->emulated
                       ? 1.02 /* a model gives the same time again */
                       : gt_objective_facts(request->options.objective)->outclassed_ratio;
    return best_ns > 0 && time_ns > best_ns * ratio;
}

gputune_status gt_history_failure(const gt_trial *trial, const gt_request *request)
{
    bool has_more_time =
        trial->limit_ns > 0 && request->options.time_limit_s * 1e9 > trial->limit_ns;
    bool runs_it = trial->status != GT_TRIAL_HUNG || request->options.effort >= GPUTUNE_MEASURE;
    return has_more_time && runs_it ? GPUTUNE_OK : gt_trial_failure(trial->status);
}

gputune_status gt_history_find_config(const gt_trial **out, gt_history *history,
                                      const gt_request *request, const gt_scenario *scenario,
                                      const gt_config *config)
{
    GT_SCOPED(gt_source_free) gt_source source = {0};
    GT_TRY(gt_request_source(&source, request, config));
    GT_TRY(gt_history_load(history, request, scenario));
    *out = gt_history_find(history, gt_trial_hash(request->template, config, source.hash));
    return GPUTUNE_OK;
}

/* Proofs at the exact sizes are kept apart where sizes share a bucket. */
static size_t scenario_count(const gt_request *request)
{
    return request->here_text ? 2 : 1;
}

gputune_status gt_history_is_proved(bool *out, const gt_request *request, const gt_config *config)
{
    *out = false;
    const gt_scenario *const scenarios[] = {&request->scenario, &request->here};
    for (size_t i = 0; i < scenario_count(request) && !*out; i++) {
        GT_SCOPED(gt_trial_list_free) gt_history history = {0};
        const gt_trial *trial;
        GT_TRY(gt_history_find_config(&trial, &history, request, scenarios[i], config));
        *out = trial && gt_trial_is_right(trial->status) && is_at(trial, request) &&
               trial->driver_version == request->device->driver_version;
    }
    return GPUTUNE_OK;
}

gputune_status gt_history_refutes(const gt_request *request, const gt_config *config,
                                  bool only_harm)
{
    gputune_status status = GPUTUNE_OK;
    const gt_scenario *const scenarios[] = {&request->scenario, &request->here};
    for (size_t i = 0; i < scenario_count(request) && status == GPUTUNE_OK; i++) {
        GT_SCOPED(gt_trial_list_free) gt_history history = {0};
        const gt_trial *trial;
        GT_TRY(gt_history_find_config(&trial, &history, request, scenarios[i], config));
        gputune_status failure = trial ? gt_history_failure(trial, request) : GPUTUNE_OK;
        bool harmless = only_harm && trial && trial->status == GT_TRIAL_SLOW;
        if (failure != GPUTUNE_OK && !harmless) {
            status = gt_fail(failure, "%s: %s is not launched: it was found '%s': %s",
                             request->template->name, trial->config,
                             gt_trial_status_name(trial->status), trial->message);
        }
    }
    return status;
}
