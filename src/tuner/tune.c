/* How a request gets its answer: from the store, by a tuning, or from what is known without one. */
#include "tuner/tune.h"

#include "base/text.h"
#include "tuner/history.h"
#include "tuner/outcome.h"
#include "tuner/prove.h"
#include "tuner/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gt_choice_free(gt_choice *choice)
{
    free(choice->image.data);
    free(choice->fallback_image.data);
    free(choice->stop_reason);
    *choice = (gt_choice){0};
}

/* --- from what is stored ---------------------------------------------------------------------- */

/* Computes a winner's speed-up over the present default if the winner's tuning had another default.
 * The speed-up is known if that tuning tried the present one too. The interval is that of two
 * medians that were not measured side by side. */
static gputune_status compare_default(gt_choice *choice, const gt_winner *winner,
                                      const gt_request *request)
{
    const gt_config standard = gt_config_default(request->template);
    GT_SCOPED(gt_history_free) gt_history history = {0};
    const gt_trial *trial;
    GT_TRY(gt_history_find_config(&trial, &history, request, &request->scenario, &standard));
    if (trial && gt_trial_is_right(trial->status) && trial->time.median > 0) {
        choice->default_ns = trial->time.median;
        choice->verdict.speedup = trial->time.median / winner->time.median;
        choice->verdict.speedup_low = trial->time.low / winner->time.high;
        choice->verdict.speedup_high = trial->time.high / winner->time.low;
    }
    return GPUTUNE_OK;
}

gputune_status gt_choice_take_times(gt_choice *choice, const gt_winner *winner,
                                    const gt_request *request)
{
    GT_FREED char *text = NULL;
    const gt_config standard = gt_config_default(request->template);
    GT_TRY(gt_config_text(&text, request->template, &standard));
    bool same = winner->default_config && strcmp(text, winner->default_config) == 0;
    choice->time_ns = winner->time.median;
    if (!same) {
        choice->verdict = (gt_verdict){.tie = winner->verdict.tie, .noisy = winner->verdict.noisy};
        return winner->time.median > 0 && strcmp(winner->problem, request->problem_text) == 0
                   ? compare_default(choice, winner, request)
                   : GPUTUNE_OK;
    }
    choice->default_ns = winner->default_time.median;
    choice->verdict = winner->verdict;
    return GPUTUNE_OK;
}

/* The code of a configuration: the stored image where its source is still the same, the default's
 * if that is it, else compiled. */
static gputune_status obtain(gt_image *image, gt_resources *resources, gt_request *request,
                             const gt_config *config, gt_code *stored)
{
    GT_SCOPED(gt_source_free) gt_source source = {0};
    gt_code *const at_hand[] = {stored, &request->standby};
    GT_TRY(gt_request_source(&source, request, config));
    for (size_t i = 0; i < sizeof at_hand / sizeof *at_hand; i++) {
        gt_code *code = at_hand[i];
        if (code && code->image.bytes && gt_hash_equal(source.hash, code->source)) {
            *image = code->image; /* taken over */
            *resources = code->resources;
            code->image = (gt_image){0};
            return GPUTUNE_OK;
        }
    }
    return gt_compile_one(image, resources, request, config);
}

/* Whether this variant for misaligned buffers was verified with the winner, where the request is
 * proved. */
static bool is_fallback_verified(const gt_winner *winner, const gt_request *request,
                                 const gt_config *fallback)
{
    gt_config stored;
    bool verified =
        winner && winner->fallback_config &&
        gt_config_parse(&stored, request->template, winner->fallback_config) == GPUTUNE_OK &&
        gt_config_is(&stored, fallback);
    bool here = verified && strcmp(winner->proved_at, request->proved_at) == 0;
    return here ||
           (verified && gt_history_is_proved(&here, request, fallback) == GPUTUNE_OK && here);
}

/* The variant for misaligned buffers that was verified with the winner, or the default, which is
 * the author's own, unless it was found not to work. */
static gputune_status choose_fallback(gt_choice *choice, gt_request *request, gt_winner *winner)
{
    bool same = false, permitted = false;
    gt_resources resources;
    GT_TRY(gt_config_scalar(&choice->fallback, &same, request->template, &choice->config));
    choice->needs_alignment = !same;
    bool is_verified = is_fallback_verified(winner, request, &choice->fallback);
    if (!same && (is_verified || gt_request_is_default(request, &choice->fallback))) {
        GT_TRY(gt_request_permits(&permitted, request, &choice->fallback));
    }
    if (!permitted ||
        (!is_verified && gt_history_refutes(request, &choice->fallback) != GPUTUNE_OK)) {
        return GPUTUNE_OK;
    }
    gputune_status status = obtain(&choice->fallback_image, &resources, request, &choice->fallback,
                                   winner ? &winner->fallback : NULL);
    choice->has_fallback = status == GPUTUNE_OK;
    return status == GPUTUNE_ENOMEM ? status : GPUTUNE_OK; /* a plan does without it */
}

