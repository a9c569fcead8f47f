/* tune_kernel(): from a call to a plan. */
#include "api/tuner.h"

#include "base/clock.h"
#include "base/objective.h"
#include "base/readers.h"
#include "tuner/tune.h"

#include <stdio.h>
#include <stdlib.h>

/* Chooses the configuration that the environment forces on this kernel. ENOTFOUND if there is none,
 * and, with a warning, if it cannot be used. */
static gputune_status choose_ordered(gt_choice *out, gputune *tuner, gt_request *request)
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
        gt_log_line(&request->services->log, GPUTUNE_LOG_WARNING,
                    "GPUTUNE_FORCE is ignored for %s: %s", kernel, gt_message());
        status = GPUTUNE_ENOTFOUND;
    }
    return status;
}

static gputune_status choose(gt_choice *out, gputune *tuner, gt_request *request)
{
    gputune_status status = choose_ordered(out, tuner, request);
    if (status != GPUTUNE_ENOTFOUND) {
        return status;
    }
    status = gt_tune(out, request);
    bool tuned =
        request->options.effort >= GPUTUNE_MEASURE &&
        !(status == GPUTUNE_OK && out->source == GPUTUNE_SOURCE_CACHED && out->terms.final);
    if (tuned) {
        gt_plan_table_note_result(tuner->plans);
    }
    return status;
}

static void say_chosen(const gt_request *request, const gputune_plan *plan)
{
    gputune_info info = {.version = GPUTUNE_INFO_VERSION};
    if (gputune_plan_info(&info, plan) == GPUTUNE_OK) {
        gt_log_line(&request->services->log, GPUTUNE_LOG_INFO, "%s %s: %s (%s)%s%s", info.kernel,
                    request->problem_text, info.configuration, gputune_source_name(info.source),
                    *info.stop_reason ? ": " : "", info.stop_reason);
    }
}

/* Records that no stored result answered. A call that was to measure anew did not ask for one. */
static void note_miss(gputune *tuner, const gt_request *request, gputune_plan *plan,
                      gputune_source source)
{
    if (tuner->misses && source != GPUTUNE_SOURCE_CACHED && source != GPUTUNE_SOURCE_FORCED &&
        !tuner->overrides.disabled && !request->options.force) {
        gt_miss *miss = gt_misses_note(tuner->misses, request);
        gt_plan_set_miss(plan, source == GPUTUNE_SOURCE_MEASURED ? NULL : miss);
    }
}

/* Counts that a plan was asked for again, and still no stored result answers. */
static void note_hit(gputune *tuner, const gputune_plan *plan)
{
    gt_call call;
    gt_miss *miss = plan && tuner->misses ? gt_plan_miss(plan) : NULL;
    if (miss && gt_call_begin(&call, tuner, "tune_kernel") == GPUTUNE_OK) {
        gt_misses_again(tuner->misses, miss);
        gt_call_end(&call);
    }
}

/* A call that the table may not answer. */
typedef struct asking {
    gputune *tuner;
    const gt_plan_key *key;
    const char *kernel;
    gputune_sizes sizes;
    const gputune_options *options;
    gt_terms terms; /* what the plan must have been made under at least; the space is in the key */
    int64_t begun_ns;
} asking;

/* Makes the plan of a request, and what is to be known of it. */
static gputune_status make_plan(gt_landing *out, const asking *a)
{
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_SCOPED(gt_choice_free) gt_choice choice = {0};
    gputune *tuner = a->tuner;
    GT_TRY(gt_tuner_need_device(tuner, GPUTUNE_EINVAL, "tune_kernel"));
    GT_TRY(gt_request_make(&request, &tuner->services, &tuner->device, a->kernel, a->sizes,
                           a->options));
    request->options.effort = request->terms.effort = a->terms.effort;
    request->patience.until_ns -= gt_now_ns() - a->begun_ns;
    const gt_patience own = request->patience;
    gputune_status status = choose(&choice, tuner, request);
    out->cut_short = gt_patience_left_s(&own) <= 0;
    GT_TRY(status);
    out->terms = choice.terms;
    out->terms.space = request->terms.space; /* of a choice from another, too: it is no decision */
    gputune_source source = choice.source;
    GT_TRY(gt_plan_make(&out->plan, request, &choice, tuner->driver, tuner->overrides.debug));
    say_chosen(request, out->plan);
    note_miss(tuner, request, out->plan, source);
    return GPUTUNE_OK;
}

static double limit_of(const gputune_options *o)
{
    return o->time_limit_s > 0 ? o->time_limit_s : gt_objective_facts(o->objective)->limit_s;
}

static gt_terms terms_asked(const gputune *tuner, const gputune_options *o)
{
    const gputune_effort own = o->effort ? o->effort : GPUTUNE_MEASURE;
    return (gt_terms){.limit = o->max_variants,
                      .limit_s = limit_of(o),
                      .effort = tuner->overrides.effort ? tuner->overrides.effort : own,
                      .isolation = o->isolation,
                      .driver_version = tuner->device.driver_version,
                      .complete = o->strategy == GPUTUNE_STRATEGY_EXHAUSTIVE};
}

