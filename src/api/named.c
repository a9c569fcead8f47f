/* Finds the kernels that a filter names. */
#include "api/named.h"

#include <string.h>

static int take_template(void *user, const gt_template *template)
{
    gt_named *named = user;
    size_t at = named->templates.count;
    GT_TRY(gt_array_push(&named->templates, template));
    for (; at && strcmp(named->templates.items[at - 1]->name, template->name) > 0; at--) {
        named->templates.items[at] = named->templates.items[at - 1];
        named->templates.items[at - 1] = template;
    }
    return GPUTUNE_OK;
}

gputune_status gt_named_find(gt_named *out, gt_catalog *catalog, const char *kernel)
{
    *out = (gt_named){.all = !kernel};
    if (!kernel) {
        return GPUTUNE_OK;
    }
    gputune_status status = gt_catalog_each(catalog, kernel, take_template, out);
    if (status == GPUTUNE_OK) {
        return GPUTUNE_OK;
    }
    gt_named_free(out);
    *out = (gt_named){.stored = kernel};
    return gt_catalog_is_path(kernel) || status == GPUTUNE_ENOMEM ? status : GPUTUNE_OK;
}

void gt_named_free(gt_named *named)
{
    gt_array_free(&named->templates);
}

size_t gt_named_count(const gt_named *named)
{
    return named->all || named->stored ? 1 : named->templates.count;
}

const char *gt_named_kernel(const gt_named *named, size_t index)
{
    return named->all ? NULL : named->stored ? named->stored : named->templates.items[index]->name;
}

const gt_template *gt_named_template(const gt_named *named, const char *kernel)
{
    for (size_t i = 0; i < named->templates.count; i++) {
        if (strcmp(named->templates.items[i]->name, kernel) == 0) {
            return named->templates.items[i];
        }
    }
    return NULL;
}
