/* The result of a tuning: the choice, and what is stored of it. */
#include "tuner/tuning.h"

#include "base/text.h"
#include "tuner/outcome.h"

#include <stdio.h>
#include <string.h>

/* --- the choice ------------------------------------------------------------------------------- */

static gputune_status copy_image(gt_image *out, const gt_image *image)
{
    void *copy = malloc(image->bytes + 1);
    GT_TRY(gt_allocated(copy));
    memcpy(copy, image->data, image->bytes);
    ((char *)copy)[image->bytes] = '\0';
    *out = (gt_image){copy, image->bytes};
    return GPUTUNE_OK;
}

static const gt_unit *unit_of(const gt_tuning *tuning, uint32_t variant)
{
    return &tuning->session.field.units.items[tuning->session.field.variants.items[variant].unit];
}

/* The verified variant of that configuration, or -1. */
static int64_t find_verified(const gt_tuning *tuning, const gt_config *config)
{
    for (uint32_t i = 0; i < tuning->session.field.variants.count; i++) {
        const gt_variant *variant = &tuning->session.field.variants.items[i];
        if (variant->stage == GT_STAGE_READY &&
            memcmp(&variant->config, config, sizeof *config) == 0) {
            return i;
        }
    }
    return -1;
}

static gputune_status choose_fallback(gt_choice *choice, const gt_tuning *tuning, int64_t *variant)
{
    bool same = false;
    GT_TRY(gt_config_scalar(&choice->fallback, &same, tuning->session.request->template,
                            &choice->config));
    choice->needs_alignment = !same;
    *variant = same ? -1 : find_verified(tuning, &choice->fallback);
    if (*variant < 0) {
        return GPUTUNE_OK;
    }
    choice->has_fallback = true;
    return copy_image(&choice->fallback_image,
                      &unit_of(tuning, (uint32_t)*variant)->compiled.image);
}

/* Stopped after its race was over, but before all was done that may change the result. */
static bool is_cut_short(const gt_tuning *tuning, const gt_race_result *result)
{
    return tuning->session.stop != GT_STOP_NONE &&
           (tuning->proved != result->winner || gt_field_lacks_one(&tuning->session.field));
}

/* The race's result, without speed-ups if it is by time and the objective is energy. ENOVARIANT:
 * there is none. */
static gputune_status find_result(gt_race_result *out, const gt_tuning *tuning)
{
    GT_TRY(gt_race_result_get(tuning->race, out));
    if (!out->samples) {
        return GPUTUNE_ENOVARIANT;
    }
    bool by_time = gt_tuning_is_before_weighing(tuning); /* stopped before anything was weighed */
    out->end = by_time || tuning->restored == tuning->race || is_cut_short(tuning, out)
                   ? tuning->end
                   : out->end;
    if (by_time) {
        out->verdict = (gt_verdict){.tie = out->verdict.tie};
    }
    return GPUTUNE_OK;
}

static gputune_status summarise(gt_summary *out, const gt_tuning *tuning, uint64_t id)
{
    *out = (gt_summary){0};
    return gt_tuning_is_before_weighing(tuning) ? GPUTUNE_OK
                                                : gt_race_summary(tuning->race, id, out);
}

/* A result that time or the caller ended is kept, but does not answer for a decided one. Nor does
 * one that lacks a variant for no fault of that variant's. */
static gt_terms terms_of(const gt_tuning *tuning, const gt_race_result *result)
{
    gt_terms terms = tuning->session.request->terms;
    terms.final = result->end != GT_RACE_BUDGET && result->end != GT_RACE_CANCELED &&
                  !gt_field_lacks_one(&tuning->session.field);
    terms.limit_s =
        result->end == GT_RACE_BUDGET ? tuning->session.request->options.time_limit_s : 0;
    terms.proved = tuning->proved == result->winner;
    terms.complete =
        !gt_strategy_proposer_is_content(tuning->strategy) && !tuning->session.field.given_up;
    return terms;
}

/* Known variants are as good as tried: they cannot win. */
static uint32_t tried(const gt_tuning *tuning)
{
    return gt_field_tried(&tuning->session.field) + gt_strategy_proposer_known(tuning->strategy);
}

