/* Proves stored results where they are not proved yet, before they are launched. */
#include "tuner/imported.h"

#include "base/text.h"
#include "tuner/prove.h"

#include <stdlib.h>
#include <string.h>

static bool is_same_source(const gt_winner *winner, const gt_request *request,
                           const gt_config *config)
{
    gt_source source;
    if (gt_request_source(&source, request, config) != GPUTUNE_OK) {
        return false;
    }
    bool same = gt_hash_equal(source.hash, winner->code.source);
    gt_source_free(&source);
    return same;
}

bool gt_is_proved(const gt_winner *winner, const gt_request *request, const gt_config *config)
{
    bool proved = false;
    if (strcmp(winner->proved_at, request->proved_at) == 0) {
        return winner->terms.proved && is_same_source(winner, request, config);
    }
    return gt_history_is_proved(&proved, request, config) == GPUTUNE_OK && proved;
}

/* Whether it is no answer only because it is not proved. */
static bool would_answer(const gt_winner *winner, gt_request *request, gt_config *config)
{
    gt_terms terms = winner->terms;
    terms.proved = true;
    return gt_answers(&terms, &request->terms) &&
           gt_stored_config(config, request, winner) == GPUTUNE_OK &&
           !gt_is_proved(winner, request, config) &&
           gt_history_refutes(request, config) == GPUTUNE_OK;
}

static gt_winner *find_fastest(gt_config *config, const gt_winner_list *list, gt_request *request)
{
    gt_winner *best = NULL;
    gt_config one;
    for (size_t i = 0; i < list->count; i++) {
        gt_winner *winner = &list->items[i];
        if (would_answer(winner, request, &one) &&
            (!best || winner->time.median < best->time.median)) {
            best = winner;
            *config = one;
        }
    }
    return best;
}

/* ---- storing --------------------------------------------------------------------------------- */

/* The code was stored by the proof. */
static gputune_status name_code(gt_code *out, const gt_request *request, const gt_config *config)
{
    gt_source source;
    GT_TRY(gt_request_source(&source, request, config));
    *out = (gt_code){.source = source.hash, .ptx = request->device->emulated};
    memcpy(out->arch, request->device->arch, sizeof out->arch);
    gt_source_free(&source);
    return GPUTUNE_OK;
}

static gputune_status store(const gt_winner *imported, const gt_choice *choice, gt_request *request,
                            const gt_history *history)
{
    gt_winner winner = *imported;
    const gt_trial *trial = gt_history_find(history, imported->trial);
    const gt_trial *standard = gt_history_find(history, imported->default_trial);
    gt_trial trials[2];
    char *fallback = NULL;
    size_t count = 0;
    if (!trial || strcmp(imported->problem, request->problem_text) != 0) {
        return GPUTUNE_OK; /* dropped meanwhile; or made at another size, where it is as it was */
    }
    trials[count] = *trial;
    trials[count++].proved_at = request->proved_at;
    if (standard && standard != trial) {
        trials[count++] = *standard;
    }
    winner.terms.proved = true;
    winner.fallback = (gt_code){0};
    GT_TRY(name_code(&winner.code, request, &choice->config));
    if (choice->has_fallback) {
        GT_TRY(name_code(&winner.fallback, request, &choice->fallback));
        GT_TRY(gt_config_text(&fallback, request->template, &choice->fallback));
    }
    winner.fallback_config = fallback;
    const gt_gpu_facts gpu = {request->device, request->host_text, 0};
    const gt_outcome outcome = {.environment = request->environment,
                                .gpu = &gpu,
                                .scenario = &request->scenario,
                                .trials = trials,
                                .trial_count = count,
                                .winner = &winner,
                                .created = winner.created};
    gputune_status status =
        gt_store_put_winner(request->services->store, &outcome, &request->patience);
    free(fallback);
    return status;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static gputune_status take_winner(gt_choice *choice, const gt_winner *winner,
                                  const gt_request *request)
{
    choice->source = GPUTUNE_SOURCE_CACHED;
    choice->terms = winner->terms;
    choice->terms.proved = true;
    GT_TRY(gt_choice_take_times(choice, winner, request));
    return gt_strdup(&choice->stop_reason, winner->stop_reason ? winner->stop_reason : "");
}

static gputune_status prove(gt_choice *out, const gt_winner *winner, const gt_config *config,
                            gt_request *request)
{
    gt_choice choice = {.config = *config};
    gt_history history;
    GT_TRY(gt_history_load(&history, request));
    gputune_status status = gt_prove(&choice, request, config, 1, &history);
    GT_THEN(status, take_winner(&choice, winner, request));
    if (status == GPUTUNE_OK && store(winner, &choice, request, &history) != GPUTUNE_OK) {
        gt_log_line(&request->services->log, GPUTUNE_LOG_WARNING,
                    "%s: a stored result was proved, but that could not be stored: %s",
                    request->template->name, gt_message());
    }
    gt_history_free(&history);
    if (status != GPUTUNE_OK) {
        gt_choice_free(&choice);
        return status;
    }
    *out = choice;
    return GPUTUNE_OK;
}

gputune_status gt_choose_imported(gt_choice *out, gt_request *request)
{
    gt_winner_list list;
    gt_config config;
    if (!gt_may_prove(request)) {
        return GPUTUNE_ENOTFOUND;
    }
    GT_TRY(gt_store_winners(&list, request->services->store, request->environment,
                            &request->scenario, NULL));
    gt_winner *winner = find_fastest(&config, &list, request);
    gputune_status status = winner ? prove(out, winner, &config, request) : GPUTUNE_ENOTFOUND;
    if (winner && status != GPUTUNE_OK) {
        gt_log_line(&request->services->log, GPUTUNE_LOG_WARNING,
                    "%s: the stored result %s is not used: %s", request->template->name,
                    winner->config, gt_message());
        status = GPUTUNE_ENOTFOUND;
    }
    gt_winner_list_free(&list);
    return status;
}
