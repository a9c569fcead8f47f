#include "tuner/search.h"

#include "base/clock.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* --- trials -------------------------------------------------------------------------------------
 */

typedef struct trials {
    gt_trial *items;
    size_t count;
} trials;

static void free_trial(gt_trial *trial)
{
    free((char *)trial->config);
    free((char *)trial->message);
    *trial = (gt_trial){0};
}

static void free_trials(trials *list)
{
    for (size_t i = 0; i <= list->count && list->items; i++) { /* one more: half described */
        free_trial(&list->items[i]);
    }
    free(list->items);
    *list = (trials){0};
}

static gt_trial_status status_of(const gt_variant *variant, bool left)
{
    switch (variant->failure) {
    case GPUTUNE_OK:
        return left ? GT_TRIAL_ELIMINATED : GT_TRIAL_OK;
    case GPUTUNE_EWRONG:
        return GT_TRIAL_WRONG;
    case GPUTUNE_ECRASHED:
        return GT_TRIAL_CRASHED;
    case GPUTUNE_ETIMEOUT:
        return GT_TRIAL_HUNG;
    case GPUTUNE_ECOMPILE:
        return GT_TRIAL_COMPILE;
    default:
        return GT_TRIAL_LAUNCH;
    }
}

/* Out of device memory, a worker that could not be started, and a hang met once say nothing of the
 * variant: such a failure is not remembered. */
static bool worth_keeping(const gt_variant *variant)
{
    switch (variant->failure) {
    case GPUTUNE_EWRONG:
    case GPUTUNE_ECOMPILE:
    case GPUTUNE_ECUDA:
        return true;
    default:
        return variant->failure == GPUTUNE_OK || variant->lasting;
    }
}

/* The last race that a variant was in, and what it knows of it; NULL: it was not sampled there. */
static const gt_race *find_raced(gt_race_contestant *out, const gt_search_state *state,
                                 uint32_t index)
{
    const gt_race *race = gt_race_find(state->race, index, out) ? state->race : state->heats;
    return race && gt_race_find(race, index, out) && out->sample_count ? race : NULL;
}

/* Why a variant left its race, "" while it is in. */
static void explain(char *out, size_t bytes, const gt_race_contestant *contestant, bool in_heats,
                    bool by_time)
{
    char why[128];
    if (contestant->left == GT_RACE_IN) {
        snprintf(out, bytes, "%s", in_heats ? "by time: not among the fastest few" : "");
        return;
    }
    snprintf(out, bytes, "%s%s", by_time ? "by time: " : "",
             gt_race_leave_text(why, sizeof why, contestant));
}

/* Only values of the objective are kept: where energy was asked for, times are none. */
static gputune_status describe_race(gt_trial *trial, const gt_search_state *state, uint32_t index)
{
    gt_race_contestant contestant;
    char text[160];
    const gt_race *race = find_raced(&contestant, state, index);
    if (!race) {
        return GPUTUNE_OK;
    }
    bool in_heats = race == state->heats;
    bool by_time = in_heats || gt_search_is_by_time(state);
    if (!by_time) {
        GT_TRY(gt_race_summary(race, index, &trial->time));
    }
    trial->eliminated_round = contestant.left_round;
    explain(text, sizeof text, &contestant, in_heats, by_time);
    if (!text[0] || contestant.left == GT_RACE_LEFT_FAILED) {
        return GPUTUNE_OK;
    }
    trial->status = GT_TRIAL_ELIMINATED;
    return gt_strdup((char **)&trial->message, text);
}

/* The variant that was tried for this one: itself, as a rule. */
static uint32_t tried_for(const gt_field *field, uint32_t index)
{
    const gt_variant *variant = &field->variants.items[index];
    return variant->stage == GT_STAGE_TWIN ? variant->twin : index;
}

