/* Implements tune_kernel() and gputune_tune_together(). */
#include "api/tuner.h"

#include "base/clock.h"
#include "base/condition.h"
#include "base/objective.h"
#include "base/sized.h"
#include "tuner/tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- plans in flight ------------------------------------------------------------------------- */

typedef struct made_plan {
    gputune_status status;
    gputune_plan *plan; /* the plan, or NULL on failure; each caller adds a reference */
    gt_terms terms;
    /* true if the first caller's limit or cancel ended the tuning; other callers ignore the plan */
    bool cut_short;
    char message[1024]; /* the error message if the call failed */
} made_plan;

/* A plan in flight. The first caller makes it, and other calls wait for it. */
struct gt_in_flight {
    gt_in_flight *next;
    const gt_plan_call *caller; /* the first caller's arguments; valid until the plan is made */
    uint32_t changes;
    unsigned inside; /* number of calls that use this struct */
    bool ended;
    made_plan made;
};

/* Number of plans in flight that this thread is making. Not 0 in a callback during that time. */
static _Thread_local unsigned making;

void gt_in_flight_open(gt_in_flight_list *list)
{
    *list = (gt_in_flight_list){.first = NULL};
    pthread_mutex_init(&list->mutex, NULL);
    gt_condition_open(&list->some_made);
}

void gt_in_flight_close(gt_in_flight_list *list)
{
    pthread_cond_destroy(&list->some_made);
    pthread_mutex_destroy(&list->mutex);
}

static bool wants_same(const gt_plan_call *a, const gt_plan_call *b)
{
    const gt_terms *x = &a->terms, *y = &b->terms;
    return a->key->hash == b->key->hash && gt_plan_key_is(a->key, b->key->words, b->key->count) &&
           x->effort == y->effort && x->limit == y->limit && x->complete == y->complete;
}

/* Finds the plan in flight that a call can wait for, or begins one. If *is_first is set, the caller
 * must make the plan and call finish_in_flight(). Ignores plans that were started before a template
 * was replaced or the table was refreshed. Returns NULL if the call must make its own plan, because
 * the request has no key or because memory ran out. Also returns NULL in a callback of a call that
 * is making a plan, because waiting there could be a deadlock. */
static gt_in_flight *join_in_flight(bool *is_first, const gt_plan_call *a)
{
    gt_in_flight_list *list = &a->tuner->in_flight;
    const uint32_t changes = gt_plan_table_changes(a->tuner->plans);
    *is_first = false;
    if (!a->key->count || making) {
        return NULL;
    }
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&list->mutex);
    gt_in_flight *in_flight = list->first;
    while (in_flight && !(in_flight->changes == changes && wants_same(in_flight->caller, a))) {
        in_flight = in_flight->next;
    }
    if (!in_flight) {
        in_flight = calloc(1, sizeof *in_flight);
        *is_first = in_flight != NULL;
    }
    if (*is_first) {
        *in_flight = (gt_in_flight){.next = list->first, .caller = a, .changes = changes};
        list->first = in_flight;
        making++;
    }
    if (in_flight) {
        in_flight->inside++;
    }
    return in_flight;
}

/* Ends a call's use of a plan in flight, and unlocks the mutex. The last call frees it. */
static void leave_in_flight(gt_in_flight_list *list, gt_in_flight *in_flight)
{
    bool last = --in_flight->inside == 0;
    pthread_mutex_unlock(&list->mutex);
    if (last) {
        gputune_plan_release(in_flight->made.plan);
        free(in_flight);
    }
}

/* Passes a plan's result to the waiting calls. The caller keeps its reference to the plan. */
static void finish_in_flight(gt_in_flight_list *list, gt_in_flight *in_flight,
                             const made_plan *made)
{
    making--;
    pthread_mutex_lock(&list->mutex);
    gt_in_flight **at = &list->first;
    while (*at != in_flight) {
        at = &(*at)->next;
    }
    *at = in_flight->next;
    in_flight->ended = true;
    in_flight->made = *made;
    in_flight->made.plan = gputune_plan_retain(made->plan);
    pthread_cond_broadcast(&list->some_made);
    leave_in_flight(list, in_flight);
}

