/* Loads rules, and makes the plans that they choose.
 *
 * An entry of the list is for all plan keys (plan_table.c) that differ only in run-time sizes. If
 * no rule is stored for these keys, the entry has no rule. Readers walk the list without a lock,
 * and new entries are added at the front. A rule is current until the tuner is refreshed, a
 * template is replaced or edited, or this process stores a rule. Then the next call looks it up
 * again. If the stored text is the same, the loaded rule and its variants stay. A rule is freed
 * only with its tuner, because plans use its models. */
#include "api/rules.h"

#include "api/tuner.h"
#include "base/condition.h"
#include "kernel/bind/binding.h"
#include "kernel/rule/rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct size_place {
    uint32_t word, value; /* indices of the size: its word in the key, its value in the problem */
} size_place;

typedef struct loaded_rule {
    struct loaded_rule *next;
    uint64_t *words; /* words of the key; run-time sizes are replaced by 0 */
    uint64_t *mask;  /* 0 for the words of run-time sizes, else all bits set */
    size_t count;
    size_place sizes[GT_PROBLEM_MAX];
    uint32_t size_count;
    atomic_uint changes; /* value of changes_of() at the last lookup of the rule */
    gt_watch *watch;     /* watches the template's files; NULL: nothing to watch */
    gt_found_rule found; /* its `rule` is NULL if no rule is stored for the key */
    const gt_template *template;
    gt_problem problem;
    int64_t slots[GT_SLOT_MAX];
    gt_terms terms;
    _Atomic(gt_plan_model *) *models; /* models of the variants; NULL until loaded */
} loaded_rule;

struct gt_rules {
    _Atomic(loaded_rule *) first;
    atomic_uint stored;
    pthread_mutex_t loading; /* held by the thread that adds a rule or loads a variant */
};

/* True in the thread that loads a rule. A callback of that thread must not wait for the load. */
static _Thread_local bool loads_here;

gputune_status gt_rules_open(gt_rules **out)
{
    gt_rules *rules = calloc(1, sizeof *rules);
    GT_TRY(gt_allocated(rules));
    pthread_mutex_init(&rules->loading, NULL);
    *out = rules;
    return GPUTUNE_OK;
}

static void free_rule(loaded_rule **at)
{
    loaded_rule *rule = *at;
    if (!rule) {
        return;
    }
    for (size_t i = 0; rule->models && i < rule->found.rule->variants.count; i++) {
        gt_plan_model *model = atomic_load(&rule->models[i]);
        if (model) {
            gt_plan_model_free(model);
            free(model);
        }
    }
    free(rule->models);
    gt_found_rule_free(&rule->found);
    free(rule->words);
    free(rule->mask);
    free(rule);
}

void gt_rules_close(gt_rules *rules)
{
    loaded_rule *next;
    if (!rules) {
        return;
    }
    for (loaded_rule *rule = atomic_load(&rules->first); rule; rule = next) {
        next = rule->next;
        free_rule(&rule);
    }
    pthread_mutex_destroy(&rules->loading);
    free(rules);
}

void gt_rules_note_change(gt_rules *rules)
{
    atomic_fetch_add(&rules->stored, 1);
}

static unsigned changes_of(const gputune *tuner)
{
    return gt_plan_table_changes(tuner->plans) + atomic_load(&tuner->rules->stored);
}

/* ---- finding --------------------------------------------------------------------------------- */

static bool is_for(const loaded_rule *rule, const gt_plan_key *key)
{
    uint64_t differences = rule->count ^ key->count;
    for (size_t i = 0; i < key->count && !differences; i++) {
        differences = (rule->words[i] ^ key->words[i]) & rule->mask[i];
    }
    return !differences;
}

static loaded_rule *find_rule(gt_rules *rules, const gt_plan_key *key)
{
    loaded_rule *rule = atomic_load_explicit(&rules->first, memory_order_acquire);
    while (rule && !is_for(rule, key)) {
        rule = rule->next;
    }
    return rule;
}

