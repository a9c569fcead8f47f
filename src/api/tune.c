/* tune_kernel(): from a call to a plan. */
#include "api/tuner.h"

#include "base/readers.h"
#include "tuner/ordered.h"

#include <stdlib.h>

/* How hard a call tries: as the environment says, else as the call does. */
static gputune_effort effort_of(const gputune *tuner, const gputune_options *o)
{
    return tuner->overrides.effort ? tuner->overrides.effort
           : o->effort             ? o->effort
                                   : GPUTUNE_MEASURE;
}

/* What the environment orders for this kernel. ENOTFOUND, silently, if that is nothing; with a
 * warning, if it cannot be done. */
static gputune_status choose_ordered(gt_choice *out, gputune *tuner, gt_request *request)
{
    char *forced;
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
        gt_log_line(&tuner->log, GPUTUNE_LOG_WARNING, "GPUTUNE_FORCE is not obeyed for %s: %s",
                    kernel, gt_message());
        status = GPUTUNE_ENOTFOUND;
    }
    free(forced);
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

static void say_chosen(const gputune *tuner, const gt_request *request, const gputune_plan *plan)
{
    gputune_info info = {.version = GPUTUNE_INFO_VERSION};
    if (gputune_plan_info(&info, plan) == GPUTUNE_OK) {
        gt_log_line(&tuner->log, GPUTUNE_LOG_INFO, "%s %s: %s (%s)%s%s", info.kernel,
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
    gt_miss *miss = gt_plan_miss(plan);
    if (miss && gt_call_begin(&call, tuner, "tune_kernel") == GPUTUNE_OK) {
        gt_misses_again(tuner->misses, miss);
        gt_call_end(&call);
    }
}

static gputune_status make_plan(gputune_plan **out, gt_terms *terms, gputune *tuner,
                                const char *kernel, gputune_sizes sizes,
                                const gputune_options *options)
{
    gt_request *request;
    gt_choice choice = {0};
    gputune_source source = GPUTUNE_SOURCE_DEFAULT;
    if (!tuner->has_device) {
        return gt_fail(GPUTUNE_EINVAL, "tune_kernel: this tuner was opened without a device");
    }
    GT_TRY(gt_request_make(&request, &tuner->services, &tuner->device, kernel, sizes, options));
    request->options.effort = request->terms.effort = terms->effort;
    gputune_status status = choose(&choice, tuner, request);
    if (status == GPUTUNE_OK) {
        *terms = choice.terms;
        terms->space = request->terms.space; /* of a choice from another, too: it is no decision */
        source = choice.source;
        status = gt_plan_make(out, request, &choice, tuner->driver);
        gt_choice_free(&choice);
    }
    if (status == GPUTUNE_OK) {
        say_chosen(tuner, request, *out);
        note_miss(tuner, request, *out, source);
    }
    gt_request_free(request);
    return status;
}

/* What a plan must have been made under at least. The space is part of the table's key. */
static gt_terms terms_asked(const gputune *tuner, const gputune_options *o)
{
    return (gt_terms){.limit = o->max_variants,
                      .effort = effort_of(tuner, o),
                      .isolation = o->isolation,
                      .driver_version = tuner->device.driver_version,
                      .complete = o->strategy == GPUTUNE_STRATEGY_EXHAUSTIVE};
}

/* The plan in the table, retained, or NULL. */
static gputune_plan *find_known(gputune *tuner, const gt_plan_key *key, const gt_terms *asked)
{
    gputune_plan *plan = NULL;
    if (gt_readers_enter()) {
        if (!gt_calls_closing(&tuner->calls)) {
            plan = gt_plan_table_find(tuner->plans, key, asked);
        }
        gt_readers_leave();
    }
    if (plan && tuner->misses) {
        note_hit(tuner, plan);
    }
    return plan;
}

/* Whether the call measures again what is known. */
static bool is_anew(const gt_terms *asked, const gputune_options *o)
{
    return o->force && asked->effort >= GPUTUNE_MEASURE;
}

/* Makes a plan and puts it into the table. */
static gputune_status make_known(gputune_plan **out, gt_terms *terms, gputune *tuner,
                                 const gt_plan_key *key, const char *kernel, gputune_sizes sizes,
                                 const gputune_options *o)
{
    gt_call call;
    gputune_plan *plan = NULL;
    GT_TRY(gt_call_begin(&call, tuner, "tune_kernel"));
    bool anew = is_anew(terms, o);
    uint32_t forgets = gt_plan_table_forgets(tuner->plans);
    gputune_status status = make_plan(&plan, terms, tuner, kernel, sizes, o);
    if (status == GPUTUNE_OK) {
        status = gt_plan_table_add(tuner->plans, key, terms, plan, anew, forgets);
    }
    gt_call_end(&call);
    if (status != GPUTUNE_OK) {
        gputune_plan_release(plan);
        return status;
    }
    *out = plan;
    return GPUTUNE_OK;
}

/* A call that tunes in the background: the winner where it is known, else what is known without
 * measuring, and the tuning is asked for. */
static gputune_status find_meanwhile(gputune_plan **out, gputune *tuner, const gt_plan_key *key,
                                     const gt_terms *asked, const char *kernel, gputune_sizes sizes,
                                     const gputune_options *o)
{
    gt_call call;
    gt_terms terms = *asked;
    uint32_t forgets = gt_plan_table_forgets(tuner->plans);
    terms.effort = GPUTUNE_CACHED_ONLY;
    gputune_plan *plan = find_known(tuner, key, &terms);
    gputune_status status =
        plan ? GPUTUNE_OK : make_known(&plan, &terms, tuner, key, kernel, sizes, o);
    gt_terms wanted = *asked;
    wanted.space = terms.space;
    if (status == GPUTUNE_OK && (is_anew(asked, o) || !gt_answers(&terms, &wanted))) {
        status = gt_call_begin(&call, tuner, "tune_kernel");
        if (status == GPUTUNE_OK) {
            status = gt_background_want(tuner->background, key, forgets, kernel, sizes, o);
            gt_call_end(&call);
        }
    }
    if (status != GPUTUNE_OK) {
        gputune_plan_release(plan);
        return status;
    }
    *out = plan;
    return GPUTUNE_OK;
}

static bool is_in_background(const gputune *tuner, const gt_terms *asked, const gputune_options *o)
{
    return o->background && asked->effort >= GPUTUNE_MEASURE && !tuner->overrides.disabled;
}

static gputune_status find_or_make(gputune_plan **out, gputune *tuner, const char *kernel,
                                   gputune_sizes sizes, const gputune_options *o)
{
    gt_plan_key key;
    gt_terms terms = terms_asked(tuner, o);
    gt_plan_key_make(&key, kernel, sizes, o);
    gputune_plan *plan = is_anew(&terms, o) ? NULL : find_known(tuner, &key, &terms);
    gputune_status status = plan ? GPUTUNE_OK
                            : is_in_background(tuner, &terms, o)
                                ? find_meanwhile(&plan, tuner, &key, &terms, kernel, sizes, o)
                                : make_known(&plan, &terms, tuner, &key, kernel, sizes, o);
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
    return find_or_make(out, tuner, kernel, sizes, o);
}
