/* Presents a space to a search strategy: axes as lists of choices, configurations as points. */
#include "tuner/strategy_proposer.h"

#include "base/objective.h"
#include "tuner/outcome.h"

#include <stdlib.h>
#include <string.h>

static bool to_point(gt_point *out, const gt_strategy_proposer *p, const gt_config *config)
{
    *out = (gt_point){{0}};
    for (uint32_t i = 0; i < p->domain.axis_count; i++) {
        const uint8_t *choices;
        size_t count = gt_space_choices(p->request->space, i, &choices);
        const uint8_t *at = memchr(choices, config->choice[i], count);
        if (!at) {
            return false;
        }
        out->choice[i] = (uint16_t)(at - choices);
    }
    return true;
}

static gt_config to_config(const gt_strategy_proposer *p, const gt_point *point)
{
    gt_config config = {{0}};
    for (uint32_t i = 0; i < p->domain.axis_count; i++) {
        const uint8_t *choices;
        gt_space_choices(p->request->space, i, &choices);
        config.choice[i] = choices[point->choice[i]];
    }
    return config;
}

static bool draw(void *user, gt_random *random, gt_point *out)
{
    gt_strategy_proposer *p = user;
    gt_config config;
    return gt_space_draw(p->request->space, random, &config) && to_point(out, p, &config);
}

static bool is_valid(void *user, const gt_point *point)
{
    gt_strategy_proposer *p = user;
    const gt_config config = to_config(p, point);
    return gt_space_has(p->request->space, &config);
}

static bool next(void *user, gt_point *point, bool first)
{
    gt_strategy_proposer *p = user;
    gt_config config;
    if (first) {
        gt_space_rewind(p->request->space);
    }
    return gt_space_next(p->request->space, &config) && to_point(point, p, &config);
}

static void features(void *user, const gt_point *point, double out[GT_SEARCH_FEATURES])
{
    _Static_assert((int)GT_LAUNCH_FEATURES <= (int)GT_SEARCH_FEATURES, "all features fit");
    const gt_strategy_proposer *p = user;
    const gt_config config = to_config(p, point);
    (void)gt_space_features(out, p->request->space, &config);
}

static gputune_status describe_axis(gt_strategy_proposer *p, uint32_t index)
{
    const gt_axis *axis = &p->request->template->axes[index];
    const uint8_t *choices;
    size_t count = gt_space_choices(p->request->space, index, &choices);
    bool ordered = true;
    p->values[index] = calloc(count + 1, sizeof *p->values[index]);
    GT_TRY(gt_allocated(p->values[index]));
    for (size_t i = 0; i < count; i++) {
        const gt_value *value = &axis->values[choices[i]];
        ordered = ordered && !value->word;
        p->values[index][i] = (double)value->number;
    }
    p->axes[index] = (gt_domain_axis){(uint32_t)count, ordered ? p->values[index] : NULL};
    return GPUTUNE_OK;
}

static gputune_status describe_domain(gt_strategy_proposer *p)
{
    const gt_template *template = p->request->template;
    const gt_config *standard = &p->request->standard;
    const gt_space_size size = gt_space_count(p->request->space);
    const bool has_default = gt_space_has(p->request->space, standard);
    /* the default is counted even if options.only excludes it, because it races */
    p->proposer.total = size.count + (!has_default && gt_request_permits(p->request, standard));
    p->domain = (gt_domain){.axis_count = template->axis_count,
                            .axes = p->axes,
                            .size = (double)size.count,
                            .size_is_exact = size.certainty == GT_EXACT,
                            .user = p,
                            .draw = draw,
                            .is_valid = is_valid,
                            .next = next,
                            .features = features};
    double unused[GT_LAUNCH_FEATURES];
    p->domain.feature_count = gt_space_features(unused, p->request->space, standard);
    for (uint32_t i = 0; i < template->axis_count; i++) {
        GT_TRY(describe_axis(p, i));
    }
    if (has_default && to_point(&p->fallback, p, standard)) {
        p->domain.fallback = &p->fallback;
    }
    return GPUTUNE_OK;
}