/* The plan in the table, retained, or NULL. */
static gputune_plan *find_known(const asking *a)
{
    gputune *tuner = a->tuner;
    gputune_plan *plan = NULL;
    if (gt_readers_enter()) {
        if (!gt_calls_closing(&tuner->calls)) {
            plan = gt_plan_table_find(tuner->plans, a->key, &a->terms);
        }
        gt_readers_leave();
    }
    note_hit(tuner, plan);
    return plan;
}

/* Whether the call measures again what is known. */
static bool is_anew(const asking *a)
{
    return a->options->force && a->terms.effort >= GPUTUNE_MEASURE;
}

/* Makes a plan and puts it into the table. */
static void plan_alone(gt_landing *out, const asking *a)
{
    gt_plan_table *plans = a->tuner->plans;
    uint32_t forgets = gt_plan_table_forgets(plans);
    out->status = make_plan(out, a);
    if (out->status == GPUTUNE_OK) {
        out->status = gt_plan_table_add(plans, a->key, &out->terms, out->plan, is_anew(a), forgets);
    }
    if (out->status != GPUTUNE_OK) {
        gputune_plan_release(out->plan);
        out->plan = NULL;
        snprintf(out->message, sizeof out->message, "%s", gt_message());
    }
}

/* Of the calls that want a plan at the same time, the first one makes it, and the others wait for
 * half of their limit. */
static void plan_or_wait(gt_landing *out, const asking *a)
{
    gputune *tuner = a->tuner;
    gt_patience patience = gt_patience_for(limit_of(a->options) / 2, a->options->cancel);
    patience.closing = &tuner->calls.closing;
    while (!is_anew(a)) {
        bool leads;
        gt_flight *flight = gt_flight_join(&tuner->flights, &leads, a->key, &a->terms,
                                           gt_plan_table_changes(tuner->plans));
        if (leads) { /* the plan may have been made since the table was asked */
            *out = (gt_landing){.plan = find_known(a), .terms = a->terms};
            if (!out->plan) {
                plan_alone(out, a);
            }
            gt_flight_land(&tuner->flights, flight, out);
            return;
        }
        if (!flight || !gt_flight_await(out, &tuner->flights, flight, &patience)) {
            break;
        }
        if (!out->cut_short && out->status != GPUTUNE_ENOMEM) { /* the result is this call's too */
            note_hit(tuner, out->plan);
            return;
        }
        gputune_plan_release(out->plan);
        *out = (gt_landing){.plan = NULL};
    }
    plan_alone(out, a);
}

/* Gives the plan to the caller, and the terms that it was made under. */
static gputune_status plan_now(gputune_plan **out, gt_terms *terms, const asking *a)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    gt_landing landing = {.plan = NULL};
    GT_TRY(gt_call_begin(&call, a->tuner, "tune_kernel"));
    plan_or_wait(&landing, a);
    GT_REFUSE(landing.status != GPUTUNE_OK, landing.status, "%s", landing.message);
    *terms = landing.terms;
    *out = landing.plan;
    return GPUTUNE_OK;
}

static gputune_status want(const asking *a, uint32_t forgets)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_TRY(gt_call_begin(&call, a->tuner, "tune_kernel"));
    return gt_background_want(a->tuner->background, a->key, forgets, a->kernel, a->sizes,
                              a->options);
}

/* Answers a call that tunes in the background: with the winner if it is known; else with what is
 * known without measuring, and a background tuning is asked for. */
static gputune_status plan_in_background(gputune_plan **out, const asking *a)
{
    asking known = *a;
    known.terms.effort = GPUTUNE_CACHED_ONLY;
    gt_terms terms = known.terms, wanted = a->terms;
    uint32_t forgets = gt_plan_table_forgets(a->tuner->plans);
    gputune_plan *plan = find_known(&known);
    gputune_status status = plan ? GPUTUNE_OK : plan_now(&plan, &terms, &known);
    wanted.space = terms.space;
    if (status == GPUTUNE_OK && (is_anew(a) || !gt_answers(&terms, &wanted))) {
        status = want(a, forgets);
    }
    return GT_GIVE(status, out, plan, gputune_plan_release(plan));
}

/* The plan in the table, or a new one. */
static gputune_status find_or_plan(gputune_plan **out, gputune *tuner, const char *kernel,
                                   gputune_sizes sizes, const gputune_options *o)
{
    gt_plan_key key;
    gt_terms terms;
    gputune_status status = GPUTUNE_OK;
    gt_plan_key_make(&key, kernel, sizes, o);
    asking a = {tuner, &key, kernel, sizes, o, terms_asked(tuner, o), 0};
    gputune_plan *plan = is_anew(&a) ? NULL : find_known(&a);
    if (!plan) {
        bool waits =
            !o->background || a.terms.effort < GPUTUNE_MEASURE || tuner->overrides.disabled;
        a.begun_ns = gt_now_ns();
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
    if (o->version != GPUTUNE_OPTIONS_VERSION) {
        GT_TRY(gt_options_read(&converted, o));
        o = &converted;
    }
    GT_TRY(gt_call_check(kernel, sizes, o));
    return find_or_plan(out, tuner, kernel, sizes, o);
}
