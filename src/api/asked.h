/* What a caller's filter asks for of what is stored: kernels by a name or a path, also those whose
 * template is gone, on the tuner's GPU or others. */
#pragma once

#include "base/array.h"
#include "store/store.h"
#include "tuner/catalog.h"

typedef struct gt_asked {
    gputune *tuner;
    gt_wanted wanted;                        /* points to what follows, and to the caller's texts */
    GT_ARRAY(const gt_template *) templates; /* by their names; they live as long as the catalog */
    GT_ARRAY(const char *) kernels;
    const char *stored; /* the given name, where no template has it: what is stored may */
    char host[GT_ENVIRONMENT_MAX];
    const char *environments[2];
} gt_asked;

/* Finds what a name (NULL: all) stands for, on a GPU (NULL: the tuner's, or `any_gpu`) at these
 * sizes (NULL: all). Fails as gt_catalog_each() where a path names nothing; a bare name may be that
 * of a template that is gone. *out stays where it is; gt_asked_free() releases, also after a
 * failure. */
gputune_status gt_asked_find(gt_asked *out, gputune *tuner, const char *kernel, const char *gpu,
                             bool any_gpu, const char *sizes);
void gt_asked_free(gt_asked *asked);

/* The template at hand of a kernel that is stored, or NULL. */
const gt_template *gt_asked_template(const gt_asked *asked, const char *kernel);
