/* gputune_check(). */
#include "api/tuner.h"

#include "base/number.h"
#include "tuner/check.h"

#include <stdlib.h>
#include <string.h>

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

static int check_space(gputune *tuner, const char *kernel, gputune_sizes sizes,
                       const gputune_options *options,
                       int (*each)(void *user, const gputune_finding *finding), void *user)
{
    gt_request *request;
    GT_TRY(gt_tuner_need_device(tuner, GPUTUNE_EINVAL, "gputune_check"));
    GT_TRY(gt_request_make(&request, &tuner->services, &tuner->device, kernel, sizes, options));
    gputune_status status = GPUTUNE_OK;
    if (!sizes.count) {
        gt_request *whole = request;
        status = make_small(&request, tuner, whole, kernel, options);
        gt_request_free(whole);
    }
    if (status < 0) {
        return status;
    }
    int answer = gt_check(request, each, user);
    gt_request_free(request);
    return answer;
}

int gputune_check(gputune *tuner, const char *kernel, gputune_sizes sizes,
                  const gputune_options *options,
                  int (*each)(void *user, const gputune_finding *finding), void *user)
{
    gt_call call;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    int answer = check_space(tuner, kernel, sizes, options, each, user);
    gt_call_end(&call);
    return answer;
}
