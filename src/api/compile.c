/* gputune_compile(). */
#include "api/tuner.h"

static int compile_space(gputune *tuner, const char *kernel, gputune_sizes sizes, const char *arch,
                         const gputune_options *options,
                         int (*each)(void *user, const gputune_compiled *compiled), void *user)
{
    gt_device device;
    gt_request *request;
    GT_TRY(gt_tuner_arch(&device, tuner, arch));
    GT_TRY(gt_request_make(&request, &tuner->services, &device, kernel, sizes, options));
    int answer = gt_compile_space(request, each, user);
    gt_request_free(request);
    return answer;
}

int gputune_compile(gputune *tuner, const char *kernel, gputune_sizes sizes, const char *arch,
                    const gputune_options *options,
                    int (*each)(void *user, const gputune_compiled *compiled), void *user)
{
    gt_call call;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    int answer = compile_space(tuner, kernel, sizes, arch, options, each, user);
    gt_call_end(&call);
    return answer;
}
