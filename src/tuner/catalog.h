/* The catalog of templates: finds one by name or path, and parses it once. Thread-safe. */
#pragma once

#include "base/clock.h"
#include "base/status.h"
#include "kernel/template/template.h"

#include <stdatomic.h>

typedef struct gt_catalog gt_catalog;

/* Finds the template folders and reads the prelude. `given` is the folder that the caller names, or
 * NULL; ENOTFOUND if it does not exist. If no folder is given and none is found, the catalog opens
 * all the same; each search for a kernel then fails with ENOTFOUND, and the message lists the
 * places that were searched. *out is the caller's, for gt_catalog_close(). */
gputune_status gt_catalog_open(gt_catalog **out, const char *given, const gt_log *log);
/* Names the folders of headers that templates may include, in the order in which they are searched.
 * Must be called before any template is read. EINVAL if a path is not a folder. */
gputune_status gt_catalog_set_include_paths(gt_catalog *catalog, const char *const *paths,
                                            size_t count);
void gt_catalog_close(gt_catalog *catalog);

/* The prelude that every generated source begins with. */
const char *gt_catalog_prelude(const gt_catalog *catalog);

/* The compiler options by which a template finds its headers, owned by the catalog. ENOMEM. */
gputune_status gt_catalog_compile_options(const char *const **out, size_t *count,
                                          gt_catalog *catalog, const gt_template *template);

/* How a name leads to kernels, in every function below. PATH:KERNEL and PATH (any text with a
 * slash, or ending in .cu) mean the kernels of that file. Any other word means, in this order: an
 * added kernel of that name; the folder's kernel of that name; the kernels of an added file, or of
 * the folder's file, of that name without ".cu". A file that changed is read again. The templates
 * that are found live as long as the catalog. */

/* Finds the only kernel of that name or path. ENOTFOUND suggests the nearest name, EINVAL lists
 * several kernels or files, ETEMPLATE says why the template does not parse. */
gputune_status gt_catalog_find(const gt_template **out, gt_catalog *catalog, const char *kernel);

/* Notices that a template's file, or a file that it includes, was written after it was read. */
typedef struct gt_watch {
    gt_catalog *catalog;
    struct gt_catalog_file *file;
    atomic_int_least64_t due_ns; /* on the coarse clock: when to look at the files again */
    atomic_bool edited;          /* never false again */
} gt_watch;

/* Returns the watch of a template that the catalog has found by its path or by its name; it lives
 * as long as the catalog, and its first look is due at once. NULL: the template was given as a
 * text, or was found by name in the template folder, whose files are assumed not to change. */
gt_watch *gt_catalog_watch(gt_catalog *catalog, const gt_template *template, bool by_path);
/* Returns true if gt_watch_look() is to be called. */
static inline bool gt_watch_is_due(gt_watch *watch)
{
    return gt_coarse_now_ns() >= atomic_load_explicit(&watch->due_ns, memory_order_relaxed);
}
/* Looks at the files, if no other thread has done so in the last second. Returns whether they were
 * edited. A file that was deleted counts as unchanged. The catalog must be open. */
bool gt_watch_look(gt_watch *watch);

/* Returns true if a kernel is named by a path, PATH or PATH:KERNEL. */
bool gt_catalog_is_path(const char *kernel);

typedef int (*gt_catalog_fn)(void *user, const gt_template *template);
/* Reads a template file, or one kernel of it (PATH:KERNEL); with `text` (may be NULL) that text, of
 * which `path` is the name: its quoted includes are looked for in `includes` (an array that ends
 * with an entry without a name; may be NULL), then in the template folder. From then on the names
 * of its kernels mean these kernels, even if other kernels had the names before. Calls `each` for
 * every kernel; a value of `each` other than 0 ends the calls and is returned. */
int gt_catalog_add(gt_catalog *catalog, const char *path, const char *text,
                   const gputune_include *includes, gt_catalog_fn each, void *user);

/* Calls `each` for every kernel in the order of names; if `kernel` is not NULL, only for the
 * kernels of that name or path. A value of `each` other than 0 ends the calls and is returned. A
 * file of the folder that does not parse is left out with a warning. ENOMEM; with `kernel` it fails
 * as gt_catalog_find() does, except that several kernels of one file are no failure. */
int gt_catalog_each(gt_catalog *catalog, const char *kernel, gt_catalog_fn each, void *user);

/* Finds two folders. *folder holds the kernels that are known by name: it is `given`, the folder of
 * GPUTUNE_TEMPLATES, or else *home. *home holds the prelude, gputune.cuh: it is `given`, the folder
 * of GPUTUNE_TEMPLATES, or a folder beside this library or program (templates, ../templates,
 * ../share/gputune/templates, gputune/share/templates). The caller frees both strings. ENOTFOUND:
 * there is no such folder, or no prelude; the message lists the places that were searched. */
gputune_status gt_template_folders(char **folder, char **home, const char *given);