/* --- results ---------------------------------------------------------------------------------- */

/* Counts earlier variants that cannot win, except the default, which is always tried. */
static uint32_t outclassed(const gt_strategy_proposer *p)
{
    uint32_t count = 0;
    for (size_t i = p->first; i < p->earlier.count; i++) {
        const gt_config config = to_config(p, &p->earlier.items[i].point);
        count += !gt_config_is(&p->request->standard, &config);
    }
    return count;
}

static void take_result(gt_strategy_proposer *p, const gt_tried *result, bool is_quick)
{
    bool failed = result->outcome != GT_TRIED_OK;
    bool is_best = p->earlier.count && gt_point_equal(&p->earlier.items[0].point, &result->point);
    /* if this variant fails, try those that were left out because it was faster */
    if (is_best && failed) {
        p->known -= outclassed(p);
        p->first = p->earlier.count;
        p->proposer.exhausted = false;
    }
    if ((failed || result->time_ns > 0) && !p->proposer.out_of_memory) {
        p->proposer.out_of_memory =
            gt_quick_report(&p->quick, p->strategy, gt_patience_left_s(&p->request->patience),
                            result, is_quick) != GPUTUNE_OK;
    }
}

static void on_result(gt_proposer *self, const gt_config *config, const gt_tried *result,
                      bool is_quick)
{
    gt_strategy_proposer *p = (gt_strategy_proposer *)self;
    gt_tried seen = *result;
    if (to_point(&seen.point, p, config)) {
        take_result(p, &seen, is_quick);
    }
}

static bool find_stored(gt_point *out, gt_config *config, const gt_strategy_proposer *p,
                        const char *text)
{
    return gt_config_parse(config, p->request->template, text, true) == GPUTUNE_OK &&
           gt_space_has(p->request->space, config) && to_point(out, p, config);
}

/* Reports an earlier trial to the strategy. With `in_order`, reports only failures: the other
 * variants race again, or cannot win and are reported by report_history(). */
static gputune_status report_trial(gt_strategy_proposer *p, const gt_trial *trial, bool in_order)
{
    gt_config config;
    bool failed = gt_trial_failure(trial->status) != GPUTUNE_OK;
    gt_tried result = {.outcome = failed ? GT_TRIED_FAILED : GT_TRIED_OK,
                       .time_ns = trial->time.count ? trial->time.median : 0,
                       .compile_s = trial->compile_ns * 1e-9};
    bool had_less_time = failed && gt_history_failure(trial, p->request) == GPUTUNE_OK;
    if (!find_stored(&result.point, &config, p, trial->config) || had_less_time) {
        return GPUTUNE_OK;
    }
    bool is_right = !failed && result.time_ns > 0;
    if (!is_right || !in_order) {
        take_result(p, &result, false);
    }
    p->known += failed && !gt_config_is(&p->request->standard, &config);
    return is_right ? gt_array_push(&p->earlier, result) : GPUTUNE_OK;
}

static int by_time(const void *a, const void *b)
{
    double x = ((const gt_tried *)a)->time_ns, y = ((const gt_tried *)b)->time_ns;
    return (x > y) - (x < y);
}

/* Earlier variants cannot win if their time exceeds the best earlier time by this factor. Clocks
 * and temperature may have changed since then, and some variants have only one sample. */
static double outclassed_ratio(const gt_request *request)
{
    return request->device->emulated
               ? 1.02 /* modelled times never change */
               : gt_objective_facts(request->options.objective)->outclassed_ratio;
}