/* Waits until the plan is made. Returns false if the time limit or a cancel ends the wait first. */
static bool wait_in_flight(made_plan *out, gt_in_flight_list *list, gt_in_flight *in_flight,
                           const gt_patience *patience)
{
    static const double slice_s = 0.02; /* interval at which the wait checks for a cancel */
    double left_s;
    pthread_mutex_lock(&list->mutex);
    while (!in_flight->ended && (left_s = gt_patience_left_s(patience)) > 0) {
        gt_condition_wait(&list->some_made, &list->mutex, fmin(left_s, slice_s));
    }
    bool ended = in_flight->ended;
    if (ended) {
        *out = in_flight->made;
        out->plan = gputune_plan_retain(in_flight->made.plan);
    }
    leave_in_flight(list, in_flight);
    return ended;
}

/* ---- making a plan --------------------------------------------------------------------------- */

/* Chooses the configuration of GPUTUNE_FORCE, or the default if GPUTUNE_DISABLE is set. ENOTFOUND
 * if no configuration is forced, or if it fails; a failure is logged as a warning. */
static gputune_status choose_forced_config(gt_choice *out, gputune *tuner, gt_request *request)
{
    GT_FREED char *forced = NULL;
    const char *kernel = request->template->name;
    if (tuner->overrides.disabled) {
        return gt_choose_default(out, request);
    }
    GT_TRY(gt_overrides_forced(&forced, &tuner->overrides, kernel));
    if (!forced) {
        return GPUTUNE_ENOTFOUND;
    }
    gputune_status status = gt_choose_forced(out, request, forced);
    if (status != GPUTUNE_OK) {
        gt_log_line(&request->log, GPUTUNE_LOG_WARNING, "GPUTUNE_FORCE is ignored for %s: %s",
                    kernel, gt_message());
        status = GPUTUNE_ENOTFOUND;
    }
    return status;
}

static gputune_status choose_config(gt_choice *out, gputune *tuner, gt_request *request)
{
    gputune_status status = choose_forced_config(out, tuner, request);
    if (status != GPUTUNE_ENOTFOUND) {
        return status;
    }
    status = gt_tune(out, request);
    if (status == GPUTUNE_ENOTCACHED && tuner->misses) {
        (void)gt_misses_note(tuner->misses, request);
    }
    bool tuned =
        request->options.effort >= GPUTUNE_MEASURE &&
        !(status == GPUTUNE_OK && out->source == GPUTUNE_SOURCE_CACHED && out->terms.final);
    if (tuned) {
        gt_plan_table_note_result(tuner->plans);
    }
    return status;
}

/* Records a miss if no stored result answered the request. A forced tuning is not a miss. */
static void note_miss(gputune *tuner, const gt_request *request, gputune_plan *plan,
                      gputune_source source)
{
    if (tuner->misses && source != GPUTUNE_SOURCE_CACHED && source != GPUTUNE_SOURCE_FORCED &&
        source != GPUTUNE_SOURCE_RULE && !tuner->overrides.disabled && !request->options.force) {
        gt_miss *miss = gt_misses_note(tuner->misses, request);
        gt_plan_set_miss(plan, source == GPUTUNE_SOURCE_MEASURED ? NULL : miss);
    }
}

static void note_hit(gputune *tuner, const gputune_plan *plan)
{
    gt_call call;
    gt_miss *miss = plan && tuner->misses ? gt_plan_miss(plan) : NULL;
    if (miss && gt_call_begin(&call, tuner, "tune_kernel") == GPUTUNE_OK) {
        gt_misses_again(tuner->misses, miss);
        gt_call_end(&call);
    }
}

static gputune_status make_plan(made_plan *out, const gt_plan_call *a)
{
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_SCOPED(gt_choice_free) gt_choice choice = {0};
    gputune *tuner = a->tuner;
    gputune_options o = *a->options;
    o.effort = a->terms.effort;
    GT_TRY(gt_tuner_need_device(tuner, GPUTUNE_EINVAL, "tune_kernel"));
    GT_TRY(gt_request_make(&request, &tuner->services, &tuner->device, a->kernel, a->sizes, &o));
    request->patience.until_ns -= gt_now_ns() - a->start_ns;
    const gt_patience own = request->patience;
    gputune_status status = choose_config(&choice, tuner, request);
    out->cut_short = gt_patience_left_s(&own) <= 0;
    GT_TRY(status);
    out->terms = choice.terms;
    out->terms.space = request->terms.space; /* a configuration from another space is not final */
    gputune_source source = choice.source;
    GT_TRY(gt_plan_make(&out->plan, request, &choice, &tuner->pool));
    gputune_info info = GPUTUNE_INFO_INIT;
    GT_TRY(gputune_plan_info(&info, out->plan));
    gt_log_line(&request->log, GPUTUNE_LOG_INFO, "%s %s: %s (%s)%s%s", info.kernel,
                request->problem_text, info.configuration, gputune_source_name(info.source),
                *info.stop_reason ? ": " : "", info.stop_reason);
    note_miss(tuner, request, out->plan, source);
    return GPUTUNE_OK;
}

