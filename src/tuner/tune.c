/* Answers a request: from the store, by a tuning, or without measuring. */
#include "tuner/tune.h"

#include "base/clock.h"
#include "base/text.h"
#include "kernel/bind/binding.h"
#include "tuner/outcome.h"
#include "tuner/rule_sizes.h"
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

/* --- choosing a stored result ----------------------------------------------------------------- */

/* Copies the times of a stored winner. If the default has changed since, no speed-up is known. */
static gputune_status take_times(gt_choice *choice, const gt_winner *winner,
                                 const gt_request *request)
{
    gt_hash hash;
    gputune_status made = gt_request_trial(&hash, request, &request->standard);
    if (made == GPUTUNE_ENOMEM) {
        return made; /* continue after other failures: the default is not in the space */
    }
    choice->time_ns = winner->median_ns;
    choice->default_ns = winner->default_ns;
    choice->verdict = winner->verdict;
    if (made == GPUTUNE_OK && !gt_hash_equal(hash, winner->default_trial)) {
        choice->default_ns = 0;
        choice->verdict = (gt_verdict){.tie = winner->verdict.tie, .noisy = winner->verdict.noisy};
    }
    return GPUTUNE_OK;
}

/* Copies the winner's fallback to *fallback if it was verified for the request and did not change.
 * Unlike the code of a default that was changed, the code of such a fallback is stored. */
static bool take_verified_fallback(gt_config *fallback, const gt_winner *winner,
                                   const gt_request *request)
{
    gt_config stored;
    const char *text = winner ? winner->fallback_config : NULL;
    if (winner && !text && winner->default_config &&
        strcmp(winner->config, winner->default_config) == 0) {
        text = winner->config; /* the winner is the default, which works for any alignment */
    }
    bool verified = text && gt_config_parse(&stored, request->template, text, true) == GPUTUNE_OK &&
                    gt_config_is_as_safe(request->template, &stored, fallback);
    if (verified) {
        GT_SCOPED(gt_source_free) gt_source source = {0};
        gt_hash was = winner->fallback_config ? winner->fallback.source : winner->code.source;
        verified = (strcmp(winner->proved_at, request->proved_at) == 0 &&
                    gt_request_source(&source, request, &stored) == GPUTUNE_OK &&
                    gt_hash_equal(source.hash, was)) ||
                   gt_history_is_proved(request, &stored);
    }
    *fallback = verified ? stored : *fallback;
    return verified;
}

/* Chooses a fallback: the winner's if it is verified, otherwise the default's. */
static gputune_status choose_fallback(gt_choice *choice, gt_request *request, gt_winner *winner)
{
    gt_resources resources;
    choice->fallback = gt_config_scalar(request->template, &choice->config);
    bool is_verified = take_verified_fallback(&choice->fallback, winner, request);
    choice->needs_alignment = !gt_config_is(&choice->fallback, &choice->config);
    bool may_be_it = choice->needs_alignment &&
                     (is_verified || gt_config_is(&request->standard, &choice->fallback)) &&
                     gt_request_permits(request, &choice->fallback);
    if (!may_be_it ||
        (!is_verified && gt_history_refutes(request, &choice->fallback, false) != GPUTUNE_OK)) {
        return GPUTUNE_OK;
    }
    gputune_status status = gt_get_code(&choice->fallback_image, &resources, request,
                                        &choice->fallback, winner ? &winner->fallback : NULL);
    choice->has_fallback = status == GPUTUNE_OK;
    return status == GPUTUNE_ENOMEM ? status : GPUTUNE_OK; /* fallbacks are optional */
}

/* Adds code, fallback and reason to a choice that has a configuration, a source and terms. `winner`
 * may be NULL. Frees the choice on failure. */
static gputune_status finish_choice(gt_choice *out, gt_choice *partial, gt_request *request,
                                    gt_winner *winner, const char *reason)
{
    GT_SCOPED(gt_choice_free) gt_choice choice = gt_take(partial);
    GT_TRY(gt_get_code(&choice.image, &choice.resources, request, &choice.config,
                       winner ? &winner->code : NULL));
    GT_TRY(choose_fallback(&choice, request, winner));
    GT_TRY(gt_strdup(&choice.stop_reason, reason));
    *out = gt_take(&choice);
    return GPUTUNE_OK;
}

