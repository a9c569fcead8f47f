/* tune_kernel(): from a call to a plan. */
#include "api/tuner.h"

#include "base/readers.h"

static gputune_status make_plan(gputune_plan **out, gt_terms *terms, gputune *tuner,
                                const char *kernel, gputune_sizes sizes,
                                const gputune_options *options)
{
    gt_request *request;
    gt_choice choice = {0};
    if (!tuner->has_device) {
        return gt_fail(GPUTUNE_EINVAL, "tune_kernel: this tuner was opened without a device");
    }
    GT_TRY(gt_request_make(&request, &tuner->services, &tuner->device, kernel, sizes, options));
    gputune_status status = gt_tune(&choice, request);
    bool tuned =
        request->options.effort >= GPUTUNE_MEASURE &&
        !(status == GPUTUNE_OK && choice.source == GPUTUNE_SOURCE_CACHED && choice.terms.final);
    if (tuned) {
        gt_plan_table_note_result(tuner->plans);
    }
    if (status == GPUTUNE_OK) {
        *terms = choice.terms;
        terms->space = request->terms.space; /* of a choice from another, too: it is no decision */
        status = gt_plan_make(out, request, &choice, tuner->driver);
        gt_choice_free(&choice);
    }
    gt_request_free(request);
    return status;
}

/* What a plan must have been made under at least. The space is part of the table's key. */
static gt_terms terms_asked(const gputune *tuner, const gputune_options *o)
{
    return (gt_terms){.limit = o->max_variants,
                      .effort = o->effort ? o->effort : GPUTUNE_MEASURE,
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
    return plan;
}

static gputune_status find_or_make(gputune_plan **out, gputune *tuner, const char *kernel,
                                   gputune_sizes sizes, const gputune_options *o)
{
    gt_plan_key key;
    gt_call call;
    gt_terms terms = terms_asked(tuner, o);
    bool anew = o->force && terms.effort >= GPUTUNE_MEASURE;
    gt_plan_key_make(&key, kernel, sizes, o, atomic_load(&tuner->generation));
    gputune_plan *plan = anew ? NULL : find_known(tuner, &key, &terms);
    if (plan) {
        *out = plan;
        return GPUTUNE_OK;
    }
    GT_TRY(gt_call_begin(&call, tuner, "tune_kernel"));
    gputune_status status = make_plan(&plan, &terms, tuner, kernel, sizes, o);
    if (status == GPUTUNE_OK) {
        status = gt_plan_table_add(tuner->plans, &key, &terms, plan, anew);
        if (status != GPUTUNE_OK) {
            gputune_plan_release(plan);
        }
    }
    gt_call_end(&call);
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
