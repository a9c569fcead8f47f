/* gputune_kernels() and gputune_find_kernels(): the templates that can be tuned by name, as the
 * public struct. */
#include "api/tuner.h"

#include "base/text.h"

#include <stdlib.h>

typedef struct kernel_walk {
    int (*each)(void *user, const gputune_kernel *kernel);
    void *user;
} kernel_walk;

static void append_axes(gt_text *text, const gt_template *template)
{
    for (uint32_t i = 0; i < template->axis_count; i++) {
        const gt_axis *axis = &template->axes[i];
        gt_text_printf(text, "%s%s=", i ? " " : "", axis->name);
        for (uint32_t j = 0; j < axis->count; j++) {
            gt_text_append(text, j ? "," : "");
            gt_axis_value_append(text, axis, j);
        }
    }
}

static int describe_kernel(void *user, const gt_template *template)
{
    const kernel_walk *walk = user;
    gt_problem problem;
    gt_text axes = {0};
    char *sizes = NULL, *axis_text = NULL;
    gputune_status status = gt_problem_bind(&problem, template, (gputune_sizes){0, NULL});
    GT_THEN(status, gt_problem_text(&sizes, template, &problem));
    if (status == GPUTUNE_OK) {
        append_axes(&axes, template);
        status = gt_text_take(&axis_text, &axes);
    }
    int answer = status;
    if (status == GPUTUNE_OK) {
        const gputune_kernel kernel = {.version = GPUTUNE_KERNEL_VERSION,
                                       .name = template->name,
                                       .path = template->path,
                                       .summary = template->summary,
                                       .sizes = sizes,
                                       .axes = axis_text,
                                       .objective = gt_default_objective(template)};
        answer = walk->each(walk->user, &kernel);
    }
    free(sizes);
    free(axis_text);
    return answer;
}

int gputune_kernels(gputune *tuner, int (*each)(void *user, const gputune_kernel *kernel),
                    void *user)
{
    kernel_walk walk = {each, user};
    gt_call call;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    int answer = gt_catalog_each(tuner->catalog, NULL, describe_kernel, &walk);
    gt_call_end(&call);
    return answer;
}

int gputune_find_kernels(gputune *tuner, const char *kernel,
                         int (*each)(void *user, const gputune_kernel *kernel), void *user)
{
    kernel_walk walk = {each, user};
    gt_call call;
    GT_TRY(gt_need(__func__, "kernel", kernel));
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    int answer = gt_catalog_each(tuner->catalog, kernel, describe_kernel, &walk);
    gt_call_end(&call);
    return answer;
}