double gt_limit_of(const gputune_options *o)
{
    return o->time_limit_s > 0 ? o->time_limit_s : gt_objective_facts(o->objective)->limit_s;
}

static gt_terms terms_asked(const gputune *tuner, const gputune_options *o)
{
    const gputune_effort own = o->effort ? o->effort : GPUTUNE_MEASURE;
    return (gt_terms){.limit = o->max_variants,
                      .limit_s = gt_limit_of(o),
                      .effort = tuner->overrides.effort ? tuner->overrides.effort : own,
                      .driver_version = tuner->device.driver_version,
                      .complete = o->strategy == GPUTUNE_STRATEGY_EXHAUSTIVE,
                      .by_rule = o->unseen == GPUTUNE_RULE && !o->background};
}

static gputune_plan *look_up(gputune *tuner, const gt_plan_key *key, const gt_terms *terms)
{
    gt_watch *due;
    if (gt_calls_closing(&tuner->calls)) {
        return NULL;
    }
    gputune_plan *plan = gt_plan_table_find(&due, tuner->plans, key, terms);
    if (!due) {
        return plan;
    }
    GT_SCOPED(gt_call_end)
    gt_call call = {0}; /* in a forked child, gt_call_begin() fails and begins no call */
    bool is_edited = gt_call_begin(&call, tuner, "tune_kernel") == GPUTUNE_OK && gt_watch_look(due);
    return is_edited ? NULL : plan;
}

static gputune_plan *find_known(const gt_plan_call *a)
{
    gputune_plan *plan = look_up(a->tuner, a->key, &a->terms);
    note_hit(a->tuner, plan);
    return plan;
}

static bool must_tune_again(const gt_plan_call *a)
{
    return a->options->force && a->terms.effort >= GPUTUNE_MEASURE;
}

static void plan_one(made_plan *out, const gt_plan_call *a)
{
    gt_plan_table *plans = a->tuner->plans;
    uint32_t forgets = gt_plan_table_forgets(plans);
    out->status = make_plan(out, a);
    if (out->status == GPUTUNE_OK) {
        out->status =
            gt_plan_table_add(plans, a->key, &out->terms, out->plan, must_tune_again(a), forgets);
    }
    if (out->status != GPUTUNE_OK) {
        gputune_plan_release(out->plan);
        out->plan = NULL;
        snprintf(out->message, sizeof out->message, "%s", gt_message());
    }
}

/* Makes the plan. If another call is making the plan already, waits for it first, but for at most
 * half of the time limit. */
static void plan_or_wait(made_plan *out, const gt_plan_call *a)
{
    gputune *tuner = a->tuner;
    gt_patience patience = gt_patience_for(gt_limit_of(a->options) / 2, a->options->cancel);
    patience.closing = &tuner->calls.closing;
    while (!must_tune_again(a)) {
        bool is_first;
        gt_in_flight *in_flight = join_in_flight(&is_first, a);
        if (is_first) { /* since the lookup, another call may have made the plan */
            *out = (made_plan){.plan = find_known(a), .terms = a->terms};
            if (!out->plan) {
                plan_one(out, a);
            }
            finish_in_flight(&tuner->in_flight, in_flight, out);
            return;
        }
        if (!in_flight || !wait_in_flight(out, &tuner->in_flight, in_flight, &patience)) {
            break;
        }
        gt_watch *watch = out->plan ? gt_plan_watch(out->plan) : NULL;
        bool edited = watch && gt_watch_look(watch); /* true if the template was edited */
        if (!out->cut_short && !edited && out->status != GPUTUNE_ENOMEM) {
            note_hit(tuner, out->plan);
            return;
        }
        gputune_plan_release(out->plan);
        *out = (made_plan){.plan = NULL};
    }
    plan_one(out, a);
}