static gputune_status describe_twin(gt_trial *trial, const gt_template *template,
                                    const gt_variant *tried)
{
    gt_text text = {0};
    char *config, *message;
    GT_TRY(gt_config_text(&config, template, &tried->config));
    gt_text_printf(&text, "the same launch as %s", config);
    free(config);
    GT_TRY(gt_text_take(&message, &text));
    free((char *)trial->message);
    trial->message = message;
    return GPUTUNE_OK;
}

static gputune_status describe_trial(gt_trial *trial, const gt_search_state *state, uint32_t index)
{
    const gt_request *request = state->request;
    const gt_field *field = &state->field;
    const uint32_t tried = tried_for(field, index);
    const gt_config *config = &field->variants.items[index].config;
    const gt_variant *variant = &field->variants.items[tried];
    const gt_unit *unit = &state->field.units.items[variant->unit];
    gt_launch *launch = malloc(sizeof *launch);
    if (!launch) {
        return gt_fail_memory();
    }
    *trial = (gt_trial){.hash = field->variants.items[index].trial,
                        .source = unit->hash,
                        .status = status_of(variant, false),
                        .is_default = index == tried && variant->is_default,
                        .noisy = state->disturbance.noisy,
                        .resources = unit->compiled.resources,
                        .occupancy = variant->verified.occupancy,
                        .max_error = variant->verified.max_error,
                        .compile_ns = unit->compiled.compile_ns,
                        .driver_version = request->device->driver_version,
                        .nvrtc_version = unit->compiled.nvrtc_version};
    if (gt_launch_bind(launch, request->template, &request->problem, config, request->device) ==
        GPUTUNE_OK) {
        trial->shared_bytes = launch->geometry.shared_bytes;
    }
    free(launch);
    GT_TRY(gt_config_text((char **)&trial->config, request->template, config));
    if (variant->failure != GPUTUNE_OK) {
        return gt_strdup((char **)&trial->message, variant->message ? variant->message : "");
    }
    GT_TRY(describe_race(trial, state, tried));
    return tried == index ? GPUTUNE_OK : describe_twin(trial, request->template, variant);
}

/* An earlier search has figures of it, and this one has none. */
static bool is_better_known(const gt_trial *trial, const gt_search_state *state)
{
    const gt_trial *known = gt_history_find(&state->history, trial->hash);
    bool right = trial->status == GT_TRIAL_OK || trial->status == GT_TRIAL_ELIMINATED;
    return right && !trial->time.count && known && known->time.count;
}

/* What this search found out, without what it took over from earlier ones. */
static gputune_status collect_trials(trials *out, const gt_search_state *state)
{
    const gt_field *field = &state->field;
    out->items = calloc(field->variants.count + 1, sizeof *out->items);
    if (!out->items) {
        return gt_fail_memory();
    }
    for (uint32_t i = 0; i < field->variants.count; i++) {
        const uint32_t subject = tried_for(field, i);
        const gt_variant *variant = &field->variants.items[subject];
        gt_race_contestant contestant;
        bool raced = find_raced(&contestant, state, subject) != NULL;
        bool tried = raced || (variant->stage == GT_STAGE_FAILED && !variant->remembered);
        if (!tried || !worth_keeping(variant)) {
            continue;
        }
        gt_trial *trial = &out->items[out->count];
        GT_TRY(describe_trial(trial, state, i));
        if (is_better_known(trial, state)) {
            free_trial(trial);
        } else {
            out->count++;
        }
    }
    return GPUTUNE_OK;
}

/* --- the choice ----------------------------------------------------------------------------------
 */

static gputune_status copy_image(gt_image *out, const gt_image *image)
{
    void *copy = malloc(image->bytes + 1);
    if (!copy) {
        return gt_fail_memory();
    }
    memcpy(copy, image->data, image->bytes);
    ((char *)copy)[image->bytes] = '\0';
    *out = (gt_image){copy, image->bytes};
    return GPUTUNE_OK;
}