gputune_status gt_choice_finish(gt_choice *out, gt_choice *choice, gt_request *request,
                                gt_winner *winner)
{
    gputune_status status = obtain(&choice->image, &choice->resources, request, &choice->config,
                                   winner ? &winner->code : NULL);
    GT_THEN(status, choose_fallback(choice, request, winner));
    const char *reason = winner && winner->stop_reason ? winner->stop_reason : "";
    GT_THEN(status, gt_strdup(&choice->stop_reason, reason));
    return GT_GIVE(status, out, *choice, gt_choice_free(choice));
}

static bool is_of_space(const gt_winner *winner, const gt_request *request)
{
    return gt_hash_equal(winner->terms.space, request->terms.space);
}

gputune_status gt_stored_config(gt_config *out, const gt_request *request, const gt_winner *winner)
{
    bool covered = false;
    if (gt_config_parse(out, request->template, winner->config) == GPUTUNE_OK) {
        GT_TRY(is_of_space(winner, request) ? gt_request_permits(&covered, request, out)
                                            : gt_request_covers(&covered, request, out));
    }
    return covered ? GPUTUNE_OK : GPUTUNE_ENOTFOUND;
}

static gputune_status choose_stored(gt_choice *out, gt_request *request, gt_winner *winner)
{
    gt_choice choice = {.source = GPUTUNE_SOURCE_CACHED, .terms = winner->terms};
    choice.terms.proved = true;
    GT_TRY(gt_stored_config(&choice.config, request, winner));
    /* chosen from other variants, it is no decision about these */
    choice.terms.final = winner->terms.final && is_of_space(winner, request);
    GT_TRY(gt_choice_take_times(&choice, winner, request));
    return gt_choice_finish(out, &choice, request, winner);
}

/* A winner's value to compare. It is infinite if the tuning was stopped before it measured
 * energy. */
static double value_of(const gt_winner *winner)
{
    return winner->time.median > 0 ? winner->time.median : INFINITY;
}

/* Chooses among the results that answer: a decided one over the request's own space, else the
 * fastest. */
static bool is_preferred(const gt_winner *a, const gt_winner *b, const gt_request *request)
{
    bool a_own = a->terms.final && is_of_space(a, request);
    bool b_own = b->terms.final && is_of_space(b, request);
    return a_own != b_own ? a_own : value_of(a) < value_of(b);
}

static gt_winner *find_answer(const gt_winner_list *list, const gt_request *request,
                              const gt_terms *asked)
{
    gt_winner *best = NULL;
    gt_config config;
    for (size_t i = 0; i < list->count; i++) {
        gt_winner *winner = &list->items[i];
        gt_terms terms = winner->terms;
        terms.proved = true;
        if (gt_answers(&terms, asked) && gt_stored_config(&config, request, winner) == GPUTUNE_OK &&
            gt_is_proved(winner, request, &config) &&
            (!best || is_preferred(winner, best, request))) {
            best = winner;
        }
    }
    return best;
}

/* ENOTFOUND, silently, if no stored result answers the request. */
static gputune_status look_up(gt_choice *out, gt_request *request, const gt_terms *asked,
                              const gt_patience *patience)
{
    GT_SCOPED(gt_winner_list_free) gt_winner_list list = {0};
    GT_TRY(gt_store_winners(&list, request->services->store, request->environment,
                            &request->scenario, patience));
    gt_winner *winner = find_answer(&list, request, asked);
    return winner ? choose_stored(out, request, winner) : GPUTUNE_ENOTFOUND;
}

/* Looks up the request's own answer; a request may want to be measured again instead. */
static gputune_status look_up_request(gt_choice *out, gt_request *request,
                                      const gt_patience *patience)
{
    return request->options.force ? GPUTUNE_ENOTFOUND
                                  : look_up(out, request, &request->terms, patience);
}

/* --- without measuring ------------------------------------------------------------------------ */

/* The terms of an answer that was not measured: it answers requests that may not measure. */
static gt_terms terms_of_unmeasured(const gt_request *request)
{
    gt_terms terms = request->terms;
    terms.effort = GPUTUNE_CACHED_ONLY;
    terms.limit_s = 0;
    return terms;
}