/* Why the tuning ended, and how many variants were tried if not all were. */
static gputune_status explain_end(char **out, const gt_tuning *tuning, gt_race_end end,
                                  bool proved_again)
{
    uint64_t size = gt_strategy_proposer_size(tuning->strategy);
    uint32_t given_up = tuning->session.field.given_up;
    bool content =
        tuning->session.stop == GT_STOP_NONE && gt_strategy_proposer_is_content(tuning->strategy);
    bool decided = end == GT_RACE_ONE_LEFT || end == GT_RACE_NO_GAIN;
    gt_text text = {0};
    char count[32], all[32];
    if (tried(tuning) < size) {
        gt_text_printf(&text, "searched %s of %s; ",
                       gt_count_text(count, sizeof count, tried(tuning)),
                       gt_count_text(all, sizeof all, size));
    }
    if (given_up) {
        gt_text_printf(&text, "%u took too long to compile; ", given_up);
    }
    if (content) {
        gt_text_printf(&text, "nothing better by %.3g%% is expected",
                       tuning->session.request->options.epsilon * 100);
    } else { /* the race says nothing of variants that were not searched */
        gt_text_append(&text, decided && tried(tuning) < size ? "of those searched, " : "");
        gt_text_append(&text, gt_race_end_text(end));
    }
    gt_text_append(&text, proved_again ? "" : "; not proved again after its race");
    return gt_text_take(out, &text);
}

static gputune_status make_choice(gt_choice *choice, const gt_tuning *tuning,
                                  const gt_race_result *result, gt_summary *winner,
                                  gt_summary *standard)
{
    const gt_field *field = &tuning->session.field;
    const gt_variant *variant = &field->variants.items[result->winner];
    GT_TRY(summarise(winner, tuning, result->winner));
    if (result->has_default) {
        GT_TRY(summarise(standard, tuning, gt_field_default(field)));
    }
    *choice =
        (gt_choice){.source = GPUTUNE_SOURCE_MEASURED,
                    .config = variant->config,
                    .resources = unit_of(tuning, (uint32_t)result->winner)->compiled.resources,
                    .time_ns = winner->median,
                    .default_ns = standard->median,
                    .verdict = result->verdict,
                    .terms = terms_of(tuning, result),
                    .variants = tried(tuning),
                    .failed = field->failed};
    choice->verdict.noisy = tuning->disturbance.noisy;
    GT_TRY(copy_image(&choice->image, &unit_of(tuning, (uint32_t)result->winner)->compiled.image));
    return explain_end(&choice->stop_reason, tuning, result->end, choice->terms.proved);
}

/* --- storing ---------------------------------------------------------------------------------- */

static gt_code code_of(const gt_tuning *tuning, uint32_t variant)
{
    return gt_unit_code(unit_of(tuning, variant), tuning->session.request->device);
}

/* NVRTC's version as the compile workers report it; 0 if nothing was compiled. */
static int compiler_version(const gt_tuning *tuning)
{
    int version = 0;
    for (size_t i = 0; i < tuning->session.field.units.count; i++) {
        int one = tuning->session.field.units.items[i].compiled.nvrtc_version;
        version = one > version ? one : version;
    }
    return version;
}

/* What was found out is stored even when the call's time is up: briefly, and whether or not the
 * caller cancelled. */
static gt_patience last_patience(const gt_tuning *tuning)
{
    return tuning->session.stop == GT_STOP_NONE ? tuning->session.request->patience
                                                : gt_patience_for(0.15, NULL);
}

/* What is stored of the GPU. `device` holds the facts' device. */
static gt_gpu_facts gpu_facts(gt_device *device, const gt_tuning *tuning)
{
    const gt_request *request = tuning->session.request;
    *device = *request->device;
    device->nvrtc_version = compiler_version(tuning);
    return (gt_gpu_facts){device, request->host_text,
                          tuning->session.field.preparation.copy_bytes_per_s};
}

