/* The end of a tuning: reports progress, stores trials, and makes and stores the choice. */
#include "tuner/tuning.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/text.h"
#include "tuner/outcome.h"
#include "tuner/precedence.h"
#include "tuner/samples.h"

#include <stdio.h>
#include <string.h>

enum { PROGRESS_NS = 50000000 };

static void fill_times(gputune_progress *progress, const gt_tuning *tuning, char **best)
{
    const gt_runner *incumbent = gt_race_incumbent(tuning->race);
    const gt_variant *standard = tuning->session.field.standard;
    gt_summary summary;
    if (incumbent && gt_race_summary(tuning->race, incumbent->id, &summary) == GPUTUNE_OK) {
        progress->best_ns = summary.median;
        if (gt_config_text(best, tuning->session.request->template,
                           &gt_tuning_variant(tuning, incumbent->id)->config) == GPUTUNE_OK) {
            progress->best = *best;
        }
    }
    if (standard && gt_race_summary(tuning->race, standard->id, &summary) == GPUTUNE_OK) {
        progress->default_ns = summary.median;
    }
}

static const char *phase_name(const gt_tuning *tuning)
{
    const gt_field *field = &tuning->session.field;
    if (tuning->phase > GT_PHASE_PROVE) {
        return "race";
    }
    bool compiles = field->compiling || field->started < field->variants.count ||
                    !field->options.proposer->exhausted;
    return compiles ? "compile" : field->verifying ? "verify" : "race";
}

uint32_t gt_tuning_tried(const gt_tuning *tuning)
{
    return gt_field_tried(&tuning->session.field) + tuning->strategy.known;
}

/* Counts variants with a result, including duplicates and variants of earlier tunings. */
static uint32_t count_done(const gt_tuning *tuning)
{
    const gt_field *field = &tuning->session.field;
    uint32_t done = field->in[GT_STAGE_READY] + field->in[GT_STAGE_SLOWER] + field->duplicates;
    bool beside = field->fallback && field->fallback->stage == GT_STAGE_READY;
    return done - beside + tuning->strategy.known;
}

void gt_tuning_progress(gt_tuning *tuning, const char *phase, bool always)
{
    const gputune_options *o = &tuning->session.request->options;
    int64_t now = gt_now_ns();
    if (!o->progress || (!always && now - tuning->last_progress_ns < PROGRESS_NS)) {
        return;
    }
    tuning->last_progress_ns = now;
    const gt_field *field = &tuning->session.field;
    gputune_progress progress = {.variants = gt_field_total(field),
                                 .verified = count_done(tuning),
                                 .failed = field->in[GT_STAGE_FAILED],
                                 .racing = gt_race_active(tuning->race),
                                 .round = (uint32_t)tuning->session.rounds_sent,
                                 .elapsed_s = gt_session_elapsed_s(&tuning->session),
                                 .limit_s = o->time_limit_s,
                                 .phase = phase ? phase : phase_name(tuning),
                                 .objective = gt_tuning_is_before_weighing(tuning)
                                                  ? GPUTUNE_OBJECTIVE_KERNEL
                                                  : o->objective};
    uint32_t attempted = gt_tuning_tried(tuning);
    progress.compiled = attempted - (field->compiling < attempted ? field->compiling : attempted);
    GT_FREED char *best = NULL;
    fill_times(&progress, tuning, &best);
    o->progress(o->user, &progress);
}

void gt_tuning_write_samples(const gt_tuning *tuning)
{
    const gt_request *request = tuning->session.request;
    const gt_samples races[] = {
        {tuning->by_time, GPUTUNE_OBJECTIVE_KERNEL},
        {tuning->race, gt_tuning_is_before_weighing(tuning) ? GPUTUNE_OBJECTIVE_KERNEL
                                                            : request->options.objective},
        /* samples with a warm cache are omitted, because they cannot be compared with others */
        {tuning->playoff.hot ? NULL : tuning->playoff.race,
         tuning->playoff.weighs ? request->options.objective : GPUTUNE_OBJECTIVE_KERNEL},
    };
    gt_samples_write(&tuning->session.field, races, sizeof races / sizeof *races);
}