/* Whether the configuration is launched without a proof: known to be right here, or the default,
 * which is the author's own. */
static gputune_status is_sound(bool *out, const gt_request *request, const gt_config *config)
{
    *out = gt_request_is_default(request, config);
    return *out ? GPUTUNE_OK : gt_history_is_proved(out, request, config);
}

/* Completes a choice of a configuration that was proved at another size. */
static gputune_status finish_nearest(gt_choice *out, gt_choice *choice, gt_request *request,
                                     gt_winner *winner)
{
    bool sound;
    const gt_config config = choice->config;
    GT_TRY(is_sound(&sound, request, &config));
    if (sound) {
        return gt_choice_finish(out, choice, request, winner);
    }
    if (!gt_may_prove(request)) {
        return GPUTUNE_ENOTFOUND;
    }
    gputune_status status = gt_prove(choice, request, &config, 1, NULL);
    GT_THEN(status, gt_strdup(&choice->stop_reason, winner->stop_reason));
    if (status != GPUTUNE_OK) {
        gt_log_line(&request->services->log, GPUTUNE_LOG_WARNING,
                    "%s: the nearest size's result %s is not used: %s", request->template->name,
                    winner->config, gt_message());
    }
    return GT_GIVE(status, out, *choice, gt_choice_free(choice));
}

static gputune_status choose_nearest(gt_choice *out, gt_request *request)
{
    GT_SCOPED(gt_winner_free) gt_winner winner = {0};
    gt_choice choice = {.source = GPUTUNE_SOURCE_NEAREST, .terms = terms_of_unmeasured(request)};
    GT_TRY(gt_store_find_nearest(&winner, request->services->store, request->environment,
                                 &request->scenario, NULL));
    bool in_time = winner.code.image.bytes || !request->grace.until_ns; /* else it is compiled */
    GT_TRY(winner.terms.proved && in_time ? GPUTUNE_OK : GPUTUNE_ENOTFOUND);
    GT_TRY(gt_stored_config(&choice.config, request, &winner));
    GT_TRY(gt_history_refutes(request, &choice.config));
    GT_TRY(gt_choice_take_times(&choice, &winner, request));
    return finish_nearest(out, &choice, request, &winner);
}

static gputune_status choose_default(gt_choice *out, gt_request *request)
{
    gt_choice choice = {.source = GPUTUNE_SOURCE_DEFAULT,
                        .config = gt_config_default(request->template),
                        .terms = terms_of_unmeasured(request)};
    if (request->refuted.failure != GPUTUNE_OK) {
        return gt_fail(request->refuted.failure,
                       "%s: no variant was found to be right, and the default failed: %s",
                       request->template->name, request->refuted.message);
    }
    GT_TRY(gt_history_warns(request, &choice.config));
    return gt_choice_finish(out, &choice, request, NULL);
}

/* Gives the request a little more time, if its time is up or the caller cancelled, to find the code
 * that was compiled. */
static void extend_patience(gt_request *request)
{
    if (gt_patience_left_s(&request->patience) <= 0) {
        request->patience = gt_request_grace(request);
    }
}

static gputune_status choose_unmeasured(gt_choice *out, gt_request *request)
{
    if (request->options.effort == GPUTUNE_ESTIMATE) {
        if (gt_rank(out, request) == GPUTUNE_OK) {
            return GPUTUNE_OK;
        }
        extend_patience(request);
    }
    return choose_nearest(out, request) == GPUTUNE_OK ? GPUTUNE_OK : choose_default(out, request);
}

/* --- measuring -------------------------------------------------------------------------------- */

/* How long a call of that many seconds leaves the tuning to others before it compiles the default,
 * which it returns if they take all of its time. */
static double wait_without_default_s(double left_s)
{
    static const double compile_s = 1; /* as a rule less */
    return fmax(fmin(left_s / 2, left_s - compile_s), 0);
}

static gputune_status acquire(gt_lease *lease, gt_request *request)
{
    gt_store *store = request->services->store;
    double wait_s = wait_without_default_s(gt_patience_left_s(&request->patience));
    const gt_patience first = gt_patience_at_most(&request->patience, wait_s);
    if (gt_store_lease_await(store, request->environment, &request->scenario, &first) ==
        GPUTUNE_EBUSY) {
        gt_stand_by(request);
    }
    GT_TRY(gt_store_lease_acquire(lease, store, request->environment, &request->scenario,
                                  &request->patience));
    if (lease->silent) {
        gt_log_line(
            &request->services->log, GPUTUNE_LOG_INFO,
            "%s: process %lld was tuning this and gave no sign of life for %d s: taken over",
            request->template->name, (long long)lease->silent, GT_LEASE_SECONDS);
    }
    return GPUTUNE_OK;
}

