/* The templates there are, by name or path, parsed once. Thread-safe. */
#pragma once

#include "base/log.h"
#include "base/status.h"
#include "kernel/template.h"

typedef struct gt_catalog gt_catalog;

/* Finds the folders and reads the prelude. ENOTFOUND where the `given` folder
 * is not there. Where none is given and none is found, the catalog opens, and whatever looks for a
 * kernel is ENOTFOUND, with the places that were searched. */
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

/* How kernels are found, everywhere: PATH:KERNEL and PATH (anything with a slash or ending in .cu)
 * are those of that file; any other word is, in this order, an added kernel of that name, the
 * folder's kernel of that name, the kernels of an added file or of the folder's file of that name
 * without ".cu". A file that changed is read again. What is found lives as long as the catalog. */

/* The only kernel of that name or path. ENOTFOUND: the message has the nearest name. EINVAL: there
 * are several, and the message lists their names or files. ETEMPLATE. */
gputune_status gt_catalog_find(const gt_template **out, gt_catalog *catalog, const char *kernel);

/* Whether a kernel is named by a path, PATH or PATH:KERNEL. */
bool gt_catalog_is_path(const char *kernel);

typedef int (*gt_catalog_fn)(void *user, const gt_template *template);
/* Reads a template file, or one kernel of it (PATH:KERNEL). The names of its kernels then stand for
 * them, also where other kernels had these names. `each` is called for every kernel; an `each` that
 * does not return 0 stops, and its value is returned. */
int gt_catalog_add(gt_catalog *catalog, const char *path, gt_catalog_fn each, void *user);
/* The same of a text in memory, which is copied; `name` stands for a path. Its quoted includes are
 * those of `includes` (ends with one without a name; may be NULL), then the template folder's. */
int gt_catalog_add_source(gt_catalog *catalog, const char *name, const char *text,
                          const gputune_include *includes, gt_catalog_fn each, void *user);

/* Calls `each` for every kernel, by name, or with `kernel` for those of that name or path; an
 * `each` that does not return 0 stops, and its value is returned. A file of the folder that does
 * not parse is left out with a warning. ENOMEM; with `kernel` fails as gt_catalog_find() does, but
 * several kernels of one file are no failure. */
int gt_catalog_each(gt_catalog *catalog, const char *kernel, gt_catalog_fn each, void *user);

/* *folder is the one whose kernels are known by name: `given`, GPUTUNE_TEMPLATES, or where the
 * prelude is. *home has the prelude, gputune.cuh: one of these two, beside this library or program
 * (templates,
 * ../templates, ../share/gputune/templates, gputune/share/templates). Both are the caller's.
 * ENOTFOUND: there is no such folder, or no prelude; the message lists where it was looked for. */
gputune_status gt_template_folders(char **folder, char **home, const char *given);