static bool is_current(const loaded_rule *rule, const gputune *tuner)
{
    return atomic_load(&rule->changes) == changes_of(tuner) &&
           !(rule->watch && atomic_load(&rule->watch->edited));
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Waits until no other thread is loading, and begins a load. EBUSY in a callback of the loading
 * thread; ETIMEOUT if the wait takes too long. */
static gputune_status begin_loading(gt_rules *rules, const gt_patience *patience)
{
    static const double slice_s = 0.02; /* interval at which the wait checks for a cancel */
    double left_s;
    GT_REFUSE(loads_here, GPUTUNE_EBUSY, "a rule is being loaded by this thread");
    do {
        left_s = gt_patience_left_s(patience);
        loads_here = gt_mutex_wait(&rules->loading, fmin(left_s, slice_s));
    } while (!loads_here && left_s > 0);
    GT_REFUSE(!loads_here, GPUTUNE_ETIMEOUT, "a rule was not loaded in time");
    return GPUTUNE_OK;
}

static void end_loading(gt_rules **rules)
{
    loads_here = false;
    pthread_mutex_unlock(&(*rules)->loading);
}

static gputune_status copy_key(loaded_rule *out, const gt_plan_call *call,
                               const gt_template *template)
{
    const gt_plan_key *key = call->key;
    size_t at = gt_plan_key_head(key, call->sizes);
    out->words = malloc(key->count * sizeof *out->words);
    out->mask = malloc(key->count * sizeof *out->mask);
    GT_TRY(gt_allocated(out->words));
    GT_TRY(gt_allocated(out->mask));
    memcpy(out->words, key->words, key->count * sizeof *out->words);
    memset(out->mask, 0xff, key->count * sizeof *out->mask);
    out->count = key->count;
    for (size_t i = 0; i < call->sizes.count; i++) {
        const char *name = call->sizes.items[i].name;
        const int value = gt_template_problem_index(template, name);
        at += gt_plan_key_words(name);
        if (value >= 0 && template->problem[value].kind == GT_PROBLEM_SIZE) {
            out->mask[at] = 0;
            out->sizes[out->size_count++] = (size_place){(uint32_t)at, (uint32_t)value};
        }
        at++;
    }
    return GPUTUNE_OK;
}

static gputune_status look_up(gt_found_rule *out, const gt_plan_call *call,
                              const gt_request *request)
{
    GT_SCOPED(gt_found_rule_free) gt_found_rule found = {0};
    GT_FREED char *forced = NULL;
    const char *kernel = request->template->name;
    GT_TRY(gt_overrides_forced(&forced, &call->tuner->overrides, kernel));
    GT_REFUSE(forced, GPUTUNE_ENOTFOUND, "GPUTUNE_FORCE names a configuration");
    GT_REFUSE(request->only_text[0], GPUTUNE_ENOTFOUND, "calls with `only` use no rule");
    GT_TRY(gt_find_rule(&found, request));
    GT_REFUSE(!found.proved, GPUTUNE_ENOTFOUND,
              "the rule was not verified on this kind of GPU and driver, so each size is verified");
    *out = gt_take(&found);
    return GPUTUNE_OK;
}

static gputune_status load_variant(loaded_rule *rule, gputune *tuner, gt_request *request,
                                   uint32_t variant)
{
    GT_SCOPED(gt_choice_free) gt_choice choice = {0};
    const gt_config *config = &rule->found.rule->variants.items[variant];
    GT_REFUSE(!gt_request_permits(request, config), GPUTUNE_ENOTFOUND,
              "the rule's variant is not possible at %s", request->problem_text);
    GT_TRY(gt_choose_variant(&choice, request, &rule->found, variant));
    GT_FREED gt_plan_model *model = calloc(1, sizeof *model);
    GT_TRY(gt_allocated(model));
    GT_TRY(gt_plan_model_make(model, request, &choice, &tuner->pool));
    atomic_store_explicit(&rule->models[variant], gt_take(&model), memory_order_release);
    return GPUTUNE_OK;
}

/* Loads the variants that are valid at the request's sizes. If a load fails, it is tried again when
 * the rule chooses the variant. */
static void load_variants(loaded_rule *rule, gputune *tuner, gt_request *request)
{
    for (uint32_t i = 0; i < rule->found.rule->variants.count; i++) {
        if (!atomic_load(&rule->models[i])) {
            (void)load_variant(rule, tuner, request, i);
        }
    }
}

static gputune_status load_at_most(loaded_rule *rule, const gt_plan_call *call)
{
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_TRY(gt_request_make_at(&request, &call->tuner->services, &call->tuner->device, call->kernel,
                              rule->template, &rule->found.rule->region.most, call->options));
    load_variants(rule, call->tuner, request);
    return GPUTUNE_OK;
}

static gputune_status load_all(loaded_rule *rule, const gt_plan_call *call, gt_request *request)
{
    GT_SCOPED(gt_text_free) gt_text region = {0};
    const gt_rule *found = rule->found.rule;
    rule->models = calloc(found->variants.count, sizeof *rule->models);
    GT_TRY(gt_allocated(rule->models));
    rule->problem = request->problem;
    gt_slots_fill(rule->slots, request->template, &request->problem, request->device);
    rule->terms = gt_terms_of_rule(request);
    load_variants(rule, call->tuner, request);
    if (load_at_most(rule, call) == GPUTUNE_ENOMEM) {
        return GPUTUNE_ENOMEM;
    }
    gt_rule_region_append(&region, request->template, &found->region);
    gt_log_line(&request->log, GPUTUNE_LOG_INFO,
                "%s: a rule of %zu variant%s answers %s; expected loss %.1f%%, 90th percentile "
                "%.1f%%",
                request->template->name, found->variants.count,
                found->variants.count == 1 ? "" : "s", gt_text_string(&region),
                100 * (found->loss.mean - 1), 100 * (found->loss.p90 - 1));
    return GPUTUNE_OK;
}

static bool is_same(const loaded_rule *rule, const gt_request *request, const gt_found_rule *found)
{
    return rule && rule->template == request->template && !rule->found.rule == !found->rule &&
           (!found->rule || strcmp(rule->found.text, found->text) == 0);
}

/* Looks up the rule for a call, and adds an entry for it. If no rule is stored, adds an entry
 * without a rule. If the entry `before` has the same rule, keeps that entry instead. */
static gputune_status load_rule(loaded_rule **out, const gt_plan_call *call, loaded_rule *before)
{
    gputune *tuner = call->tuner;
    const unsigned changes = changes_of(tuner);
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_SCOPED(free_rule) loaded_rule *rule = calloc(1, sizeof *rule);
    GT_TRY(gt_allocated(rule));
    GT_TRY(gt_request_make(&request, &tuner->services, &tuner->device, call->kernel, call->sizes,
                           call->options));
    gputune_status status = look_up(&rule->found, call, request);
    if (status == GPUTUNE_ENOMEM) {
        return status;
    }
    if (is_same(before, request, &rule->found)) {
        atomic_store(&before->changes, changes);
        *out = before;
        return GPUTUNE_OK;
    }
    rule->template = request->template;
    rule->watch = gt_catalog_watch(tuner->catalog, request->template, request->by_path);
    atomic_init(&rule->changes, changes);
    GT_TRY(copy_key(rule, call, request->template));
    if (status != GPUTUNE_OK) {
        gt_log_line(&request->log, GPUTUNE_LOG_INFO, "%s: new sizes are not answered by a rule: %s",
                    request->template->name, gt_message());
    } else {
        GT_TRY(load_all(rule, call, request));
    }
    rule->next = atomic_load(&tuner->rules->first);
    *out = gt_take(&rule);
    atomic_store_explicit(&tuner->rules->first, *out, memory_order_release);
    return GPUTUNE_OK;
}

/* Returns true if the call passes a size as text ("n=4096"). No rule is loaded for such a call,
 * because each text would need another entry. */
static bool has_text(const gt_plan_call *call, const gt_template *template)
{
    bool has = false;
    for (size_t i = 0; i < call->sizes.count; i++) {
        const char *text = call->sizes.items[i].name;
        char name[GT_NAME_MAX];
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
        const int value = gt_template_problem_index(template, name);
        has |= strchr(text, '=') && value >= 0 && template->problem[value].kind == GT_PROBLEM_SIZE;
    }
    return has;
}

/* Returns a current rule. Call it between begin_loading() and end_loading(). */
static gputune_status get_rule(loaded_rule **out, const gt_plan_call *call)
{
    const gt_template *template;
    loaded_rule *rule = find_rule(call->tuner->rules, call->key);
    if (rule && rule->watch) {
        (void)gt_watch_look(rule->watch);
    }
    if (rule && is_current(rule, call->tuner)) {
        *out = rule;
        return GPUTUNE_OK;
    }
    GT_TRY(gt_catalog_find(&template, call->tuner->catalog, call->kernel));
    return has_text(call, template) ? GPUTUNE_ENOTFOUND : load_rule(out, call, rule);
}

/* ---- plans ----------------------------------------------------------------------------------- */

static gputune_status plan_in_full(gputune_plan **out, const gt_plan_call *call,
                                   const gt_plan_model *model)
{
    gputune *tuner = call->tuner;
    GT_SCOPED(gt_call_end) gt_call own = {0};
    GT_TRY(gt_call_begin(&own, tuner, "tune_kernel"));
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_SCOPED(gt_choice_free) gt_choice choice = {0};
    GT_TRY(gt_request_make(&request, &tuner->services, &tuner->device, call->kernel, call->sizes,
                           call->options));
    GT_REFUSE(!gt_request_permits(request, &model->config), GPUTUNE_ENOTFOUND,
              "the rule's variant is not possible at %s", request->problem_text);
    GT_TRY(gt_plan_model_choice(&choice, model));
    return gt_plan_make(out, request, &choice, &tuner->pool);
}

/* Sets *problem from the key. Returns the variant to use, or -1 outside the region. */
static int choose_variant(gt_problem *problem, const loaded_rule *rule, const gt_plan_key *key)
{
    int64_t slots[GT_SLOT_MAX];
    *problem = rule->problem;
    memcpy(slots, rule->slots, sizeof slots);
    for (uint32_t i = 0; i < rule->size_count; i++) {
        const size_place *at = &rule->sizes[i];
        problem->values[at->value].number = slots[GT_SLOT_PROBLEM + at->value] =
            (int64_t)key->words[at->word];
    }
    return gt_rule_choose(rule->found.rule, problem, slots);
}

/* Calls choose_variant() to set *problem and *variant, and returns the model of the variant.
 * Returns NULL if the sizes are outside the region or the model is not loaded. */
static const gt_plan_model *find_model(gt_problem *problem, int *variant, const loaded_rule *rule,
                                       const gt_plan_key *key)
{
    *variant = rule->found.rule ? choose_variant(problem, rule, key) : -1;
    return *variant < 0 ? NULL
                        : atomic_load_explicit(&rule->models[*variant], memory_order_acquire);
}

static gputune_status load_for(loaded_rule **out, const gt_plan_call *call)
{
    gputune *tuner = call->tuner;
    gt_problem problem;
    int variant;
    const gt_patience patience = gt_patience_for(gt_limit_of(call->options), call->options->cancel);
    GT_TRY(begin_loading(tuner->rules, &patience));
    GT_SCOPED(end_loading) gt_rules *loading = tuner->rules;
    GT_TRY(get_rule(out, call));
    if (find_model(&problem, &variant, *out, call->key) || variant < 0) {
        return GPUTUNE_OK;
    }
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_TRY(gt_request_make(&request, &tuner->services, &tuner->device, call->kernel, call->sizes,
                           call->options));
    return load_variant(*out, tuner, request, (uint32_t)variant);
}

static gputune_status plan_of(gputune_plan **out, const gt_plan_call *call,
                              const gt_plan_model *model, const gt_problem *problem)
{
    return model->prototypes[0] ? gt_plan_resize(out, model, problem)
                                : plan_in_full(out, call, model);
}

static gputune_status load_and_plan(gputune_plan **out, loaded_rule **rule,
                                    const gt_plan_call *call)
{
    GT_SCOPED(gt_call_end) gt_call own = {0};
    gt_problem problem;
    int variant;
    GT_TRY(gt_call_begin(&own, call->tuner, "tune_kernel"));
    GT_TRY(load_for(rule, call));
    const gt_plan_model *model = find_model(&problem, &variant, *rule, call->key);
    return model ? plan_of(out, call, model, &problem) : GPUTUNE_ENOTFOUND;
}

gputune_status gt_rules_plan(gputune_plan **out, gt_terms *terms, const gt_plan_call *call)
{
    gputune *tuner = call->tuner;
    const gt_plan_key *key = call->key;
    const gt_plan_model *model = NULL;
    gt_problem problem;
    int variant = 0;
    loaded_rule *rule = find_rule(tuner->rules, key);
    if (rule && is_current(rule, tuner) && !(rule->watch && gt_watch_is_due(rule->watch))) {
        model = find_model(&problem, &variant, rule, key);
    }
    if (variant < 0) {
        return GPUTUNE_ENOTFOUND;
    }
    GT_TRY(model ? plan_of(out, call, model, &problem) : load_and_plan(out, &rule, call));
    *terms = rule->terms;
    return GPUTUNE_OK;
}