static gputune_status search_under_lease(gt_choice *out, gt_request *request)
{
    gt_store *store = request->services->store;
    gt_lease lease = {0};
    GT_TRY(gt_session_may_measure(request)); /* before it waits for the lease of its own thread */
    gputune_status status = acquire(&lease, request);
    if (status != GPUTUNE_OK) {
        return status;
    }
    request->lease = &lease;
    status =
        look_up_request(out, request, &request->patience); /* another may have finished meanwhile */
    if (status != GPUTUNE_OK) {
        status = gt_search(out, request);
    }
    request->lease = NULL;
    const gt_patience brief = gt_patience_for(0.1, NULL); /* what stays runs out by itself */
    gt_store_lease_release(&lease, store, &brief);
    return status;
}

/* The message of a failure without the kernel's name in front, which whoever shows it says. */
static const char *message_without(const char *name)
{
    const char *message = gt_message();
    size_t length = strlen(name);
    bool named = strncmp(message, name, length) == 0 && strncmp(message + length, ": ", 2) == 0;
    return named ? message + length + 2 : message;
}

/* The terms of an answer for which the time was too short: a later call with no longer limit would
 * get no further. */
static gt_terms terms_of_timed_out(const gt_request *request)
{
    gt_terms terms = terms_of_unmeasured(request);
    terms.final = false;
    terms.proved = true;
    terms.limit_s = request->options.time_limit_s;
    return terms;
}

/* Why a call was answered without measuring, instead of the answer's own reason. */
static gputune_status choose_without_times(gt_choice *out, gt_request *request,
                                           gputune_status failure)
{
    const gt_terms whatever = terms_of_unmeasured(request);
    const char *name = request->template->name;
    GT_FREED char *reason = NULL;
    GT_TRY(gt_strdup(&reason, message_without(name)));
    gt_log_line(&request->services->log, GPUTUNE_LOG_WARNING, "%s: not measured: %s", name, reason);
    extend_patience(request);
    gputune_status status = look_up(out, request, &whatever, NULL);
    GT_TRY(status == GPUTUNE_OK ? status : choose_unmeasured(out, request));
    out->terms.final = false;
    if (failure == GPUTUNE_ETIMEOUT) {
        out->terms = terms_of_timed_out(request);
    }
    char *replaced = out->stop_reason;
    out->stop_reason = reason;
    reason = replaced;
    return GPUTUNE_OK;
}

static gputune_status choose(gt_choice *out, gt_request *request)
{
    if (look_up_request(out, request, NULL) == GPUTUNE_OK) {
        return GPUTUNE_OK;
    }
    if (!request->options.force && gt_choose_imported(out, request) == GPUTUNE_OK) {
        return GPUTUNE_OK;
    }
    if (request->options.effort < GPUTUNE_MEASURE) {
        return choose_unmeasured(out, request);
    }
    gputune_status status = search_under_lease(out, request);
    bool answers = gt_ending_of(status)->leaves_an_answer && !request->background;
    return answers ? choose_without_times(out, request, status) : status;
}

/* The default races beside every space, and is what there is to launch where nothing is known: the
 * answer may be a configuration that the restrictions leave out, which is said. */
static gputune_status say_what_is_outside(gt_choice *choice, const gt_request *request)
{
    bool covered;
    GT_FREED char *config = NULL;
    if (!request->options.only_count) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_request_covers(&covered, request, &choice->config));
    choice->outside_only = !covered;
    if (covered) {
        return GPUTUNE_OK;
    }
    bool known = choice->source != GPUTUNE_SOURCE_DEFAULT;
    GT_TRY(gt_config_text(&config, request->template, &choice->config));
    gt_log_line(&request->services->log, GPUTUNE_LOG_INFO,
                "%s: %s is the default, outside of %s: %s", request->template->name, config,
                request->only_text,
                known ? "no variant within is faster" : "no result within is known");
    return GPUTUNE_OK;
}

gputune_status gt_tune(gt_choice *out, gt_request *request)
{
    GT_TRY(choose(out, request));
    gputune_status status = say_what_is_outside(out, request);
    if (status != GPUTUNE_OK) {
        gt_choice_free(out);
    }
    return status;
}