static gputune_status plan_now(gputune_plan **out, gt_terms *terms, const gt_plan_call *a)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    made_plan made = {.plan = NULL};
    GT_TRY(gt_call_begin(&call, a->tuner, "tune_kernel"));
    plan_or_wait(&made, a);
    GT_REFUSE(made.status != GPUTUNE_OK, made.status, "%s", made.message);
    *terms = made.terms;
    *out = made.plan;
    return GPUTUNE_OK;
}

static gputune_status want_in_background(const gt_plan_call *a, uint32_t forgets)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_TRY(gt_call_begin(&call, a->tuner, "tune_kernel"));
    return gt_background_want(a, forgets);
}

/* Returns a plan without measuring, and requests a tuning in the background if there is no final
 * result yet. If the default is known to fail, there is no plan, but the tuning is requested. */
static gputune_status plan_in_background(gputune_plan **out, const gt_plan_call *a)
{
    gt_plan_call known = *a;
    known.terms.effort = GPUTUNE_CACHED_ONLY;
    gt_terms terms = known.terms, wanted = a->terms;
    uint32_t forgets = gt_plan_table_forgets(a->tuner->plans);
    GT_SCOPED(gt_plan_release_at) gputune_plan *plan = find_known(&known);
    GT_FREED char *why = NULL;
    gputune_status status = plan ? GPUTUNE_OK : plan_now(&plan, &terms, &known);
    if (status == GPUTUNE_ENOMEM || status == GPUTUNE_ECANCELED) {
        return status;
    }
    GT_TRY(gt_strdup(&why, gt_message()));
    wanted.space = terms.space;
    if (must_tune_again(a) || !gt_answers(&terms, &wanted)) {
        gputune_status queued = want_in_background(a, forgets);
        if (queued == GPUTUNE_EWORKER) { /* the next call requests the tuning again */
            gt_log_line(&a->tuner->log, GPUTUNE_LOG_WARNING, "%s: %s", a->kernel, gt_message());
        } else {
            GT_TRY(queued);
        }
    }
    GT_REFUSE(status != GPUTUNE_OK, status, "%s", why);
    *out = gt_take(&plan);
    return GPUTUNE_OK;
}

static bool may_rule(const gt_plan_call *a)
{
    const gputune *tuner = a->tuner;
    return a->terms.by_rule && a->key->count && tuner->has_device && !must_tune_again(a) &&
           !tuner->overrides.disabled;
}

/* Makes the plan that a rule chooses. If the table has an outdated plan for this size that was
 * measured, looks up the stored result again and does not use the rule. */
static gputune_status plan_by_rule(gputune_plan **out, const gt_plan_call *a)
{
    gputune *tuner = a->tuner;
    gt_plan_table *plans = tuner->plans;
    gt_plan_call known = *a;
    gt_terms terms;
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_SCOPED(gt_plan_release_at) gputune_plan *plan = NULL;
    GT_TRY(gt_call_begin_briefly(&call, tuner, "tune_kernel"));
    uint32_t forgets = gt_plan_table_forgets(plans);
    GT_TRY(gt_rules_plan(&plan, &terms, a));
    if (gt_plan_table_has_measured(plans, a->key)) {
        known.terms.effort = GPUTUNE_CACHED_ONLY;
        *out = find_known(&known);
        return *out ? GPUTUNE_OK : plan_now(out, &terms, &known);
    }
    GT_TRY(gt_plan_table_add(plans, a->key, &terms, plan, false, forgets));
    *out = gt_take(&plan);
    return GPUTUNE_OK;
}