static const gt_unit *unit_of(const gt_search_state *state, uint32_t variant)
{
    return &state->field.units.items[state->field.variants.items[variant].unit];
}

/* The verified variant of that configuration, or -1. */
static int64_t find_verified(const gt_search_state *state, const gt_config *config)
{
    for (uint32_t i = 0; i < state->field.variants.count; i++) {
        const gt_variant *variant = &state->field.variants.items[i];
        if (variant->stage == GT_STAGE_READY &&
            memcmp(&variant->config, config, sizeof *config) == 0) {
            return i;
        }
    }
    return -1;
}

static gputune_status choose_fallback(gt_choice *choice, const gt_search_state *state,
                                      int64_t *variant)
{
    bool same = false;
    GT_TRY(gt_config_scalar(&choice->fallback, &same, state->request->template, &choice->config));
    choice->needs_alignment = !same;
    *variant = same ? -1 : find_verified(state, &choice->fallback);
    if (*variant < 0) {
        return GPUTUNE_OK;
    }
    choice->has_fallback = true;
    return copy_image(&choice->fallback_image, &unit_of(state, (uint32_t)*variant)->compiled.image);
}

/* What the race says, as far as it is about what was asked for. */
static bool find_result(gt_race_result *out, const gt_search_state *state)
{
    if (gt_race_result_get(state->race, out) != GPUTUNE_OK || !out->samples) {
        return false;
    }
    bool by_time = gt_search_is_by_time(state); /* stopped before anything was weighed */
    out->end = by_time || state->fell_back ? state->end : out->end;
    if (by_time) {
        out->speedup = out->speedup_low = out->speedup_high = 0;
    }
    return true;
}

static gputune_status summarise(gt_summary *out, const gt_search_state *state, uint64_t id)
{
    *out = (gt_summary){0};
    return gt_search_is_by_time(state) ? GPUTUNE_OK : gt_race_summary(state->race, id, out);
}

static gputune_status make_choice(gt_choice *choice, const gt_search_state *state,
                                  const gt_race_result *result, gt_summary *winner,
                                  gt_summary *standard)
{
    const gt_field *field = &state->field;
    const gt_variant *variant = &field->variants.items[result->winner];
    GT_TRY(summarise(winner, state, result->winner));
    for (uint32_t i = 0; i < field->variants.count && result->has_default; i++) {
        if (field->variants.items[i].is_default) {
            GT_TRY(summarise(standard, state, i));
        }
    }
    *choice = (gt_choice){.source = GPUTUNE_SOURCE_MEASURED,
                          .config = variant->config,
                          .resources = unit_of(state, (uint32_t)result->winner)->compiled.resources,
                          .time_ns = winner->median,
                          .default_ns = standard->median,
                          .speedup = result->speedup,
                          .speedup_low = result->speedup_low,
                          .speedup_high = result->speedup_high,
                          .tie = result->tie,
                          .noisy = state->disturbance.noisy,
                          .variants = (uint32_t)field->variants.count,
                          .failed = field->failed};
    GT_TRY(copy_image(&choice->image, &unit_of(state, (uint32_t)result->winner)->compiled.image));
    return gt_strdup(&choice->stop_reason, gt_race_end_text(result->end));
}

/* --- storing
 * -------------------------------------------------------------------------------------- */

static gt_code code_of(const gt_search_state *state, uint32_t variant)
{
    const gt_unit *unit = unit_of(state, variant);
    const gt_device *device = state->request->device;
    gt_code code = {.source = unit->hash,
                    .ptx = device->emulated,
                    .nvrtc_version = unit->compiled.nvrtc_version,
                    .image = unit->compiled.image,
                    .resources = unit->compiled.resources,
                    .compile_ns = unit->compiled.compile_ns};
    memcpy(code.arch, device->arch, sizeof code.arch);
    return code;
}