/* Finds a variant in the last race in which it took part; NULL if it was not sampled there. */
static const gt_runner *find_raced(const gt_tuning *tuning, const gt_variant *variant)
{
    const gt_runner *runner = gt_race_find(tuning->race, variant->id);
    if (!runner && tuning->by_time) {
        runner = gt_race_find(tuning->by_time, variant->id);
    }
    return runner && runner->samples.count ? runner : NULL;
}

/* Explains why a variant has left the race; "" if it has not. */
static void explain_result(char *out, size_t bytes, const gt_runner *runner, bool among_all,
                           bool by_time)
{
    char why[128];
    if (runner->left == GT_RACE_IN) {
        snprintf(out, bytes, "%s",
                 among_all ? "not among the fastest, so its energy was not compared" : "");
        return;
    }
    snprintf(out, bytes, "%s%s", by_time ? "by time: " : "",
             gt_race_leave_text(why, sizeof why, runner));
}

/* Adds the result of the race to a trial. Does not add times if the objective is energy. */
static gputune_status describe_race(gt_trial *trial, const gt_tuning *tuning,
                                    const gt_variant *variant)
{
    char text[160];
    const gt_runner *runner = find_raced(tuning, variant);
    if (!runner) {
        return GPUTUNE_OK;
    }
    bool among_all = runner != gt_race_find(tuning->race, variant->id);
    bool by_time = among_all || gt_tuning_is_before_weighing(tuning);
    if (!by_time) {
        GT_TRY(gt_race_summary(tuning->race, variant->id, &trial->time));
    }
    trial->eliminated_round = runner->left_round;
    explain_result(text, sizeof text, runner, among_all, by_time);
    if (!text[0] || runner->left == GT_RACE_LEFT_FAILED) {
        return GPUTUNE_OK;
    }
    trial->status = GT_TRIAL_ELIMINATED;
    return gt_strdup((char **)&trial->message, text);
}

static gputune_status describe_duplicate(gt_trial *trial, const gt_template *template,
                                         const gt_variant *tried)
{
    GT_FREED char *config = NULL;
    GT_TRY(gt_config_text(&config, template, &tried->config));
    free((char *)gt_take(&trial->message));
    return gt_format((char **)&trial->message, "the same launch as %s", config);
}

static gputune_status describe_trial(gt_trial *trial, const gt_tuning *tuning,
                                     const gt_variant *variant, const gt_duplicate *duplicate)
{
    const gt_request *request = tuning->session.request;
    const gt_field *field = &tuning->session.field;
    char text[96];
    *trial = gt_field_trial(field, variant, duplicate);
    trial->noisy = tuning->session.disturbance.noisy;
    GT_TRY(gt_config_text((char **)&trial->config, request->template,
                          duplicate ? &duplicate->config : &variant->config));
    GT_TRY(gt_strdup((char **)&trial->proved_at, request->proved_at));
    if (variant->failure != GPUTUNE_OK) {
        return gt_strdup((char **)&trial->message, variant->message ? variant->message : "");
    }
    /* a variant whose first launch was too slow is not verified */
    if (variant->stage == GT_STAGE_SLOWER) {
        double pilot = gt_field_pilot(field, variant);
        gt_snprintf(text, sizeof text, "took %.2fx the best time in its first launch",
                    pilot / field->best_ns);
        trial->status = GT_TRIAL_UNPROVED;
        GT_TRY(gt_summarise(&trial->time, &pilot, 1));
        GT_TRY(gt_strdup((char **)&trial->message, text));
    } else {
        GT_TRY(describe_race(trial, tuning, variant));
    }
    if (variant->id == tuning->proved && !trial->message) {
        GT_TRY(gt_field_single((char **)&trial->message, field));
    }
    return duplicate ? describe_duplicate(trial, request->template, variant) : GPUTUNE_OK;
}