static gputune_status find_or_plan(gputune_plan **out, gputune *tuner, const char *kernel,
                                   gputune_sizes sizes, const gputune_options *o)
{
    gt_plan_key key;
    gt_terms terms;
    gputune_status status = GPUTUNE_OK;
    gt_plan_key_make(&key, kernel, sizes, o);
    gt_plan_call a = {tuner, &key, kernel, sizes, o, terms_asked(tuner, o), 0};
    gputune_plan *plan = must_tune_again(&a) ? NULL : find_known(&a);
    if (!plan && (!may_rule(&a) || plan_by_rule(&plan, &a) != GPUTUNE_OK)) {
        bool waits = !o->background || a.terms.effort < GPUTUNE_MEASURE ||
                     tuner->overrides.disabled || tuner->pinned;
        a.start_ns = gt_now_ns();
        status = waits ? plan_now(&plan, &terms, &a) : plan_in_background(&plan, &a);
    }
    gt_plan_key_free(&key);
    if (status == GPUTUNE_OK) {
        *out = plan;
    }
    return status;
}

int tune_kernel(gputune_plan **out, gputune *tuner, const char *kernel, gputune_sizes sizes,
                const gputune_options *options)
{
    static const gputune_options standard = GPUTUNE_OPTIONS_INIT;
    gputune_options converted;
    const gputune_options *o = options ? options : &standard;
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(gt_need(__func__, "the tuner", tuner));
    if (o->size != sizeof(gputune_options)) {
        GT_TRY(gt_options_read(&converted, o));
        o = &converted;
    }
    GT_TRY(gt_call_check(kernel, sizes, o));
    return find_or_plan(out, tuner, kernel, sizes, o);
}

/* ---- groups of processes --------------------------------------------------------------------- */

typedef struct group_answer {
    int32_t status;
    int32_t source;   /* the gputune_source of rank 0's plan */
    gt_hash identity; /* identity of rank 0's template */
    double time_ns, default_ns;
    gt_verdict verdict;
    char text[3072]; /* the configuration, or an error message */
} group_answer;

static gputune_status share_group(group_answer *v, const gputune_group *group)
{
    return group->broadcast(group->user, v, sizeof *v) == 0
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EIO, "gputune_tune_together: the group's broadcast failed");
}

static gputune_status find_identity(gt_hash *out, const gt_plan_call *a)
{
    const gt_template *template;
    GT_TRY(gt_catalog_find(&template, a->tuner->catalog, a->kernel));
    *out = template->identity;
    return GPUTUNE_OK;
}

static gputune_status describe_plan(group_answer *out, const gt_plan_call *a,
                                    const gputune_plan *plan)
{
    gputune_info info = GPUTUNE_INFO_INIT;
    GT_TRY(find_identity(&out->identity, a));
    GT_TRY(gputune_plan_info(&info, plan));
    GT_REFUSE(strlen(info.configuration) >= sizeof out->text, GPUTUNE_EUNSUPPORTED,
              "%s: a configuration of %zu characters is too long", a->kernel,
              strlen(info.configuration));
    snprintf(out->text, sizeof out->text, "%s", info.configuration);
    out->source = (int32_t)info.source;
    out->time_ns = info.time_ns;
    out->default_ns = info.default_ns;
    out->verdict =
        (gt_verdict){info.speedup, info.speedup_low, info.speedup_high, info.tie, info.noisy};
    return GPUTUNE_OK;
}

static gputune_status send_plan(gputune_plan **out, const gt_plan_call *a,
                                const gputune_group *group)
{
    gputune_plan *plan = NULL;
    group_answer v = {.status = tune_kernel(&plan, a->tuner, a->kernel, a->sizes, a->options)};
    if (v.status == GPUTUNE_OK) {
        v.status = describe_plan(&v, a, plan);
    }
    if (v.status != GPUTUNE_OK) {
        snprintf(v.text, sizeof v.text, "%s", gt_message());
    }
    gputune_status status = share_group(&v, group);
    if (v.status != GPUTUNE_OK || status != GPUTUNE_OK) {
        gputune_plan_release(plan);
        return v.status != GPUTUNE_OK ? gt_fail((gputune_status)v.status, "%s", v.text) : status;
    }
    *out = plan;
    return GPUTUNE_OK;
}

