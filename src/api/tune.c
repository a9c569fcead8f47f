#include "api/tuner.h"

#include "base/text.h"

static gputune_status make_plan(gputune_plan **out, gputune *tuner, const char *kernel,
                                gputune_sizes sizes, const gputune_options *options)
{
    gt_request *request;
    gt_choice choice = {0};
    if (!tuner->has_device) {
        return gt_fail(GPUTUNE_EINVAL, "tune_kernel: this tuner was opened without a device");
    }
    GT_TRY(gt_request_make(&request, &tuner->services, &tuner->device, kernel, sizes, options));
    gputune_status status = gt_tune(&choice, request);
    if (status == GPUTUNE_OK) {
        status = gt_plan_make(out, request, &choice, tuner->driver);
        gt_choice_free(&choice);
    }
    gt_request_free(request);
    return status;
}

static gputune_status tune_locked(gputune_plan **out, gputune *tuner, const char *kernel,
                                  gputune_sizes sizes, const gputune_options *options,
                                  const gt_plan_key *key)
{
    gputune_effort effort = options->effort ? options->effort : GPUTUNE_MEASURE;
    gputune_plan *plan = options->force ? NULL : gt_plan_table_find(tuner->plans, key, effort);
    if (!plan) { /* else another thread finished it while this one waited */
        GT_TRY(make_plan(&plan, tuner, kernel, sizes, options));
        bool stopped = options->cancel && *options->cancel;
        gputune_status status =
            stopped ? GPUTUNE_OK : gt_plan_table_add(tuner->plans, key, effort, plan);
        if (status != GPUTUNE_OK) {
            gputune_plan_release(plan);
            return status;
        }
    }
    *out = plan;
    return GPUTUNE_OK;
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
    gt_plan_key_make(&key, kernel, sizes, o, atomic_load(&tuner->generation));
    gputune_effort effort = o->effort ? o->effort : GPUTUNE_MEASURE;
    gputune_plan *plan = o->force ? NULL : gt_plan_table_find(tuner->plans, &key, effort);
    if (plan) {
        *out = plan;
        return GPUTUNE_OK;
    }
    pthread_mutex_lock(&tuner->tuning);
    gputune_status status = tune_locked(out, tuner, kernel, sizes, o, &key);
    gt_tuner_rest(tuner);
    pthread_mutex_unlock(&tuner->tuning);
    return status;
}
