/* gputune_run(). */
#include "api/tuner.h"

#include "tuner/run.h"

#include <stdlib.h>

static gputune_status parse_configs(gt_config *out, const gt_request *request,
                                    const char *const *configurations, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        GT_TRY(gt_need("gputune_run", "a configuration", configurations[i]));
        GT_TRY(gt_config_parse(&out[i], request->template, configurations[i]));
    }
    return GPUTUNE_OK;
}

static int run_parsed(gt_request *request, const char *const *configurations, size_t count,
                      int (*each)(void *, const gputune_record *), void *user)
{
    GT_FREED gt_config *configs = calloc(count, sizeof *configs);
    GT_TRY(gt_allocated(configs));
    GT_TRY(parse_configs(configs, request, configurations, count));
    return gt_run(request, configs, count, each, user);
}

int gputune_run(gputune *tuner, const char *kernel, gputune_sizes sizes,
                const char *const *configurations, size_t count, const gputune_options *options,
                int (*each)(void *user, const gputune_record *record), void *user)
{
    static const char *const standard[] = {""};
    const char *const *wanted = configurations ? configurations : standard;
    gt_call call;
    gt_request *request = NULL;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    if (configurations && !count) {
        return gt_fail(GPUTUNE_EINVAL, "gputune_run: no configurations");
    }
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    int status = gt_tuner_need_device(tuner, GPUTUNE_EINVAL, __func__);
    GT_THEN(status,
            gt_request_make(&request, &tuner->services, &tuner->device, kernel, sizes, options));
    GT_THEN(status, run_parsed(request, wanted, configurations ? count : 1, each, user));
    gt_request_free(request);
    gt_call_end(&call);
    return status;
}