static bool is_of_space(const gt_winner *winner, const gt_request *request)
{
    return gt_hash_equal(winner->terms.space, request->terms.space);
}

/* Parses the configuration of a stored winner. ENOTFOUND if its source or launch has changed, or if
 * it is not in the request's space. A default may have won even if options.only excludes it. */
static gputune_status stored_config(gt_config *out, const gt_request *request,
                                    const gt_winner *winner)
{
    GT_TRY(gt_request_stored(out, request, winner->config, winner->trial));
    bool covered = (is_of_space(winner, request) ? gt_request_permits(request, out)
                                                 : gt_space_has(request->space, out));
    return covered ? GPUTUNE_OK : GPUTUNE_ENOTFOUND;
}

/* Returns true if `a` is preferred to `b`: winners that are final for this space first, then faster
 * ones. */
static bool is_preferred(const gt_winner *a, const gt_winner *b, const gt_request *request)
{
    bool a_own = a->terms.final && is_of_space(a, request);
    bool b_own = b->terms.final && is_of_space(b, request);
    /* a median of 0 means that the tuning was stopped before it measured this objective */
    double value = a->median_ns > 0 ? a->median_ns : INFINITY;
    double other = b->median_ns > 0 ? b->median_ns : INFINITY;
    return a_own != b_own ? a_own : value < other;
}

static bool is_proved(const gt_winner *winner, const gt_request *request, const gt_config *config)
{
    return strcmp(winner->proved_at, request->proved_at) == 0
               ? winner->terms.proved
               : gt_history_is_proved(request, config);
}

/* Finds the best stored winner that answers `asked`. If `proved`, it must be proved for this
 * request. Otherwise, it must be neither proved nor known to fail. */
static gt_winner *find_answer(gt_config *config, const gt_winner_list *list,
                              const gt_request *request, const gt_terms *asked, bool proved)
{
    gt_winner *best = NULL;
    gt_config own;
    for (size_t i = 0; i < list->count; i++) {
        gt_winner *winner = &list->items[i];
        gt_terms terms = winner->terms;
        terms.proved = true;
        if (gt_answers(&terms, asked) && stored_config(&own, request, winner) == GPUTUNE_OK &&
            is_proved(winner, request, &own) == proved &&
            (proved || gt_history_refutes(request, &own, false) == GPUTUNE_OK) &&
            (!best || is_preferred(winner, best, request))) {
            best = winner;
            *config = own;
        }
    }
    return best;
}

static gputune_status look_up(gt_choice *out, gt_request *request, const gt_terms *asked,
                              const gt_patience *patience)
{
    GT_SCOPED(gt_winner_list_free) gt_winner_list list = {0};
    gt_config config;
    GT_TRY(gt_store_winners(&list, request->services->store, &request->scenario, patience));
    gt_winner *winner = find_answer(&config, &list, request, asked, true);
    if (!winner) {
        return GPUTUNE_ENOTFOUND;
    }
    gt_choice choice = {.source = GPUTUNE_SOURCE_CACHED, .config = config, .terms = winner->terms};
    choice.terms.proved = true;
    /* the winner may be final for another space than the request's */
    choice.terms.final = winner->terms.final && is_of_space(winner, request);
    GT_TRY(take_times(&choice, winner, request));
    return finish_choice(out, &choice, request, winner, winner->stop_reason);
}

static gputune_status look_up_request(gt_choice *out, gt_request *request,
                                      const gt_patience *patience)
{
    return request->options.force ? GPUTUNE_ENOTFOUND
                                  : look_up(out, request, &request->terms, patience);
}

/* --- proving stored results ------------------------------------------------------------------- */

static bool may_prove(const gt_request *request)
{
    const gputune_options *o = &request->options;
    bool at_once = o->background && o->effort < GPUTUNE_MEASURE;
    return !at_once && !request->grace.until_ns;
}

static gputune_status name_code(gt_code *out, const gt_request *request, const gt_config *config)
{
    GT_SCOPED(gt_source_free) gt_source source = {0};
    GT_TRY(gt_request_source(&source, request, config));
    *out = (gt_code){.source = source.hash, .ptx = request->device->emulated};
    memcpy(out->arch, request->device->arch, sizeof out->arch);
    return GPUTUNE_OK;
}

