/* gputune_compile(). */
#include "api/tuner.h"

int gputune_compile(gputune *tuner, const char *kernel, gputune_sizes sizes, const char *arch,
                    const gputune_options *options,
                    int (*each)(void *user, const gputune_compiled *compiled), void *user)
{
    gt_call call;
    gt_device device;
    gt_request *request = NULL;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    int answer = gt_tuner_arch(&device, tuner, arch);
    GT_THEN(answer, gt_request_make(&request, &tuner->services, &device, kernel, sizes, options));
    GT_THEN(answer, gt_compile_space(request, each, user));
    gt_request_free(request);
    gt_call_end(&call);
    return answer;
}