static gputune_status report_history(gt_strategy_proposer *p, const gt_history *history,
                                     bool in_order)
{
    for (size_t i = 0; i < history->count; i++) {
        GT_TRY(report_trial(p, &history->items[i], in_order));
    }
    gt_array_sort(&p->earlier, by_time);
    const gt_tried *all = p->earlier.items;
    const double ratio = outclassed_ratio(p->request);
    while (p->first < p->earlier.count && all[p->first].time_ns <= ratio * all[0].time_ns) {
        p->first++;
    }
    for (size_t i = p->first; in_order && i < p->earlier.count; i++) {
        take_result(p, &all[i], false);
    }
    p->next_first = in_order ? p->first : 0;
    p->known += outclassed(p);
    return p->proposer.out_of_memory ? gt_fail_memory() : GPUTUNE_OK;
}

/* --- hints ------------------------------------------------------------------------------------ */

/* Makes hints, with times relative to the fastest one of the same size, objective and GPU. If two
 * times are equal, the hint of the nearer group comes first. */
static size_t make_hints(gt_tried *out, const gt_strategy_proposer *p, const gt_related_list *list)
{
    static const double farther = 1e-9;
    size_t count = 0;
    uint32_t group = UINT32_MAX;
    double fastest = 0;
    for (size_t i = 0; i < list->count; i++) {
        const gt_related_trial *trial = &list->items[i];
        gt_tried *hint = &out[count];
        gt_config config;
        if (!find_stored(&hint->point, &config, p, trial->config)) {
            continue;
        }
        fastest = trial->group == group ? fastest : trial->time_ns;
        group = trial->group;
        hint->outcome = GT_TRIED_OK;
        hint->time_ns = trial->time_ns / fastest * (1 + farther * group);
        hint->compile_s = trial->compile_ns * 1e-9;
        count++;
    }
    return count;
}

/* Passes results of other sizes, objectives and GPUs to the strategy as hints. */
static gputune_status give_hints(gt_strategy_proposer *p, size_t *count)
{
    const gt_request *request = p->request;
    GT_SCOPED(gt_related_list_free) gt_related_list list = {0};
    GT_TRY(gt_store_related_trials(&list, request->services->store, request->device,
                                   &request->scenario, &request->patience));
    GT_FREED gt_tried *hints = calloc(list.count + 1, sizeof *hints);
    gputune_status status = gt_allocated(hints);
    if (hints && list.count) {
        *count = make_hints(hints, p, &list);
        status = gt_strategy_hint(p->strategy, hints, *count);
    }
    return status;
}

static void log_skipped(const gt_strategy_proposer *p, const gt_config *config)
{
    const gt_request *request = p->request;
    const char *reason = gt_space_excludes(request->space, config);
    GT_FREED char *text = NULL;
    if (gt_config_text(&text, request->template, config) == GPUTUNE_OK) {
        gt_log_line(&request->log, GPUTUNE_LOG_INFO, "%s: start %s is skipped: %s",
                    request->template->name, text, reason ? reason : "`only` excludes it");
    }
}

static gputune_status take_starts(gt_strategy_proposer *p)
{
    for (size_t i = 0; i < p->request->starts.count; i++) {
        const gt_config *config = &p->request->starts.items[i];
        gt_point point;
        bool is_new;
        if (!gt_space_has(p->request->space, config) || !to_point(&point, p, config)) {
            log_skipped(p, config);
            continue;
        }
        GT_TRY(gt_strategy_note(&is_new, p->strategy, &point));
        if (is_new) {
            GT_TRY(gt_array_push(&p->starts, *config));
        }
    }
    return GPUTUNE_OK;
}

/* --- proposing -------------------------------------------------------------------------------- */