static gputune_status store_proof(const gt_winner *imported, const gt_choice *choice,
                                  gt_request *request, const gt_history *history)
{
    gt_winner winner = *imported;
    const gt_trial *trial = gt_history_find(history, imported->trial);
    const gt_trial *standard = gt_history_find(history, imported->default_trial);
    gt_trial trials[2];
    GT_FREED char *fallback = NULL;
    size_t count = 0;
    if (!trial) {
        return GPUTUNE_OK; /* without its trial, the proof cannot be stored */
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
    const gt_site site = gt_site_of(&request->scenario, request->device, request->host_text);
    const gt_outcome outcome = {.site = &site,
                                .trials = trials,
                                .trial_count = count,
                                .winner = &winner,
                                .created = winner.created};
    return gt_store_put_winner(request->services->store, &outcome, &request->patience);
}

static gputune_status prove_stored(gt_choice *out, const gt_winner *winner, const gt_config *config,
                                   gt_request *request)
{
    GT_SCOPED(gt_choice_free)
    gt_choice choice = {.source = GPUTUNE_SOURCE_CACHED, .config = *config, .terms = winner->terms};
    GT_SCOPED(gt_trial_list_free) gt_history history = {0};
    GT_TRY(gt_history_load(&history, request));
    choice.terms.proved = true;
    GT_TRY(gt_prove(&choice, request, config, winner->stop_reason));
    GT_TRY(take_times(&choice, winner, request));
    if (store_proof(winner, &choice, request, &history) != GPUTUNE_OK) {
        gt_log_line(&request->log, GPUTUNE_LOG_WARNING,
                    "%s: a stored result was verified, but this could not be stored: %s",
                    request->template->name, gt_message());
    }
    *out = gt_take(&choice);
    return GPUTUNE_OK;
}

/* Finds the best stored result that would answer `asked` if it were proved here. Proves this result
 * and stores the proof. ENOTFOUND without a message if there is no such result. */
static gputune_status prove_imported(gt_choice *out, gt_request *request, const gt_terms *asked)
{
    GT_SCOPED(gt_winner_list_free) gt_winner_list list = {0};
    gt_config config;
    if (!may_prove(request)) {
        return GPUTUNE_ENOTFOUND;
    }
    gputune_status status =
        gt_store_winners(&list, request->services->store, &request->scenario, NULL);
    /* on EBUSY, the store has already logged a warning, so continue as if there were no winner */
    GT_TRY(status == GPUTUNE_EBUSY ? GPUTUNE_ENOTFOUND : status);
    const gt_winner *winner = find_answer(&config, &list, request, asked, false);
    if (!winner) {
        return GPUTUNE_ENOTFOUND;
    }
    status = prove_stored(out, winner, &config, request);
    return status == GPUTUNE_OK ? status
                                : gt_fail_prefix(status, "%s: the stored result %s is not used",
                                                 request->template->name, winner->config);
}

/* Like prove_imported(), but only warns if the proof fails. */
static bool choose_imported(gt_choice *out, gt_request *request)
{
    const gputune_status status = prove_imported(out, request, &request->terms);
    if (status != GPUTUNE_OK && status != GPUTUNE_ENOTFOUND) {
        gt_log_line(&request->log, GPUTUNE_LOG_WARNING, "%s", gt_message());
    }
    return status == GPUTUNE_OK;
}

/* --- without measuring ------------------------------------------------------------------------ */

/* Returns the terms of an unmeasured answer. It satisfies only requests that may not measure. */
static gt_terms terms_of_unmeasured(const gt_request *request)
{
    gt_terms terms = request->terms;
    terms.effort = GPUTUNE_CACHED_ONLY;
    terms.limit_s = 0;
    return terms;
}

/* Fails if the configuration is known to fail, or is the default and failed in this call. */
static gputune_status refuse_failed(const gt_request *request, const gt_config *config,
                                    bool only_harm)
{
    GT_REFUSE(request->refuted.failure != GPUTUNE_OK && gt_config_is(&request->standard, config),
              request->refuted.failure, "%s: no variant was verified, and the default failed: %s",
              request->template->name, request->refuted.message);
    return gt_history_refutes(request, config, only_harm);
}

/* Like finish_choice(), but first proves the configuration, unless it is the default or is already
 * proved for this request. ENOTFOUND if nothing may be proved now. */
static gputune_status finish_proved(gt_choice *out, gt_choice *partial, gt_request *request,
                                    gt_winner *winner, const char *reason)
{
    GT_SCOPED(gt_choice_free) gt_choice choice = gt_take(partial);
    const gt_config config = choice.config;
    if (gt_config_is(&request->standard, &config) || gt_history_is_proved(request, &config)) {
        return finish_choice(out, &choice, request, winner, reason);
    }
    GT_REFUSE(!may_prove(request), GPUTUNE_ENOTFOUND,
              "the configuration was not verified on this kind of GPU and driver");
    GT_TRY(gt_prove(&choice, request, &config, reason));
    *out = gt_take(&choice);
    return GPUTUNE_OK;
}

static gputune_status find_nearest(gt_winner *out, gt_config *config, const gt_request *request)
{
    gt_hash other[16]; /* trials to skip: their code has changed, or the space excludes them */
    size_t count = 0;
    gputune_status status = GPUTUNE_ENOTFOUND;
    while (status == GPUTUNE_ENOTFOUND && count < sizeof other / sizeof *other) {
        GT_TRY(gt_store_find_nearest(out, request->services->store, &request->scenario, other,
                                     count, &request->patience));
        status = stored_config(config, request, out);
        if (status != GPUTUNE_OK) {
            other[count++] = out->trial;
            gt_winner_free(out);
        }
    }
    return status;
}

static gputune_status choose_nearest(gt_choice *out, gt_request *request)
{
    GT_SCOPED(gt_winner_free) gt_winner winner = {0};
    gt_choice choice = {.source = GPUTUNE_SOURCE_NEAREST, .terms = terms_of_unmeasured(request)};
    GT_TRY(find_nearest(&winner, &choice.config, request));
    /* true if the code is stored, or there is time to compile it */
    bool in_time = winner.code.image.bytes || !request->grace.until_ns;
    if (!winner.terms.proved || !in_time) {
        return GPUTUNE_ENOTFOUND;
    }
    GT_TRY(refuse_failed(request, &choice.config, false));
    GT_TRY(take_times(&choice, &winner, request));
    gputune_status status = finish_proved(out, &choice, request, &winner, winner.stop_reason);
    if (status != GPUTUNE_OK && status != GPUTUNE_ENOTFOUND) {
        gt_log_line(&request->log, GPUTUNE_LOG_WARNING,
                    "%s: the nearest size's result %s is not used: %s", request->template->name,
                    winner.config, gt_message());
    }
    return status;
}

/* --- by a rule -------------------------------------------------------------------------------- */

void gt_found_rule_free(gt_found_rule *found)
{
    gt_rule_free(found->rule);
    free(found->text);
    *found = (gt_found_rule){0};
}

gputune_status gt_rule_sources(char **out, const gt_rule *rule, const gt_template *template,
                               const gt_device *device, const char *prelude)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    for (size_t i = 0; i < rule->variants.count; i++) {
        const gt_config *config = &rule->variants.items[i];
        char source_hex[GT_HASH_HEX], trial_hex[GT_HASH_HEX];
        GT_SCOPED(gt_source_free) gt_source source = {0};
        GT_TRY(gt_source_generate(&source, template, &rule->region.least, config, device, prelude));
        gt_text_printf(&text, "%s%s/%s", i ? " " : "", gt_hash_hex(source_hex, source.hash),
                       gt_hash_hex(trial_hex, gt_trial_hash(template, config, source.hash)));
    }
    return gt_text_take(out, &text);
}

