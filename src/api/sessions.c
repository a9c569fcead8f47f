/* Calls that are a session of their own: gputune_run(), gputune_check(), gputune_compile() and
 * gputune_measure_pace(). */
#include "api/tuner.h"

#include "base/number.h"
#include "base/versioned.h"
#include "tuner/session.h"
#include "tuner/tune.h"

#include <stdlib.h>
#include <string.h>

static int run_parsed(gt_request *request, const char *const *configurations, size_t count,
                      int (*each)(void *, const gputune_record *), void *user)
{
    GT_FREED gt_config *configs = calloc(count, sizeof *configs);
    GT_TRY(gt_allocated(configs));
    for (size_t i = 0; i < count; i++) {
        GT_TRY(gt_need("gputune_run", "a configuration", configurations[i]));
        GT_TRY(gt_config_parse(&configs[i], request->template, configurations[i]));
    }
    return gt_run(request, configs, count, each, user);
}

int gputune_run(gputune *tuner, const char *kernel, gputune_sizes sizes,
                const char *const *configurations, size_t count, const gputune_options *options,
                int (*each)(void *user, const gputune_record *record), void *user)
{
    static const char *const standard[] = {""};
    const char *const *wanted = configurations ? configurations : standard;
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    if (configurations && !count) {
        return gt_fail(GPUTUNE_EINVAL, "gputune_run: no configurations");
    }
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(gt_tuner_need_device(tuner, GPUTUNE_EINVAL, __func__));
    GT_TRY(gt_request_make(&request, &tuner->services, &tuner->device, kernel, sizes, options));
    return run_parsed(request, wanted, configurations ? count : 1, each, user);
}

/* Sizes that take about a megabyte, where the caller has stated none. */
static gputune_status make_small(gt_request **out, gputune *tuner, const gt_request *whole,
                                 const char *kernel, const gputune_options *options)
{
    const gt_template *template = whole->template;
    gputune_size items[GT_PROBLEM_MAX];
    char words[GT_PROBLEM_MAX][2 * GT_NAME_MAX];
    const gt_problem small = gt_problem_small(template, &whole->problem, whole->device);
    for (uint32_t i = 0; i < template->problem_count; i++) {
        const gt_value *value = &small.values[i];
        items[i] = (gputune_size){template->problem[i].name, value->number};
        if (value->word) {
            gt_snprintf(words[i], sizeof words[i], "%s=%s", template->problem[i].name, value->word);
            items[i] = (gputune_size){words[i], 0};
        }
    }
    return gt_request_make(out, &tuner->services, &tuner->device, kernel,
                           (gputune_sizes){template->problem_count, items}, options);
}

int gputune_check(gputune *tuner, const char *kernel, gputune_sizes sizes,
                  const gputune_options *options,
                  int (*each)(void *user, const gputune_finding *finding), void *user)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_SCOPED(gt_request_end) gt_request *small = NULL;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(gt_tuner_need_device(tuner, GPUTUNE_EINVAL, __func__));
    GT_TRY(gt_request_make(&request, &tuner->services, &tuner->device, kernel, sizes, options));
    GT_TRY(sizes.count ? GPUTUNE_OK : make_small(&small, tuner, request, kernel, options));
    return gt_check(small ? small : request, each, user);
}

int gputune_compile(gputune *tuner, const char *kernel, gputune_sizes sizes, const char *arch,
                    const gputune_options *options,
                    int (*each)(void *user, const gputune_compiled *compiled), void *user)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    gt_device device;
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(gt_tuner_arch(&device, tuner, arch));
    GT_TRY(gt_request_make(&request, &tuner->services, &device, kernel, sizes, options));
    return gt_compile_space(request, each, user);
}

static gputune_status await(gt_event *event, gt_farm *farm, const gputune *tuner)
{
    do {
        gt_event_free(event);
        GT_TRY(farm->ops->wait(farm, event, 0.1));
    } while (event->kind != GT_EVENT_SAMPLED && !gt_calls_closing(&tuner->calls));
    return event->kind == GT_EVENT_TIMEOUT ? gt_fail(GPUTUNE_ECANCELED, "the tuner is being closed")
                                           : GPUTUNE_OK;
}

/* Measures the pace with a borrowed farm, while no session has the GPU. */
static gputune_status measure(gt_paced *out, gputune *tuner)
{
    gt_farm *farm;
    GT_SCOPED(gt_event_free) gt_event event = {.kind = GT_EVENT_TIMEOUT};
    GT_TRY(gt_workers_borrow(&tuner->workers, &farm, true, GPUTUNE_ISOLATION_PROCESS));
    gputune_status status = farm->ops->pace(farm);
    GT_THEN(status, await(&event, farm, tuner));
    if (status == GPUTUNE_OK) {
        *out = gt_paced_of(&event);
    }
    farm->ops->cancel(farm);
    gt_workers_return(&tuner->workers, farm);
    return status;
}

/* Finds the pace by the session that has the GPU, or, if none has, by measure(). */
static gputune_status find_pace(gt_paced *out, gputune *tuner)
{
    uint64_t since = UINT64_MAX;
    while (!gt_workers_take_gpu(&tuner->workers, GT_GPU_CALLER)) {
        if (gt_workers_await_pace(out, &tuner->workers, &since)) {
            return GPUTUNE_OK;
        }
        if (gt_calls_closing(&tuner->calls)) {
            return gt_fail(GPUTUNE_ECANCELED, "the tuner is being closed");
        }
    }
    gputune_status status = measure(out, tuner);
    gt_workers_leave_gpu(&tuner->workers);
    return status;
}

int gputune_measure_pace(gputune_pace *out, gputune *tuner)
{
    static const gt_layouts layouts = {
        "gputune_pace", GPUTUNE_PACE_VERSION, {sizeof(gputune_pace)}};
    GT_SCOPED(gt_call_end) gt_call call = {0};
    gt_paced paced;
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(gt_tuner_need_device(tuner, GPUTUNE_EUNSUPPORTED, __func__));
    if (gt_session_runs_here()) {
        return gt_fail(GPUTUNE_EBUSY, "gputune_measure_pace: found a callback of a tuning, which "
                                      "cannot wait for its worker; ask in another thread");
    }
    GT_TRY(find_pace(&paced, tuner));
    return paced.status == GPUTUNE_OK
               ? gt_versioned_write(out, &paced.pace, &layouts)
               : gt_fail(paced.status, "gputune_measure_pace: %s", paced.message);
}