static gt_hash default_trial(const gt_tuning *tuning)
{
    uint64_t id = gt_field_default(&tuning->session.field);
    return id == GT_NO_VARIANT ? (gt_hash){0} : gt_tuning_variant(tuning, id)->trial;
}

/* Service kernels and reference; of a tuning that another may go on with, the variants' code too.
 * The caller frees the array. */
static gputune_status list_codes(gt_code_list *out, const gt_tuning *tuning, bool final)
{
    const gt_field *field = &tuning->session.field;
    int version = compiler_version(tuning);
    GT_TRY(gt_tuning_new_codes(out, tuning));
    out->count = final ? 0 : out->count;
    for (int i = 0; i < GT_UNIT_FIRST; i++) {
        gt_code code = gt_unit_code(&field->units.items[i], tuning->session.request->device);
        code.nvrtc_version = code.nvrtc_version ? code.nvrtc_version : version;
        out->items[out->count++] = code;
    }
    return GPUTUNE_OK;
}

/* Without a winner (NULL) trials and code alone, so that neither the next tuning nor an answer
 * without times compiles it again. */
static gputune_status store(const gt_tuning *tuning, const gt_trial_list *list,
                            const gt_winner *winner)
{
    const gt_request *request = tuning->session.request;
    bool final = winner && winner->terms.final;
    gt_code_list codes, passed = {0};
    GT_TRY(list_codes(&codes, tuning, final));
    gputune_status status = final ? gt_tuning_kept_codes(&passed, tuning) : GPUTUNE_OK;
    gt_device device;
    const gt_gpu_facts gpu = gpu_facts(&device, tuning);
    const gt_outcome outcome = {.environment = request->environment,
                                .gpu = &gpu,
                                .scenario = &request->scenario,
                                .trials = list->items,
                                .trial_count = list->count,
                                .winner = winner,
                                .codes = codes.items,
                                .code_count = codes.count,
                                .passed = passed.items,
                                .passed_count = passed.count,
                                .force = request->options.force,
                                .elapsed_s = gt_session_elapsed_s(&tuning->session)};
    const gt_patience patience = last_patience(tuning);
    GT_THEN(status, gt_store_put_winner(request->services->store, &outcome, &patience));
    free(codes.items);
    free(passed.items);
    return status;
}

static gputune_status store_winner(const gt_tuning *tuning, const gt_choice *choice,
                                   const gt_trial_list *list, gt_winner *winner, int64_t fallback,
                                   uint32_t winning)
{
    const gt_request *request = tuning->session.request;
    const gt_config standard = gt_config_default(request->template);
    GT_TRY(gt_config_text(&winner->config, request->template, &choice->config));
    GT_TRY(gt_config_text(&winner->default_config, request->template, &standard));
    winner->problem = request->problem_text;
    winner->trial = tuning->session.field.variants.items[winning].trial;
    winner->default_trial = default_trial(tuning);
    winner->code = code_of(tuning, winning);
    if (fallback >= 0) {
        winner->fallback = code_of(tuning, (uint32_t)fallback);
        GT_TRY(gt_config_text(&winner->fallback_config, request->template, &choice->fallback));
    }
    return store(tuning, list, winner);
}

static void fill_winner(gt_winner *winner, const gt_tuning *tuning, const gt_choice *choice,
                        const gt_summary *time, const gt_summary *standard)
{
    const gt_request *request = tuning->session.request;
    *winner = (gt_winner){.time = *time,
                          .default_time = *standard,
                          .terms = choice->terms,
                          .only = request->only_text,
                          .verdict = choice->verdict,
                          .modelled = request->device->emulated,
                          .stop_reason = choice->stop_reason,
                          .variants = choice->variants,
                          .failed = choice->failed,
                          .tuning_s = gt_session_elapsed_s(&tuning->session)};
}

static gputune_status store_result(gt_tuning *tuning, gt_choice *choice,
                                   const gt_race_result *result, const gt_trial_list *list,
                                   const gt_summary *time, const gt_summary *standard,
                                   int64_t fallback)
{
    gt_winner winner;
    fill_winner(&winner, tuning, choice, time, standard);
    winner.nvrtc_version = unit_of(tuning, (uint32_t)result->winner)->compiled.nvrtc_version;
    gputune_status status =
        store_winner(tuning, choice, list, &winner, fallback, (uint32_t)result->winner);
    free(winner.config);
    free(winner.default_config);
    free(winner.fallback_config);
    return status;
}