/* Returns false if the template no longer has a value that a variant of the rule uses. */
static bool has_values(const gt_template *template, const gt_rule *rule)
{
    bool all = true;
    for (size_t v = 0; v < rule->variants.count; v++) {
        for (uint32_t i = 0; i < template->axis_count; i++) {
            all &= rule->variants.items[v].choice[i] < template->axes[i].count;
        }
    }
    return all;
}

gputune_status gt_rule_check_sources(const gt_rule *rule, const char *sources,
                                     const gt_template *template, const gt_device *device,
                                     const char *prelude)
{
    GT_FREED char *now = NULL;
    bool is_same = has_values(template, rule) &&
                   gt_rule_sources(&now, rule, template, device, prelude) == GPUTUNE_OK &&
                   strcmp(now, sources) == 0;
    GT_REFUSE(!is_same, GPUTUNE_ENOTFOUND,
              "the template was edited since the rule was made; 'gputune warm %s:%s --sizes' makes "
              "a new one",
              template->path, template->name);
    return GPUTUNE_OK;
}

/* Fails with ENOTFOUND if the template allows some configurations for a problem, but not the
 * variant that the rule chooses. */
static gputune_status check_choice(const gt_rule *rule, const gt_template *template,
                                   const gt_device *device, const gt_problem *problem)
{
    int64_t slots[GT_SLOT_MAX];
    GT_FREED gt_workload *workload = malloc(sizeof *workload);
    gt_space *space;
    GT_FREED char *text = NULL;
    GT_TRY(gt_allocated(workload));
    gt_slots_fill(slots, template, problem, device);
    const int variant = gt_rule_choose(rule, problem, slots);
    GT_TRY(gt_problem_text(&text, template, problem));
    gputune_status status = gt_workload_bind(workload, template, problem, device, 0, NULL, 0);
    if (status != GPUTUNE_OK) { /* the kernel has no valid buffers at this size */
        return status == GPUTUNE_ENOMEM ? status : GPUTUNE_OK;
    }
    GT_TRY(gt_space_open(&space, template, problem, workload, device, NULL, 0));
    const bool excluded = variant >= 0 &&
                          gt_space_excludes(space, &rule->variants.items[variant]) &&
                          gt_space_count(space).count > 0;
    gt_space_free(space);
    GT_REFUSE(excluded, GPUTUNE_ENOTFOUND,
              "%s excludes what the rule chooses at %s; 'gputune warm' makes a new one",
              template->path, text);
    return GPUTUNE_OK;
}