/* NVRTC's version as the compile workers tell it; 0 where nothing was compiled. */
static int compiler_version(const gt_search_state *state)
{
    int version = 0;
    for (size_t i = 0; i < state->field.units.count; i++) {
        int one = state->field.units.items[i].compiled.nvrtc_version;
        version = one > version ? one : version;
    }
    return version;
}

static gputune_status register_gpu(const gt_search_state *state)
{
    const gt_request *request = state->request;
    gt_store *store = request->services->store;
    double copy = state->field.preparation.copy_bytes_per_s;
    gt_device device = *request->device;
    device.nvrtc_version = compiler_version(state);
    GT_TRY(gt_store_register_gpu(store, request->environment, &device, request->host_text, NULL));
    return copy > 0 ? gt_store_set_gpu_fact(store, request->environment, GT_FACT_COPY, copy, NULL)
                    : GPUTUNE_OK;
}

static gt_hash default_trial(const gt_search_state *state)
{
    for (size_t i = 0; i < state->field.variants.count; i++) {
        if (state->field.variants.items[i].is_default) {
            return state->field.variants.items[i].trial;
        }
    }
    return (gt_hash){0};
}

static gputune_status store_winner(const gt_search_state *state, const gt_choice *choice,
                                   const trials *list, gt_winner *winner, int64_t fallback,
                                   uint32_t winning)
{
    const gt_request *request = state->request;
    const gt_config standard = gt_config_default(request->template);
    gt_code auxiliary[GT_UNIT_FIRST] = {0};
    GT_TRY(gt_config_text(&winner->config, request->template, &choice->config));
    GT_TRY(gt_config_text(&winner->default_config, request->template, &standard));
    winner->problem = request->problem_text;
    winner->trial = state->field.variants.items[winning].trial;
    winner->default_trial = default_trial(state);
    winner->code = code_of(state, winning);
    if (fallback >= 0) {
        winner->fallback = code_of(state, (uint32_t)fallback);
        GT_TRY(gt_config_text(&winner->fallback_config, request->template, &choice->fallback));
    }
    for (int i = 0; i < GT_UNIT_FIRST; i++) {
        const gt_unit *unit = &state->field.units.items[i];
        auxiliary[i] = winner->code;
        auxiliary[i].source = unit->hash;
        auxiliary[i].image = unit->compiled.image;
        auxiliary[i].resources = unit->compiled.resources;
    }
    const gt_outcome outcome = {.environment = request->environment,
                                .scenario = &request->scenario,
                                .trials = list->items,
                                .trial_count = list->count,
                                .winner = winner,
                                .codes = auxiliary,
                                .code_count = auxiliary[GT_UNIT_REFERENCE].image.bytes ? 2 : 1,
                                .force = request->options.force};
    return gt_store_put_winner(request->services->store, &outcome, NULL);
}

static void fill_winner(gt_winner *winner, const gt_search_state *state, const gt_choice *choice,
                        const gt_summary *time, const gt_summary *standard)
{
    const gt_request *request = state->request;
    *winner = (gt_winner){.time = *time,
                          .default_time = *standard,
                          .terms = {.space = state->field.cut ? request->cut : request->space,
                                    .effort = request->options.effort,
                                    .isolation = request->options.isolation,
                                    .driver_version = request->device->driver_version,
                                    .final = true,
                                    .proved = true},
                          .speedup = choice->speedup,
                          .speedup_low = choice->speedup_low,
                          .speedup_high = choice->speedup_high,
                          .tie = choice->tie,
                          .noisy = choice->noisy,
                          .modelled = request->device->emulated,
                          .stop_reason = choice->stop_reason,
                          .variants = choice->variants,
                          .failed = choice->failed,
                          .tuning_s = gt_seconds_since(state->start_ns)};
}

/* A race that time or the caller ended is kept, but does not answer for a finished one. */
static bool is_final(const gt_race_result *result)
{
    return result->end != GT_RACE_BUDGET && result->end != GT_RACE_CANCELED;
}

