/* The templates there are, by name or path, parsed once. Thread-safe. */
#ifndef GT_TUNER_CATALOG_H
#define GT_TUNER_CATALOG_H

#include "base/log.h"
#include "kernel/template.h"

typedef struct gt_catalog gt_catalog;

/* Finds the folder whose kernels are known by name: `given`, GPUTUNE_TEMPLATES, or where the
 * prelude is. The prelude, gputune.cuh, is looked for in these two, beside this library or program
 * (templates, ../templates, ../share/gputune/templates, gputune/share/templates). ENOTFOUND: there
 * is no such folder, or no prelude; the message lists where it was looked for. */
gputune_status gt_catalog_open(gt_catalog **out, const char *given, const gt_log *log);
/* Names folders of headers that templates may include, in the order of the search. Before any
 * template is read. EINVAL when one is no folder. */
gputune_status gt_catalog_set_include_paths(gt_catalog *catalog, const char *const *paths,
                                            size_t count);
void gt_catalog_close(gt_catalog *catalog);

/* The prelude that every generated source begins with. */
const char *gt_catalog_prelude(const gt_catalog *catalog);

/* The compiler's options that give a template's headers: none if it has none. They live as long as
 * the catalog. ENOMEM. */
gputune_status gt_catalog_compile_options(const char *const **out, size_t *count,
                                          gt_catalog *catalog, const gt_template *template);

/* The template of that name (the folder's NAME.cu, or an added one), or at that path (anything with
 * a slash or ending in .cu). A path whose file changed is read again. ENOTFOUND with the nearest
 * name; ETEMPLATE. *out lives as long as the catalog. */
gputune_status gt_catalog_find(const gt_template **out, gt_catalog *catalog, const char *kernel);

/* Whether a kernel is named by a path: anything with a slash, or ending in .cu. */
bool gt_catalog_is_path(const char *kernel);

/* Reads a template file whose kernel's name then stands for it; also replaces one of that name. */
gputune_status gt_catalog_add(const gt_template **out, gt_catalog *catalog, const char *path);
/* The same of a text in memory, which is copied; `name` stands for a path. Its quoted includes are
 * those of `includes` (ends with one without a name; may be NULL), then the template folder's. */
gputune_status gt_catalog_add_source(const gt_template **out, gt_catalog *catalog, const char *name,
                                     const char *text, const gputune_include *includes);

/* Calls `each` for every template, by name; a non-zero answer stops and is returned. A file of the
 * folder that does not parse is left out with a warning. ENOMEM. */
int gt_catalog_each(gt_catalog *catalog, int (*each)(void *user, const gt_template *template),
                    void *user);

#endif