gputune_status gt_rule_check_choices(const gt_rule *rule, const gt_template *template,
                                     const gt_device *device)
{
    enum { POINTS = 64 };
    for (uint64_t i = 0; i < POINTS; i++) {
        const gt_problem problem = gt_region_point(template, &rule->region, i);
        GT_TRY(check_choice(rule, template, device, &problem));
    }
    return GPUTUNE_OK;
}

gputune_status gt_find_rule(gt_found_rule *out, const gt_request *request)
{
    GT_SCOPED(gt_stored_rule_free) gt_stored_rule stored = {0};
    const gt_device *device = request->device;
    gputune_status status = gt_store_find_rule(&stored, request->services->store,
                                               &request->scenario, &request->patience);
    GT_REFUSE(status == GPUTUNE_ENOTFOUND, status,
              "no rule is stored for this version of the template, these options, types and "
              "constants, and this GPU; "
              "'gputune warm %s%s%s --sizes' makes one",
              request->by_path ? request->template->path : "", request->by_path ? ":" : "",
              request->template->name);
    GT_TRY(status);
    GT_SCOPED(gt_found_rule_free)
    gt_found_rule found = {.proved =
                               stored.proved && stored.driver_version == device->driver_version};
    GT_TRY(gt_rule_parse(&found.rule, request->template, stored.text));
    GT_TRY(gt_rule_check_sources(found.rule, stored.sources, request->template, device,
                                 gt_catalog_prelude(request->services->catalog)));
    found.text = gt_take(&stored.text);
    *out = gt_take(&found);
    return GPUTUNE_OK;
}

/* Describes the expected loss: how much slower the rule's variant is than a tuned one. */
static gputune_status describe_rule(char **out, const gt_rule *rule)
{
    return gt_format(out, "rule, expected loss %.1f%% (90th percentile %.1f%%)",
                     100 * (rule->loss.mean - 1), 100 * (rule->loss.p90 - 1));
}

gt_terms gt_terms_of_rule(const gt_request *request)
{
    gt_terms terms = terms_of_unmeasured(request);
    terms.by_rule = terms.proved = true;
    return terms;
}

