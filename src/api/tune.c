/* tune_kernel(): from a call to a plan. */
#include "api/tuner.h"

#include "base/text.h"

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
                      .complete = o->version > 1 && o->strategy == GPUTUNE_STRATEGY_EXHAUSTIVE};
}

int tune_kernel(gputune_plan **out, gputune *tuner, const char *kernel, gputune_sizes sizes,
                const gputune_options *options)
{
    static const gputune_options standard = GPUTUNE_OPTIONS_INIT;
    const gputune_options *o = options ? options : &standard;
    if (!out || !tuner || !kernel) {
        return gt_fail(GPUTUNE_EINVAL, "tune_kernel: out, tuner and kernel must not be NULL");
    }
    gt_plan_key key;
    gt_terms terms = terms_asked(tuner, o);
    bool anew = o->force && terms.effort >= GPUTUNE_MEASURE;
    gt_plan_key_make(&key, kernel, sizes, o, atomic_load(&tuner->generation));
    gputune_plan *plan = anew ? NULL : gt_plan_table_find(tuner->plans, &key, &terms);
    if (plan) {
        *out = plan;
        return GPUTUNE_OK;
    }
    GT_TRY(make_plan(&plan, &terms, tuner, kernel, sizes, o));
    gputune_status status = gt_plan_table_add(tuner->plans, &key, &terms, plan, anew);
    if (status != GPUTUNE_OK) {
        gputune_plan_release(plan);
        return status;
    }
    *out = plan;
    return GPUTUNE_OK;
}
