/* The kernels that a caller's filter names, for what is stored of them: by a name or a path, and
 * also those whose template is gone. */
#pragma once

#include "base/array.h"
#include "tuner/catalog.h"

typedef struct gt_named {
    GT_ARRAY(const gt_template *) templates; /* by their names; they live as long as the catalog */
    const char *stored; /* the given name, where no template has it: what is stored may */
    bool all;           /* no name is given */
} gt_named;

/* Finds the templates that a name (NULL: all) stands for. Fails as gt_catalog_each() where a path
 * names nothing; a bare name may be that of a template that is gone. gt_named_free() releases. */
gputune_status gt_named_find(gt_named *out, gt_catalog *catalog, const char *kernel);
void gt_named_free(gt_named *named);

/* How many names are to be looked for in the database, and each of them: NULL stands for any. */
size_t gt_named_count(const gt_named *named);
const char *gt_named_kernel(const gt_named *named, size_t index);
/* The template of that name among them, or NULL. */
const gt_template *gt_named_template(const gt_named *named, const char *kernel);