gputune_status gt_choose_variant(gt_choice *out, gt_request *request, const gt_found_rule *found,
                                 uint32_t variant)
{
    GT_FREED char *reason = NULL;
    gt_choice choice = {.source = GPUTUNE_SOURCE_RULE,
                        .config = found->rule->variants.items[variant],
                        .terms = gt_terms_of_rule(request)};
    GT_TRY(describe_rule(&reason, found->rule));
    return (found->proved ? finish_choice : finish_proved)(out, &choice, request, NULL, reason);
}

/* Chooses the variant that the stored rule gives for the request's sizes. If the rule is not proved
 * on this kind of GPU and driver, first proves the variant, and fails if the proof fails. ENOTFOUND
 * with a message if there is no rule for these sizes. */
static gputune_status choose_by_rule(gt_choice *out, gt_request *request)
{
    int64_t slots[GT_SLOT_MAX];
    GT_SCOPED(gt_found_rule_free) gt_found_rule found = {0};
    GT_REFUSE(request->only_text[0], GPUTUNE_ENOTFOUND, "calls with `only` use no rule");
    GT_TRY(gt_find_rule(&found, request));
    gt_slots_fill(slots, request->template, &request->problem, request->device);
    const int variant = gt_rule_choose(found.rule, &request->problem, slots);
    GT_REFUSE(variant < 0, GPUTUNE_ENOTFOUND, "%s is outside the rule's region",
              request->problem_text);
    const gt_config config = found.rule->variants.items[variant];
    GT_REFUSE(!gt_request_permits(request, &config), GPUTUNE_ENOTFOUND,
              "the rule's variant is not possible at %s", request->problem_text);
    GT_TRY(refuse_failed(request, &config, false));
    return gt_choose_variant(out, request, &found, (uint32_t)variant);
}

static gputune_status finish_default(gt_choice *out, gt_request *request, const gt_terms *terms,
                                     const char *reason)
{
    gt_choice choice = {
        .source = GPUTUNE_SOURCE_DEFAULT, .config = request->standard, .terms = *terms};
    return finish_choice(out, &choice, request, NULL, reason);
}

static gputune_status choose_default(gt_choice *out, gt_request *request)
{
    const gt_terms terms = terms_of_unmeasured(request);
    GT_TRY(refuse_failed(request, &request->standard, true));
    return finish_default(out, request, &terms, "");
}

/* If the time limit has passed, extends it a little, to find code that is already compiled. */
static void extend_patience(gt_request *request)
{
    if (gt_patience_left_s(&request->patience) <= 0) {
        request->patience = gt_request_grace(request);
    }
}

/* Chooses by a rule. If the call demands a rule but there is none, logs the reason. */
static gputune_status choose_rule(gt_choice *out, gt_request *request)
{
    gputune_status status = choose_by_rule(out, request);
    if (status != GPUTUNE_OK && request->options.unseen == GPUTUNE_RULE) {
        gt_log_line(&request->log, GPUTUNE_LOG_INFO, "%s %s: not chosen by a rule: %s",
                    request->template->name, request->problem_text, gt_message());
    }
    return status;
}

static gputune_status choose_unmeasured(gt_choice *out, gt_request *request)
{
    if (choose_rule(out, request) == GPUTUNE_OK) {
        return GPUTUNE_OK;
    }
    if (request->options.effort == GPUTUNE_ESTIMATE) {
        if (gt_rank(out, request) == GPUTUNE_OK) {
            return GPUTUNE_OK;
        }
        extend_patience(request);
    }
    return choose_nearest(out, request) == GPUTUNE_OK ? GPUTUNE_OK : choose_default(out, request);
}

/* --- measuring -------------------------------------------------------------------------------- */

/* Compiles the default into request->default_code. Uses most of the time that is left. */
static void compile_default(gt_request *request)
{
    /* the rest of the time is needed to wait for the lease */
    static const double share = 0.8;
    const gt_patience all = request->patience, grace = request->grace;
    request->patience = gt_patience_at_most(&all, share * gt_patience_left_s(&all));
    (void)gt_compile_one(NULL, NULL, request, &request->standard);
    request->patience = all;
    request->grace = grace;
}

/* Acquires the lease. If another process keeps it for long, compiles the default while waiting, so
 * there is an answer when the time is over. */
