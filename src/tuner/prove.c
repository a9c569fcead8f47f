/* Proves configurations in a worker, and takes the first that is right: what was stored but is not
 * proved here, and what a caller or the user's environment orders. */
#include "tuner/prove.h"

#include "base/text.h"
#include "tuner/outcome.h"
#include "tuner/session.h"

#include <stdlib.h>
#include <string.h>

static gputune_status take_image(gt_image *out, gt_resources *resources, gt_field *field,
                                 const gt_config *config)
{
    uint64_t id = gt_field_find_ready(field, config);
    if (id == GT_NO_VARIANT) {
        return GPUTUNE_ENOTFOUND;
    }
    gt_compiled *compiled = &field->units.items[field->variants.items[id].unit].compiled;
    if (!compiled->image.bytes) { /* taken already, for another configuration of that source */
        return GPUTUNE_ENOTFOUND;
    }
    *resources = compiled->resources;
    *out = compiled->image; /* taken over */
    compiled->image = (gt_image){0};
    return GPUTUNE_OK;
}

/* Chooses the first that was verified, with its variant for misaligned buffers if that was verified
 * too. */
static gputune_status take_first(gt_choice *choice, gt_field *field, const gt_config *configs,
                                 size_t count)
{
    bool same = false;
    gt_resources ignored;
    for (size_t i = 0; i < count; i++) {
        if (take_image(&choice->image, &choice->resources, field, &configs[i]) != GPUTUNE_OK) {
            continue;
        }
        choice->config = configs[i];
        GT_TRY(gt_config_scalar(&choice->fallback, &same, field->options.request->template,
                                &choice->config));
        choice->needs_alignment = !same;
        choice->has_fallback = !same && take_image(&choice->fallback_image, &ignored, field,
                                                   &choice->fallback) == GPUTUNE_OK;
        return GPUTUNE_OK;
    }
    return gt_field_verdict(field);
}

/* Lists the configurations, each followed by its variant for any alignment, if that is another
 * configuration. */
static gputune_status list_all(gt_config out[2 * GT_PROVE_MAX], size_t *all,
                               const gt_config *configs, size_t count, const gt_request *request)
{
    *all = 0;
    for (size_t i = 0; i < count; i++) {
        bool same = false, listed = false, permitted = false;
        gt_config scalar;
        out[(*all)++] = configs[i];
        GT_TRY(gt_config_scalar(&scalar, &same, request->template, &configs[i]));
        for (size_t j = 0; j < *all; j++) {
            listed = listed || gt_config_is(&out[j], &scalar);
        }
        if (!same && !listed) {
            GT_TRY(gt_request_permits(&permitted, request, &scalar));
        }
        if (permitted) {
            out[(*all)++] = scalar;
        }
    }
    return GPUTUNE_OK;
}

/* ---- keeping --------------------------------------------------------------------------------- */

/* Makes the trial under which a right variant is stored: the trial that is known of it, with its
 * times, or a new one. */
static void note_right(gt_trial *trial, const gt_history *here, const gt_request *request)
{
    const gt_trial *known = gt_history_find(here, trial->hash);
    trial->status = GT_TRIAL_PROVED;
    if (known && gt_trial_is_right(known->status)) {
        *trial = *known;
        trial->proved_at = request->proved_at;
        trial->driver_version = request->device->driver_version;
    }
}

static void keep_verdict(const gt_field *field, uint32_t index, const gt_history *here,
                         const gt_request *request)
{
    const gt_variant *variant = &field->variants.items[index];
    gt_trial trial = gt_field_trial(field, index);
    char *config;
    if (gt_config_text(&config, request->template, &variant->config) != GPUTUNE_OK) {
        return;
    }
    trial.config = config;
    trial.message = variant->message ? variant->message : "";
    if (variant->stage == GT_STAGE_READY) {
        note_right(&trial, here, request);
    }
    (void)gt_store_put_trials(request->services->store, request->environment, &request->here,
                              &trial, 1, &request->patience);
    free(config);
}

/* Whether a proof has found out something that was not known. */
static bool is_verdict(const gt_variant *variant)
{
    return variant->stage == GT_STAGE_READY ||
           (variant->stage == GT_STAGE_FAILED && !variant->remembered &&
            gt_outcome_is_kept(variant->failure, variant->repeatable));
}

/* Stores code and verdicts, so that no configuration is compiled or proved, or fails, a second
 * time. A store that cannot be written is no failure. */
static void keep(const gt_field *field, const gt_request *request)
{
    GT_SCOPED(gt_history_free) gt_history here = {0};
    (void)gt_field_keep_code(field, &request->patience);
    (void)gt_history_load(&here, request, &request->here);
    for (uint32_t i = 0; i < field->variants.count; i++) {
        if (is_verdict(&field->variants.items[i])) {
            keep_verdict(field, i, &here, request);
        }
    }
}