static gputune_status store_result(gt_search_state *state, gt_choice *choice,
                                   const gt_race_result *result, const trials *list,
                                   const gt_summary *time, const gt_summary *standard,
                                   int64_t fallback)
{
    gt_winner winner;
    fill_winner(&winner, state, choice, time, standard);
    winner.nvrtc_version = unit_of(state, (uint32_t)result->winner)->compiled.nvrtc_version;
    winner.terms.final =
        is_final(result); /* else the next request goes on where this one stopped */
    gputune_status status = register_gpu(state);
    if (status == GPUTUNE_OK) {
        status = store_winner(state, choice, list, &winner, fallback, (uint32_t)result->winner);
    }
    free(winner.config);
    free(winner.default_config);
    free(winner.fallback_config);
    return status;
}

static void warn_unstored(const gt_search_state *state)
{
    gt_log_line(&state->request->services->log, GPUTUNE_LOG_WARNING,
                "the result could not be stored: %s", gt_message());
}

/* Stopped before anything was measured: by what, as far as is known. */
static gputune_status explain_stop(const gt_search_state *state)
{
    const gt_field *field = &state->field;
    const char *name = state->request->template->name;
    double limit = state->request->options.time_limit_s;
    const gt_variant *speaker = NULL;
    uint32_t failed = 0;
    if (state->end == GT_RACE_CANCELED) {
        return gt_fail(GPUTUNE_ECANCELED, "%s: stopped before any variant was measured", name);
    }
    for (size_t i = field->variants.count; i-- > 0;) {
        const gt_variant *variant = &field->variants.items[i];
        bool bad = variant->failure != GPUTUNE_OK || variant->doubtful;
        failed += bad;
        speaker = bad ? variant : speaker;
    }
    if (speaker) {
        return gt_fail(GPUTUNE_ETIMEOUT,
                       "%s: no variant was measured in %.3g s; %u of %zu failed, "
                       "one: %s",
                       name, limit, failed, field->variants.count - field->twins,
                       speaker->message ? speaker->message : "");
    }
    return field->preparing && !field->prepared
               ? gt_fail(GPUTUNE_ETIMEOUT, "%s: inputs and reference were not ready in %.3g s",
                         name, limit)
               : gt_fail(GPUTUNE_ETIMEOUT,
                         "%s: no variant was measured in %.3g s; the time limit may be raised",
                         name, limit);
}

static gputune_status conclude_without_winner(gt_search_state *state, const trials *list)
{
    const gt_request *request = state->request;
    if (register_gpu(state) != GPUTUNE_OK ||
        gt_store_put_trials(request->services->store, request->environment, &request->scenario,
                            list->items, list->count, NULL) != GPUTUNE_OK) {
        warn_unstored(state);
    }
    return state->stopped ? explain_stop(state) : gt_field_verdict(&state->field);
}

gputune_status gt_search_conclude(gt_choice *out, gt_search_state *state)
{
    trials list = {0};
    gt_race_result result;
    gt_choice choice = {0};
    gt_summary time = {0}, standard = {0};
    int64_t fallback = -1;
    gputune_status status = collect_trials(&list, state);
    bool won = find_result(&result, state);
    if (status == GPUTUNE_OK && !won) {
        status = conclude_without_winner(state, &list);
    }
    if (status == GPUTUNE_OK) {
        status = make_choice(&choice, state, &result, &time, &standard);
    }
    if (status == GPUTUNE_OK) {
        status = choose_fallback(&choice, state, &fallback);
    }
    if (status == GPUTUNE_OK &&
        store_result(state, &choice, &result, &list, &time, &standard, fallback) != GPUTUNE_OK) {
        warn_unstored(state);
    }
    free_trials(&list);
    if (status != GPUTUNE_OK) {
        gt_choice_free(&choice);
        return status;
    }
    *out = choice;
    return GPUTUNE_OK;
}