/* Verifies rank 0's configuration unless it was verified on this kind of GPU. */
static gputune_status make_plan_of(gputune_plan **out, gt_terms *terms, const gt_plan_call *a,
                                   const group_answer *v)
{
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_SCOPED(gt_choice_free) gt_choice choice = {0};
    gputune *tuner = a->tuner;
    GT_TRY(gt_tuner_need_device(tuner, GPUTUNE_EINVAL, "gputune_tune_together"));
    GT_TRY(gt_request_make(&request, &tuner->services, &tuner->device, a->kernel, a->sizes,
                           a->options));
    if (v->source == GPUTUNE_SOURCE_DEFAULT) {
        GT_TRY(gt_choose_default(&choice, request));
        choice.source = GPUTUNE_SOURCE_DEFAULT;
    } else {
        GT_TRY(gt_choose_forced(&choice, request, v->text));
        choice.source = GPUTUNE_SOURCE_CACHED;
    }
    choice.time_ns = v->time_ns;
    choice.default_ns = v->default_ns;
    choice.verdict = v->verdict;
    *terms = choice.terms;
    return gt_plan_make(out, request, &choice, &tuner->pool);
}

/* Returns a plan of rank 0's configuration with its times, or NULL. If rank 0 used a rule, uses
 * this rank's copy of the rule, because the rule's variants are verified. Otherwise searches the
 * table. */
static gputune_plan *find_same(const gt_plan_call *a, const group_answer *v)
{
    const gt_terms whatever = {.effort = GPUTUNE_CACHED_ONLY,
                               .driver_version = a->tuner->device.driver_version};
    gputune_info info = GPUTUNE_INFO_INIT;
    GT_SCOPED(gt_plan_release_at) gputune_plan *plan = look_up(a->tuner, a->key, &whatever);
    if (!plan && v->source == GPUTUNE_SOURCE_RULE && may_rule(a) &&
        plan_by_rule(&plan, a) != GPUTUNE_OK) {
        return NULL;
    }
    bool is_same = plan && gputune_plan_info(&info, plan) == GPUTUNE_OK &&
                   strcmp(info.configuration, v->text) == 0 && info.time_ns == v->time_ns;
    return is_same ? gt_take(&plan) : NULL;
}

/* Makes a plan of rank 0's configuration on another rank. A new plan replaces the plan in the
 * table, so later calls of this process get it too. */
static gputune_status receive_plan(gputune_plan **out, const gt_plan_call *a,
                                   const gputune_group *group)
{
    group_answer v = {GPUTUNE_EIO, .text = "the group's broadcast copied nothing"};
    gt_hash identity;
    gt_terms terms;
    gt_plan_table *plans = a->tuner->plans;
    GT_TRY(share_group(&v, group));
    v.text[sizeof v.text - 1] = '\0';
    GT_REFUSE(v.status != GPUTUNE_OK, (gputune_status)v.status, "%s", v.text);
    GT_TRY(find_identity(&identity, a));
    GT_REFUSE(!gt_hash_equal(identity, v.identity), GPUTUNE_EINVAL,
              "%s: rank %d has a different version of the template than rank 0; give all ranks the "
              "same templates",
              a->kernel, group->rank);
    uint32_t forgets = gt_plan_table_forgets(plans);
    GT_SCOPED(gt_plan_release_at) gputune_plan *plan = find_same(a, &v);
    if (!plan) {
        GT_TRY(make_plan_of(&plan, &terms, a, &v));
        GT_TRY(gt_plan_table_add(plans, a->key, &terms, plan, true, forgets));
    }
    *out = gt_take(&plan);
    return GPUTUNE_OK;
}

int gputune_tune_together(gputune_plan **out, gputune *tuner, const char *kernel,
                          gputune_sizes sizes, const gputune_options *options,
                          const gputune_group *group)
{
    gputune_options o;
    gputune_group known = GPUTUNE_GROUP_INIT;
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_SCOPED(gt_plan_key_free) gt_plan_key key = {0};
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(gt_need(__func__, "the group", group));
    GT_TRY(GT_SIZED_READ(gputune_group, &known, group));
    GT_REFUSE(
        known.rank < 0 || !known.broadcast, GPUTUNE_EINVAL,
        "%s: initialise the group with GPUTUNE_GROUP_INIT, and set its rank and its broadcast",
        __func__);
    GT_TRY(gt_options_read(&o, options));
    GT_TRY(gt_call_check(kernel, sizes, &o));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    gt_plan_key_make(&key, kernel, sizes, &o);
    const gt_plan_call a = {.tuner = tuner,
                            .key = &key,
                            .kernel = kernel,
                            .sizes = sizes,
                            .options = &o,
                            .terms = terms_asked(tuner, &o)};
    return (known.rank ? receive_plan : send_plan)(out, &a, &known);
}