bool gt_may_prove(const gt_request *request)
{
    const gputune_options *o = &request->options;
    bool at_once = o->background && o->effort < GPUTUNE_MEASURE;
    return !at_once && !request->grace.until_ns && o->isolation == GPUTUNE_ISOLATION_PROCESS;
}

gputune_status gt_prove(gt_choice *choice, gt_request *request, const gt_config *configs,
                        size_t count, const gt_history *history)
{
    static const gt_policy policy = {.measures = true, .done = gt_session_is_done};
    static const double share = 0.75; /* of the time; the rest is for what is tried instead */
    gt_config all[2 * GT_PROVE_MAX];
    size_t all_count;
    gt_session session;
    if (gt_patience_left_s(&request->patience) <= 0) {
        return gt_fail(GPUTUNE_ETIMEOUT, "%s: no time is left to prove it",
                       request->template->name);
    }
    GT_TRY(list_all(all, &all_count, configs, count, request));
    gt_list_proposer proposer = gt_list_proposer_make(all, all_count);
    const gt_field_options options = {.proposer = &proposer.proposer, .history = history};
    const gt_patience whole = request->patience, grace = request->grace;
    request->patience = gt_patience_at_most(&whole, share * gt_patience_left_s(&whole));
    gputune_status status = gt_session_open(&session, &policy, NULL, request, &options);
    GT_THEN(status, gt_session_run(&session));
    if (status == GPUTUNE_OK) {
        keep(&session.field, request);
        status = take_first(choice, &session.field, configs, count);
    }
    gt_field_note_bad_default(&session.field, request);
    gt_session_close(&session);
    request->patience = whole;
    request->grace = grace;
    return status;
}

/* ---- what is stored -------------------------------------------------------------------------- */

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

/* Whether a winner would answer the request if it was proved. */
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
    GT_SCOPED(gt_source_free) gt_source source = {0};
    GT_TRY(gt_request_source(&source, request, config));
    *out = (gt_code){.source = source.hash, .ptx = request->device->emulated};
    memcpy(out->arch, request->device->arch, sizeof out->arch);
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
    GT_SCOPED(gt_history_free) gt_history history = {0};
    GT_TRY(gt_history_load(&history, request, &request->scenario));
    gputune_status status = gt_prove(&choice, request, config, 1, &history);
    GT_THEN(status, take_winner(&choice, winner, request));
    if (status == GPUTUNE_OK && store(winner, &choice, request, &history) != GPUTUNE_OK) {
        gt_log_line(&request->services->log, GPUTUNE_LOG_WARNING,
                    "%s: a stored result was proved, but that could not be stored: %s",
                    request->template->name, gt_message());
    }
    return GT_GIVE(status, out, choice, gt_choice_free(&choice));
}

gputune_status gt_choose_imported(gt_choice *out, gt_request *request)
{
    GT_SCOPED(gt_winner_list_free) gt_winner_list list = {0};
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
    return status;
}

/* ---- what is ordered ------------------------------------------------------------------------- */

/* The terms of a forced configuration, which answers every request. */
static gt_terms terms_of(const gt_request *request)
{
    gt_terms terms = request->terms;
    terms.final = terms.proved = true;
    return terms;
}

gputune_status gt_choose_default(gt_choice *out, gt_request *request)
{
    gt_choice choice = {.source = GPUTUNE_SOURCE_DEFAULT,
                        .config = gt_config_default(request->template),
                        .terms = terms_of(request)};
    return gt_choice_finish(out, &choice, request, NULL);
}

static gputune_status choose_proved(gt_choice *out, gt_request *request, const gt_config *config,
                                    const gt_history *history)
{
    gt_choice choice = {.source = GPUTUNE_SOURCE_FORCED, .config = *config};
    bool known;
    choice.terms = terms_of(request);
    GT_TRY(gt_history_is_proved(&known, request, config));
    if (known) {
        return gt_choice_finish(out, &choice, request, NULL);
    }
    gputune_status status = gt_prove(&choice, request, config, 1, history);
    GT_THEN(status, gt_strdup(&choice.stop_reason, ""));
    return GT_GIVE(status, out, choice, gt_choice_free(&choice));
}

gputune_status gt_choose_forced(gt_choice *out, gt_request *request, const char *text)
{
    gt_config config;
    GT_SCOPED(gt_history_free) gt_history history = {0};
    bool permitted;
    GT_TRY(gt_config_parse(&config, request->template, text));
    GT_TRY(gt_request_permits(&permitted, request, &config));
    if (!permitted) {
        return gt_fail(GPUTUNE_ENOVARIANT,
                       "%s: '%s' is excluded by a constraint or this GPU; 'gputune space %s' says "
                       "which",
                       request->template->name, text, request->template->name);
    }
    GT_TRY(gt_history_load(&history, request, &request->scenario));
    return choose_proved(out, request, &config, &history);
}