static gputune_status acquire_lease(gt_lease *lease, gt_request *request)
{
    static const double compile_s = 1; /* kept for compiling the default; more is rarely needed */
    gt_store *store = request->services->store;
    double left_s = gt_patience_left_s(&request->patience);
    double wait_s = fmax(fmin(left_s / 2, left_s - compile_s), 0);
    const gt_patience first = gt_patience_at_most(&request->patience, wait_s);
    gputune_status status = gt_store_lease_acquire(lease, store, &request->scenario, &first);
    if (status != GPUTUNE_EBUSY) {
        return status;
    }
    compile_default(request);
    return gt_store_lease_acquire(lease, store, &request->scenario, &request->patience);
}

/* Runs a search. If it times out, the message states how long another process was tuning. */
static gputune_status search_what_is_left(gt_choice *out, gt_request *request, double waited_s)
{
    static const double brief_s = 0.1; /* shorter waits for the lease are not worth mentioning */
    const double limit_s = request->options.time_limit_s;
    gputune_status status = gt_search(out, request);
    if (status != GPUTUNE_ETIMEOUT || waited_s < fmax(limit_s / 2, brief_s)) {
        return status;
    }
    GT_FREED char *why = NULL;
    GT_TRY(gt_strdup(&why, gt_message()));
    return gt_fail(status,
                   "%s; for %.3g s of this time, another process was tuning the same kernel", why,
                   waited_s);
}

static gputune_status search_under_lease(gt_choice *out, gt_request *request)
{
    gt_store *store = request->services->store;
    gt_lease lease = {0};
    GT_TRY(gt_session_may_measure(request)); /* a callback would wait forever for its own session */
    const int64_t start_ns = gt_now_ns();
    GT_TRY(acquire_lease(&lease, request));
    request->lease = &lease;
    const double waited_s = (double)(gt_now_ns() - start_ns) * 1e-9;
    /* another process may have tuned the scenario during the wait */
    gputune_status status = look_up_request(out, request, &request->patience);
    if (status != GPUTUNE_OK) {
        status = search_what_is_left(out, request, waited_s);
    }
    request->lease = NULL;
    const gt_patience brief = gt_patience_for(0.1, NULL); /* an unreleased lease expires */
    gt_store_lease_release(&lease, store, &brief);
    return status;
}

static const char *message_without(const char *name)
{
    const char *message = gt_message();
    size_t length = strlen(name);
    bool named = strncmp(message, name, length) == 0 && strncmp(message + length, ": ", 2) == 0;
    return named ? message + length + 2 : message;
}

static void log_unmeasured(const gt_request *request, const char *reason)
{
    gt_log_line(&request->log, GPUTUNE_LOG_WARNING, "%s: not tuned: %s", request->template->name,
                reason);
}

/* Answers a call without measuring. The choice's reason states why nothing was measured. */
static gputune_status choose_without_times(gt_choice *out, gt_request *request,
                                           gputune_status failure)
{
    const gt_terms whatever = terms_of_unmeasured(request);
    GT_FREED char *reason = NULL;
    GT_TRY(gt_strdup(&reason, message_without(request->template->name)));
    /* do not log a reason that repeats the failure's message, which the call may return */
    bool repeats = request->refuted.failure && strcmp(request->refuted.message, reason) == 0;
    if (!repeats) {
        log_unmeasured(request, reason);
    }
    extend_patience(request);
    if (look_up(out, request, &whatever, NULL) != GPUTUNE_OK) {
        GT_TRY(choose_unmeasured(out, request));
    }
    if (repeats) {
        log_unmeasured(request, reason);
    }
    out->terms.final = false;
    if (failure == GPUTUNE_ETIMEOUT) { /* a later call with this limit need not tune again */
        out->terms = whatever;
        out->terms.final = false;
        out->terms.proved = true;
        out->terms.limit_s = request->options.time_limit_s;
    }
    char *replaced = out->stop_reason;
    out->stop_reason = reason;
    reason = replaced;
    return GPUTUNE_OK;
}

static gt_terms terms_of_forced(const gt_request *request)
{
    gt_terms terms = request->terms;
    terms.final = terms.proved = true;
    return terms;
}

