/* Resolves a caller's filter over stored results: which kernels, named by a name or a path, and on
 * which GPUs. A kernel whose template is gone can be named too. */
#pragma once

#include "base/array.h"
#include "store/store.h"
#include "tuner/catalog.h"

typedef struct gt_asked {
    gputune *tuner;
    gt_wanted wanted; /* the store's filter; points into this struct, and to the caller's texts */
    GT_ARRAY(const gt_template *) templates; /* sorted by name; they live as long as the catalog */
    GT_ARRAY(const char *) kernels;
    const char *stored; /* the given name, if no template has it; stored results may have it */
    char host[GT_ENVIRONMENT_MAX];
    const char *environments[2];
} gt_asked;

/* Resolves a filter: kernels by name or path (NULL: all), a GPU (NULL: the tuner's, or every GPU
 * with `any_gpu`), and sizes (NULL: all). Fails as gt_catalog_each() if a path names no kernel; a
 * bare name may be that of a template that is gone. *out must not be moved. gt_asked_free()
 * releases it, also after a failure. */
gputune_status gt_asked_find(gt_asked *out, gputune *tuner, const char *kernel, const char *gpu,
                             bool any_gpu, const char *sizes);
void gt_asked_free(gt_asked *asked);

/* The present template of a stored kernel, or NULL. */
const gt_template *gt_asked_template(const gt_asked *asked, const char *kernel);