/* Returns true if this tuning has found a result for the variant that should be stored. */
static bool is_found_out(const gt_tuning *tuning, const gt_variant *variant)
{
    bool tried = find_raced(tuning, variant) || variant->stage == GT_STAGE_SLOWER ||
                 (variant->stage == GT_STAGE_FAILED && !variant->remembered);
    return variant->limit_s > 0 ||
           (tried && gt_outcome_is_kept(variant->failure, variant->repeatable));
}

/* Appends the trial of a variant, unless an earlier tuning has stored a better one. */
static gputune_status append_trial(gt_trial_list *out, const gt_tuning *tuning,
                                   const gt_variant *variant, const gt_duplicate *duplicate)
{
    const gt_trial none = {0};
    GT_TRY(gt_array_push(out, none));
    gt_trial *trial = &out->items[out->count - 1];
    GT_TRY(describe_trial(trial, tuning, variant, duplicate));
    const gt_trial *known = gt_history_find(&tuning->history, trial->hash);
    bool vague = gt_trial_is_correct(trial->status) || trial->limit_ns > 0;
    bool is_better_known = known && ((vague && !trial->time.count && known->time.count) ||
                                     ((trial->status == GT_TRIAL_UNPROVED || trial->limit_ns > 0) &&
                                      gt_trial_is_correct(known->status)));
    if (is_better_known) {
        gt_trial_list_drop(out, out->count - 1);
    }
    return GPUTUNE_OK;
}