static void warn_unstored(const gt_tuning *tuning)
{
    gt_log_line(&tuning->session.request->services->log, GPUTUNE_LOG_WARNING,
                "the result could not be stored: %s", gt_message());
}

/* Why a tuning that was stopped has measured nothing. */
static gputune_status explain_stop(const gt_tuning *tuning)
{
    const gt_field *field = &tuning->session.field;
    const char *name = tuning->session.request->template->name;
    double limit = tuning->session.request->options.time_limit_s;
    const gt_variant *first = NULL;
    uint32_t failed = 0;
    if (tuning->session.stop == GT_STOP_CANCELED) {
        return gt_fail(GPUTUNE_ECANCELED, "%s: stopped before any variant was measured", name);
    }
    for (size_t i = field->variants.count; i-- > 0;) {
        const gt_variant *variant = &field->variants.items[i];
        failed += variant->failure != GPUTUNE_OK;
        first = variant->failure != GPUTUNE_OK ? variant : first;
    }
    if (first) {
        return gt_fail(GPUTUNE_ETIMEOUT,
                       "%s: no variant was measured in %.3g s; %u of %u failed, the first: %s",
                       name, limit, failed, gt_field_tried(field),
                       first->message ? first->message : "");
    }
    if (!field->may_measure) {
        return gt_fail(GPUTUNE_EBUSY,
                       "%s: another tuning of this process used the GPU for all of %.3g s", name,
                       limit);
    }
    return field->preparing && !field->prepared
               ? gt_fail(GPUTUNE_ETIMEOUT,
                         "%s: inputs and reference were not ready in %.3g s; raise the time limit",
                         name, limit)
               : gt_fail(GPUTUNE_ETIMEOUT,
                         "%s: no variant was measured in %.3g s; raise the time limit", name,
                         limit);
}

static gputune_status conclude_without_winner(const gt_tuning *tuning, const gt_trial_list *list)
{
    gt_field_note_bad_default(&tuning->session.field, tuning->session.request);
    if (store(tuning, list, NULL) != GPUTUNE_OK) {
        warn_unstored(tuning);
    }
    return tuning->session.stop != GT_STOP_NONE ? explain_stop(tuning)
                                                : gt_field_verdict(&tuning->session.field);
}

void gt_tuning_keep_findings(const gt_tuning *tuning)
{
    char message[512];
    GT_SCOPED(gt_tuning_free_trials) gt_trial_list list = {0};
    snprintf(message, sizeof message, "%s", gt_message());
    gt_field_note_bad_default(&tuning->session.field, tuning->session.request);
    if (!tuning->race || gt_tuning_trials(&list, tuning) != GPUTUNE_OK ||
        store(tuning, &list, NULL) != GPUTUNE_OK) {
        warn_unstored(tuning);
    }
    gt_message_set("%s", message);
}

gputune_status gt_tuning_conclude(gt_choice *out, gt_tuning *tuning)
{
    GT_SCOPED(gt_tuning_free_trials) gt_trial_list list = {0};
    gt_race_result result = {0};
    gt_choice choice = {0};
    gt_summary time = {0}, standard = {0};
    int64_t fallback = -1;
    gputune_status status = gt_tuning_trials(&list, tuning);
    GT_THEN(status, find_result(&result, tuning));
    if (status == GPUTUNE_ENOVARIANT) {
        status = conclude_without_winner(tuning, &list);
    }
    GT_THEN(status, make_choice(&choice, tuning, &result, &time, &standard));
    GT_THEN(status, choose_fallback(&choice, tuning, &fallback));
    if (status == GPUTUNE_OK &&
        store_result(tuning, &choice, &result, &list, &time, &standard, fallback) != GPUTUNE_OK) {
        warn_unstored(tuning);
    }
    return GT_GIVE(status, out, choice, gt_choice_free(&choice));
}