/* Answers from the file to which the tuner is pinned. Fails if it has no answer. */
static gputune_status choose_pinned(gt_choice *out, gt_request *request)
{
    const char *name = request->template->name, *file = request->services->pinned;
    const gt_terms whatever = terms_of_unmeasured(request);
    GT_REFUSE(request->options.force, GPUTUNE_EUNSUPPORTED,
              "%s: `force` asks for a tuning, but this tuner is pinned to %s; leave it out", name,
              file);
    gputune_status status = look_up(out, request, &whatever, NULL);
    if (status == GPUTUNE_ENOTFOUND) {
        status = prove_imported(out, request, &whatever);
    }
    GT_REFUSE(status == GPUTUNE_ENOTFOUND, GPUTUNE_ENOTCACHED,
              "%s: no result for %s with these options on this GPU in %s, to which this tuner is "
              "pinned; tune it with 'gputune warm' and export it again",
              name, request->problem_text, file);
    GT_TRY(status);
    out->terms = terms_of_forced(request);
    return GPUTUNE_OK;
}

static bool launches_nothing(const gt_request *request)
{
    GT_FREED gt_launch *launch = gt_request_launch(request, &request->standard);
    return launch && gt_launch_kernels(launch) == 0;
}

static gputune_status choose_config(gt_choice *out, gt_request *request)
{
    if (launches_nothing(request)) {
        const gt_terms terms = terms_of_forced(request);
        return finish_default(out, request, &terms, "nothing is launched at these sizes");
    }
    if (request->services->pinned) {
        return choose_pinned(out, request);
    }
    if (look_up_request(out, request, NULL) == GPUTUNE_OK) {
        return GPUTUNE_OK;
    }
    const gputune_options *o = &request->options;
    bool may_rule = o->unseen == GPUTUNE_RULE && !o->background && o->effort >= GPUTUNE_MEASURE;
    if (may_rule && !o->force && choose_rule(out, request) == GPUTUNE_OK) {
        return GPUTUNE_OK;
    }
    if (!o->force && choose_imported(out, request)) {
        return GPUTUNE_OK;
    }
    if (o->effort < GPUTUNE_MEASURE) {
        return choose_unmeasured(out, request);
    }
    gputune_status status = search_under_lease(out, request);
    bool answers = gt_ending_of(status)->leaves_an_answer && !request->background;
    return answers ? choose_without_times(out, request, status) : status;
}

/* Logs if the default was chosen although the request's restrictions exclude it. */
static gputune_status choose_outside_restrictions(gt_choice *choice, const gt_request *request)
{
    GT_FREED char *config = NULL;
    choice->outside_only = request->only_text[0] && !gt_space_has(request->space, &choice->config);
    if (!choice->outside_only) {
        return GPUTUNE_OK;
    }
    bool known = choice->source != GPUTUNE_SOURCE_DEFAULT;
    GT_TRY(gt_config_text(&config, request->template, &choice->config));
    gt_log_line(&request->log, GPUTUNE_LOG_INFO,
                "%s: using the default %s, although it is outside %s: %s", request->template->name,
                config, request->only_text,
                known ? "no variant within it is faster" : "no result within it is known");
    return GPUTUNE_OK;
}

gputune_status gt_tune(gt_choice *out, gt_request *request)
{
    GT_TRY(choose_config(out, request));
    gputune_status status = choose_outside_restrictions(out, request);
    if (status != GPUTUNE_OK) {
        gt_choice_free(out);
    }
    return status;
}

gputune_status gt_choose_default(gt_choice *out, gt_request *request)
{
    const gt_terms terms = terms_of_forced(request);
    return finish_default(out, request, &terms, "");
}

gputune_status gt_choose_forced(gt_choice *out, gt_request *request, const char *text)
{
    gt_config config;
    GT_TRY(gt_config_parse(&config, request->template, text, true));
    GT_REFUSE(!gt_request_permits(request, &config), GPUTUNE_ENOVARIANT,
              "%s: '%s' is excluded by a constraint or this GPU; 'gputune space %s' shows which",
              request->template->name, text, request->template->name);
    GT_SCOPED(gt_choice_free)
    gt_choice choice = {
        .source = GPUTUNE_SOURCE_FORCED, .config = config, .terms = terms_of_forced(request)};
    if (gt_history_is_proved(request, &config)) {
        return finish_choice(out, &choice, request, NULL, "");
    }
    GT_TRY(gt_prove(&choice, request, &config, ""));
    *out = gt_take(&choice);
    return GPUTUNE_OK;
}