/* Lists trials. If `settled`, lists only those that have become final since the last call. */
static gputune_status list_trials(gt_trial_list *out, gt_tuning *tuning, bool settled)
{
    gt_field *field = &tuning->session.field;
    for (gt_variant *variant = field->first; variant; variant = variant->next) {
        const gt_runner *runner = gt_race_find(tuning->race, variant->id);
        bool is_settled = variant->stage == GT_STAGE_FAILED || variant->stage == GT_STAGE_SLOWER ||
                          (runner && gt_race_has_lost(tuning->race, runner));
        bool wanted = !settled || (!variant->kept && variant != field->doubtful && is_settled);
        if (!wanted || !is_found_out(tuning, variant)) {
            continue;
        }
        variant->kept |= settled;
        GT_TRY(append_trial(out, tuning, variant, NULL));
        for (size_t i = 0; i < variant->duplicates.count; i++) {
            GT_TRY(append_trial(out, tuning, variant, &variant->duplicates.items[i]));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_tuning_keep(gt_tuning *tuning)
{
    static const int64_t interval_ns = 1000000000;
    const gt_request *request = tuning->session.request;
    GT_SCOPED(gt_trial_list_free) gt_trial_list trials = {0};
    int64_t now = gt_now_ns();
    int64_t since = tuning->last_kept_ns ? tuning->last_kept_ns : tuning->session.start_ns;
    if (now - since < interval_ns) {
        return GPUTUNE_OK;
    }
    GT_TRY(list_trials(&trials, tuning, true));
    if (trials.count > 0) {
        const gt_patience brief = gt_patience_at_most(&request->patience, 0.05);
        /* a failure does not matter, because the trials are stored again at the end */
        (void)gt_store_put_trials(request->services->store, &request->scenario, trials.items,
                                  trials.count, &brief);
    }
    tuning->last_kept_ns = gt_now_ns();
    return GPUTUNE_OK;
}

/* --- the choice ------------------------------------------------------------------------------- */

/* Sets *out to the result of the race. Its speed-ups are 0 if the objective is energy but the race
 * was decided by time. ENOVARIANT if no contestant was sampled. */
static gputune_status find_result(gt_race_result *out, const gt_tuning *tuning)
{
    GT_TRY(gt_race_result_get(tuning->race, out));
    if (!out->samples) {
        return GPUTUNE_ENOVARIANT;
    }
    bool by_time = gt_tuning_is_before_weighing(tuning);
    /* true if another variant might have won if the tuning had not been stopped */
    bool is_cut_short =
        tuning->session.stop != GT_STOP_NONE &&
        (tuning->proved != out->winner || gt_field_lacks_one(&tuning->session.field));
    if (by_time || tuning->cut_short || is_cut_short) {
        out->end = tuning->end;
    }
    if (by_time) {
        out->verdict = (gt_verdict){.tie = out->verdict.tie};
    }
    return GPUTUNE_OK;
}

static gputune_status summarise_variant(gt_summary *out, const gt_tuning *tuning, uint64_t id)
{
    *out = (gt_summary){0};
    return gt_tuning_is_before_weighing(tuning) ? GPUTUNE_OK
                                                : gt_race_summary(tuning->race, id, out);
}

/* Returns the terms of the result. It is not final if a time limit, a cancel or lack of memory
 * prevented a variant from racing. */
static gt_terms terms_of(const gt_tuning *tuning, const gt_race_result *result)
{
    gt_terms terms = tuning->session.request->terms;
    terms.final = result->end != GT_RACE_BUDGET && result->end != GT_RACE_CANCELED &&
                  !gt_field_lacks_one(&tuning->session.field);
    bool by_limit =
        result->end == GT_RACE_BUDGET || (!terms.final && tuning->session.stop == GT_STOP_LIMIT);
    terms.limit_s = by_limit ? tuning->session.request->options.time_limit_s : 0;
    terms.proved = tuning->proved == result->winner;
    /* a complete result also answers requests for an exhaustive search */
    terms.complete = (terms.final || terms.complete) && !tuning->strategy.content &&
                     !tuning->session.field.worthless;
    return terms;
}

/* Explains why the tuning ended. If not all variants were tried, states how many were. */
static gputune_status explain_end(char **out, const gt_tuning *tuning, const gt_race_result *result,
                                  bool proved_again)
{
    gt_race_end end = result->end;
    bool hot = tuning->hot_winner == result->winner;
    static const char *const certain[] = {
        [GT_EXACT] = "", [GT_ABOUT] = "about ", [GT_AT_MOST] = "at most "};
    const gt_certainty certainty = gt_space_count(tuning->session.request->space).certainty;
    uint64_t size = tuning->strategy.proposer.total;
    bool searched_all = certainty == GT_EXACT && gt_tuning_tried(tuning) >= size;
    uint32_t given_up = tuning->session.field.worthless;
    bool content = tuning->session.stop == GT_STOP_NONE && tuning->strategy.content;
    bool decided = end == GT_RACE_ONE_LEFT || end == GT_RACE_NO_GAIN;
    gt_text text = {0};
    char count[32], all[32];
    if (!searched_all) {
        gt_text_printf(&text, "tried %s of %s%s variants; ",
                       gt_count_text(count, sizeof count, gt_tuning_tried(tuning)),
                       certain[certainty], gt_count_text(all, sizeof all, size));
    }
    if (given_up) {
        gt_text_printf(&text, "%u took too long to compile; ", given_up);
    }
    if (content) {
        gt_text_printf(&text, "no gain above %.3g%% is expected from the others%s",
                       tuning->session.request->options.epsilon * 100, decided ? "" : "; ");
    } else if (decided && !searched_all) {
        gt_text_printf(&text, "none was faster%s",
                       end == GT_RACE_NO_GAIN ? " by more than epsilon" : "");
    }
    gt_text_append(&text, decided && (content || !searched_all) ? "" : gt_race_end_text(end));
    const double limit_s = tuning->session.request->options.time_limit_s;
    if (end == GT_RACE_BUDGET && tuning->kept_s > 0.1 * limit_s) {
        gt_text_printf(&text, " (%.3g of %.3g s are reserved for verifying the winner)",
                       tuning->kept_s, limit_s);
    }
    gt_text_append(&text, hot ? "; tie decided by the time with a warm cache" : "");
    gt_text_append(&text, proved_again ? "" : "; winner not re-verified (out of time)");
    return gt_text_take(out, &text);
}

/* Counts the variants that failed, and those that hung once and were not tried again. */
static uint32_t count_failed(const gt_field *field)
{
    uint32_t count = field->in[GT_STAGE_FAILED];
    for (const gt_variant *variant = field->first; variant; variant = variant->next) {
        count += variant->stage == GT_STAGE_DEFERRED && variant->failure == GPUTUNE_ETIMEOUT &&
                 variant->deferral == GT_DEFERRED_HUNG;
    }
    return count;
}

static gputune_status make_choice(gt_choice *choice, const gt_tuning *tuning,
                                  const gt_race_result *result)
{
    const gt_field *field = &tuning->session.field;
    gt_summary winner, standard = {0};
    GT_TRY(summarise_variant(&winner, tuning, result->winner));
    if (result->has_default) {
        GT_TRY(summarise_variant(&standard, tuning, field->standard->id));
    }
    *choice = (gt_choice){.source = GPUTUNE_SOURCE_MEASURED,
                          .time_ns = winner.median,
                          .default_ns = standard.median,
                          .verdict = result->verdict,
                          .terms = terms_of(tuning, result),
                          .variants = gt_tuning_tried(tuning),
                          .failed = count_failed(field)};
    choice->verdict.noisy = tuning->session.disturbance.noisy;
    GT_TRY(explain_end(&choice->stop_reason, tuning, result, choice->terms.proved));
    return gt_choice_take(choice, field, gt_tuning_variant(tuning, result->winner));
}

/* --- storing ---------------------------------------------------------------------------------- */

/* Returns the version of NVRTC that the compile workers use; 0 if nothing was compiled. */
static int compiler_version(const gt_tuning *tuning)
{
    int version = 0;
    for (size_t i = 0; i < tuning->session.field.units.count; i++) {
        int one = tuning->session.field.units.items[i]->compiled.nvrtc_version;
        version = one > version ? one : version;
    }
    return version;
}

static gputune_status store_results(const gt_tuning *tuning, const gt_trial_list *list,
                                    const gt_winner *winner)
{
    const gt_request *request = tuning->session.request;
    bool final = winner && winner->terms.final;
    GT_FREED gt_code_list codes = {0};
    GT_TRY(gt_field_list_codes(&codes, &tuning->session.field, final));
    gt_site site = gt_site_of(&request->scenario, request->device, request->host_text);
    site.nvrtc_version = compiler_version(tuning);
    site.copy_bytes_per_s = tuning->session.field.preparation.copy_bytes_per_s;
    const gt_outcome outcome = {.site = &site,
                                .trials = list->items,
                                .trial_count = list->count,
                                .winner = winner,
                                .codes = codes.items,
                                .code_count = codes.count,
                                .force = request->options.force,
                                .elapsed_s = gt_session_elapsed_s(&tuning->session)};
    const gt_patience patience = gt_session_storing(&tuning->session);
    return gt_store_put_winner(request->services->store, &outcome, &patience);
}

static gputune_status store_result(const gt_tuning *tuning, const gt_choice *choice,
                                   const gt_race_result *result, const gt_trial_list *list)
{
    const gt_request *request = tuning->session.request;
    const gt_field *field = &tuning->session.field;
    const gt_variant *fastest = gt_tuning_variant(tuning, result->winner);
    GT_FREED char *config = NULL, *default_config = NULL, *fallback_config = NULL;
    GT_TRY(gt_config_text(&config, request->template, &choice->config));
    GT_TRY(gt_config_text(&default_config, request->template, &request->standard));
    gt_winner winner = {.problem = request->problem_text,
                        .config = config,
                        .default_config = default_config,
                        .trial = fastest->trial,
                        .default_trial = field->standard ? field->standard->trial : (gt_hash){0},
                        .code = gt_unit_code(fastest->unit, request->device),
                        .terms = choice->terms,
                        .only = request->only_text,
                        .verdict = choice->verdict,
                        .modelled = request->device->emulated,
                        .stop_reason = choice->stop_reason,
                        .variants = choice->variants,
                        .failed = choice->failed,
                        .tuning_s = gt_session_elapsed_s(&tuning->session)};
    winner.nvrtc_version = winner.code.nvrtc_version;
    if (choice->has_fallback) {
        const gt_variant *fallback = gt_field_find_ready(field, &choice->fallback);
        winner.fallback = gt_unit_code(fallback->unit, request->device);
        GT_TRY(gt_config_text(&fallback_config, request->template, &choice->fallback));
        winner.fallback_config = fallback_config;
    }
    return store_results(tuning, list, &winner);
}

static void warn_unless_stored(const gt_tuning *tuning, gputune_status stored)
{
    if (stored != GPUTUNE_OK) {
        gt_log_line(&tuning->session.request->log, GPUTUNE_LOG_WARNING,
                    "the result could not be stored: %s", gt_message());
    }
}

/* If no variant was compiled before the time limit, writes a message to `out` and returns true. */
static bool describe_uncompiled(char *out, size_t bytes, const gt_tuning *tuning)
{
    uint32_t count = 0;
    for (const gt_variant *next = tuning->session.field.first; next; next = next->next) {
        bool waits = next->failure == GPUTUNE_OK || next->failure == GPUTUNE_ETIMEOUT;
        if (next->unit && (next->unit->stage == GT_STAGE_READY || !waits)) {
            return false;
        }
        count += next->unit && next->role != GT_ROLE_FALLBACK;
    }
    gt_snprintf(out, bytes,
                "none of %u variants was compiled within the %.3g s limit; raise the time limit",
                count, tuning->session.request->options.time_limit_s);
    return count && tuning->session.stop == GT_STOP_LIMIT;
}

static gputune_status explain_stop(const gt_tuning *tuning)
{
    const gt_field *field = &tuning->session.field;
    const char *name = tuning->session.request->template->name;
    double limit = tuning->session.request->options.time_limit_s;
    const gt_variant *first = NULL;
    uint32_t failed = 0;
    char why[128];
    GT_REFUSE(tuning->session.stop == GT_STOP_CANCELED, GPUTUNE_ECANCELED,
              "%s: stopped before any variant was measured", name);
    GT_REFUSE(describe_uncompiled(why, sizeof why, tuning), GPUTUNE_ETIMEOUT, "%s: %s", name, why);
    GT_REFUSE(tuning->session.gpu_is_taken, GPUTUNE_EBUSY,
              "%s: another tuning in this process used the GPU during the whole limit of %.3g s",
              name, limit);
    for (const gt_variant *variant = field->first; variant; variant = variant->next) {
        failed += variant->failure != GPUTUNE_OK;
        first = first || variant->failure == GPUTUNE_OK ? first : variant;
    }
    GT_REFUSE(first, GPUTUNE_ETIMEOUT,
              "%s: no variant was measured in %.3g s; %u of %u failed, the first like this: %s",
              name, limit, failed, gt_field_tried(field), first->message ? first->message : "");
    GT_REFUSE(gt_store_is_locked(tuning->session.request->services->store), GPUTUNE_ETIMEOUT,
              "%s: no variant was measured in %.3g s, in which another process kept the database "
              "locked; wait until it ends",
              name, limit);
    return gt_session_ended(&tuning->session, "any variant was measured");
}

static gputune_status conclude_without_winner(const gt_tuning *tuning, const gt_trial_list *list)
{
    char why[128];
    gt_request *request = tuning->session.request;
    gt_field_note_bad_default(&tuning->session.field, request);
    if (request->refuted.failure && describe_uncompiled(why, sizeof why, tuning)) {
        gt_snprintf(request->refuted.message, sizeof request->refuted.message, "%s", why);
    }
    warn_unless_stored(tuning, store_results(tuning, list, NULL));
    return tuning->session.stop != GT_STOP_NONE ? explain_stop(tuning)
                                                : gt_field_verdict(&tuning->session.field);
}

/* Returns true if the tuning was stopped before the champion was measured. The champion is the
 * fastest variant of earlier tunings, if it is faster than the winner and did not fail. */
static bool lacks_champion(const gt_tuning *tuning, uint64_t winner)
{
    gt_config champion;
    gt_summary time;
    double champion_ns = gt_strategy_proposer_champion(&champion, &tuning->strategy);
    if (tuning->session.stop == GT_STOP_NONE || !(champion_ns > 0) ||
        summarise_variant(&time, tuning, winner) != GPUTUNE_OK ||
        (time.count && time.median < champion_ns)) {
        return false;
    }
    const gt_variant *tried = gt_field_find(&tuning->session.field, &champion);
    bool failed = tried && tried->failure != GPUTUNE_OK &&
                  gt_outcome_is_kept(tried->failure, tried->repeatable);
    return !tried || (!failed && tried->id != winner && !find_raced(tuning, tried));
}

void gt_tuning_keep_findings(gt_tuning *tuning)
{
    char message[512];
    GT_SCOPED(gt_trial_list_free) gt_trial_list list = {0};
    gt_field *field = &tuning->session.field;
    snprintf(message, sizeof message, "%s", gt_message());
    gt_field_note_bad_default(field, tuning->session.request);
    if (field->doubtful) { /* the GPU may have caused this variant's crash */
        field->doubtful->repeatable = false;
    }
    gputune_status status = tuning->race ? list_trials(&list, tuning, false) : GPUTUNE_ENOMEM;
    GT_THEN(status, store_results(tuning, &list, NULL));
    warn_unless_stored(tuning, status);
    gt_message_set("%s", message);
}

/* Chooses the configuration that represents a variant and its duplicates: the one that
 * gt_precedes() prefers. The result then does not depend on the order of proposals. */
static void order_duplicates(gt_tuning *tuning)
{
    for (gt_variant *variant = tuning->session.field.first; variant; variant = variant->next) {
        /* a variant that is known to fail has no unit; its duplicates fail too */
        const bool has_order = variant->role == GT_ROLE_PROPOSED && variant->unit;
        for (size_t i = 0; has_order && i < variant->duplicates.count; i++) {
            const gt_resources *resources = &variant->unit->compiled.resources;
            gt_duplicate *at = &variant->duplicates.items[i];
            const gt_duplicate other = *at;
            if (gt_precedes(tuning->session.request, &other.config, resources, &variant->config,
                            resources)) {
                *at = (gt_duplicate){variant->config, variant->trial};
                variant->config = other.config;
                variant->trial = other.trial;
            }
        }
    }
}

gputune_status gt_tuning_conclude(gt_choice *out, gt_tuning *tuning)
{
    GT_SCOPED(gt_trial_list_free) gt_trial_list list = {0};
    gt_race_result result = {0};
    GT_SCOPED(gt_choice_free) gt_choice choice = {0};
    order_duplicates(tuning);
    GT_TRY(list_trials(&list, tuning, false));
    gputune_status status = find_result(&result, tuning);
    if (status == GPUTUNE_ENOVARIANT) {
        return conclude_without_winner(tuning, &list);
    }
    GT_TRY(status);
    if (lacks_champion(tuning, result.winner)) {
        warn_unless_stored(tuning, store_results(tuning, &list, NULL)); /* keeps the winner */
        return gt_session_ended(&tuning->session, "the best of earlier tunings was measured again");
    }
    GT_TRY(make_choice(&choice, tuning, &result));
    warn_unless_stored(tuning, store_result(tuning, &choice, &result, &list));
    *out = gt_take(&choice);
    return GPUTUNE_OK;
}
