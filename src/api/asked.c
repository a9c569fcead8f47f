/* Finds what a filter asks for. */
#include "api/asked.h"

#include "api/tuner.h"

#include <string.h>

static int take_template(void *user, const gt_template *template)
{
    gt_asked *asked = user;
    size_t at = asked->templates.count;
    GT_TRY(gt_array_push(&asked->templates, template));
    for (; at && strcmp(asked->templates.items[at - 1]->name, template->name) > 0; at--) {
        asked->templates.items[at] = asked->templates.items[at - 1];
        asked->templates.items[at - 1] = template;
    }
    return gt_array_push(&asked->kernels, template->name);
}

static gputune_status name_kernels(gt_asked *out, const char *kernel)
{
    gputune_status status =
        kernel ? gt_catalog_each(out->tuner->catalog, kernel, take_template, out) : GPUTUNE_OK;
    if (status != GPUTUNE_OK) {
        if (gt_catalog_is_path(kernel) || status == GPUTUNE_ENOMEM) {
            return status;
        }
        out->templates.count = out->kernels.count = 0;
        out->stored = kernel;
        GT_TRY(gt_array_push(&out->kernels, kernel));
    }
    out->wanted.kernels = out->kernels.items;
    out->wanted.kernel_count = out->kernels.count;
    return GPUTUNE_OK;
}

gputune_status gt_asked_find(gt_asked *out, gputune *tuner, const char *kernel, const char *gpu,
                             bool any_gpu, const char *sizes)
{
    *out = (gt_asked){.tuner = tuner, .wanted = {.gpu = gpu, .sizes = sizes}};
    gt_environment_join(out->host, tuner->device.environment, tuner->device.processor);
    out->environments[0] = tuner->device.environment;
    out->environments[1] = out->host;
    if (!any_gpu && !gpu && tuner->has_device) {
        out->wanted.environments = out->environments;
        out->wanted.environment_count = 2;
    }
    return name_kernels(out, kernel);
}

void gt_asked_free(gt_asked *asked)
{
    gt_array_free(&asked->templates);
    gt_array_free(&asked->kernels);
}

const gt_template *gt_asked_template(const gt_asked *asked, const char *kernel)
{
    const gt_template *template;
    for (size_t i = 0; i < asked->templates.count; i++) {
        if (strcmp(asked->templates.items[i]->name, kernel) == 0) {
            return asked->templates.items[i];
        }
    }
    return gt_catalog_find(&template, asked->tuner->catalog, kernel) == GPUTUNE_OK ? template
                                                                                   : NULL;
}