static uint32_t propose(gt_proposer *self, gt_config *out, uint32_t count)
{
    gt_strategy_proposer *p = (gt_strategy_proposer *)self;
    gt_point points[16];
    size_t given = 0;
    uint32_t again = 0;
    while (again < count && p->next_start < p->starts.count) {
        out[again++] = p->starts.items[p->next_start++];
    }
    while (again < count && p->next_first < p->first) {
        out[again++] = to_config(p, &p->earlier.items[p->next_first++].point);
    }
    if (again) {
        return again;
    }
    self->quick_compiles = false;
    gt_outlook outlook;
    gt_strategy_outlook(&outlook, p->strategy);
    self->learns = outlook.learns;
    p->content = outlook.done && !outlook.exhausted;
    if (outlook.done || self->out_of_memory) {
        self->exhausted = true;
        return 0;
    }
    count = count < 16 ? count : 16;
    gputune_status asked =
        p->quick.strategy
            ? gt_quick_propose(&p->quick, p->strategy, gt_patience_left_s(&p->request->patience),
                               points, count, &given, &self->quick_compiles)
            : gt_strategy_propose(p->strategy, points, count, &given);
    self->out_of_memory = asked != GPUTUNE_OK;
    for (size_t i = 0; i < given; i++) {
        out[i] = to_config(p, &points[i]);
    }
    /* after quick compiles, the strategy proposes full compiles */
    self->exhausted = given < count && !p->quick.strategy;
    return (uint32_t)given;
}

static bool gives_up(gt_proposer *self, const gt_config *config, double seconds)
{
    gt_strategy_proposer *p = (gt_strategy_proposer *)self;
    gt_point point;
    return !self->out_of_memory && to_point(&point, p, config) &&
           gt_strategy_gives_up(p->strategy, &point, seconds);
}

/* Uses results of earlier tunings unless `force` is set. A search also uses results of other sizes
 * as hints. If only the first few variants should be tried, ignores earlier results. */
static gputune_status use_what_is_known(gt_strategy_proposer *p, const gt_history *history,
                                        const gt_search_settings *settings)
{
    const gputune_options *options = &p->request->options;
    bool in_order = options->strategy == GPUTUNE_STRATEGY_EXHAUSTIVE;
    bool first_few = in_order && options->max_variants && options->max_variants < p->proposer.total;
    size_t hints = 0;
    if (!in_order) {
        GT_TRY(give_hints(p, &hints));
    }
    if (!(options->force || first_few)) {
        GT_TRY(report_history(p, history, in_order));
    }
    bool is_first = !hints && !p->known && !p->earlier.count;
    bool learns =
        options->strategy == GPUTUNE_STRATEGY_AUTO || options->strategy == GPUTUNE_STRATEGY_MODEL;
    /* quick compiles help only on a real GPU */
    bool compiles_quickly = is_first && learns && !p->request->device->emulated &&
                            !options->max_variants &&
                            options->objective != GPUTUNE_OBJECTIVE_ENERGY;
    return compiles_quickly ? gt_quick_begin(&p->quick, &p->domain, settings) : GPUTUNE_OK;
}

gputune_status gt_strategy_proposer_open(gt_strategy_proposer *p, const gt_request *request,
                                         gputune_strategy strategy, const gt_history *history)
{
    const gt_search_settings settings = {.seed = request->options.seed,
                                         .workers = request->services->compile_workers,
                                         .limit_s = gt_patience_left_s(&request->patience),
                                         .epsilon = request->options.epsilon,
                                         .by_seconds = true};
    *p = (gt_strategy_proposer){.proposer = {.propose = propose,
                                             .on_result = on_result,
                                             .gives_up = gives_up,
                                             .learns = true},
                                .request = request};
    GT_TRY(describe_domain(p));
    GT_TRY(gt_strategy_open(&p->strategy, strategy, &p->domain, &settings));
    GT_TRY(history ? use_what_is_known(p, history, &settings) : GPUTUNE_OK);
    return history ? take_starts(p) : GPUTUNE_OK;
}

void gt_strategy_proposer_close(gt_strategy_proposer *p)
{
    gt_strategy_free(p->strategy);
    gt_quick_end(&p->quick);
    gt_array_free(&p->earlier);
    gt_array_free(&p->starts);
    for (uint32_t i = 0; i < GT_AXIS_MAX; i++) {
        free(p->values[i]);
    }
}

double gt_strategy_proposer_champion(gt_config *out, const gt_strategy_proposer *p)
{
    if (!p->earlier.count) {
        return 0;
    }
    *out = to_config(p, &p->earlier.items[0].point);
    return p->earlier.items[0].time_ns;
}
