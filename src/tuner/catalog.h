/* The catalog of templates: finds kernels by name or path, and parses each one once.
 * Thread-safe. */
#pragma once

#include "base/clock.h"
#include "base/status.h"
#include "kernel/template/template.h"

#include <stdatomic.h>

typedef struct gt_catalog gt_catalog;

/* Finds the template folders and reads the prelude. `given` is a folder or NULL; ENOTFOUND if it
 * does not exist. If no folder is found, the catalog opens nevertheless, but every search for a
 * kernel fails with ENOTFOUND and lists the places that were searched. */
gputune_status gt_catalog_open(gt_catalog **out, const char *given, const gt_log *log);
/* Sets the folders of headers that templates may include, in the order of searching. Must be called
 * before any template is read. Returns EINVAL if a path is not a folder. */
gputune_status gt_catalog_set_include_paths(gt_catalog *catalog, const char *const *paths,
                                            size_t count);
void gt_catalog_close(gt_catalog *catalog);
/* Frees everything except the watches, because readers may still use them. After this the catalog
 * can only be closed. Does nothing if it is NULL. */
void gt_catalog_clear(gt_catalog *catalog);

/* Returns the text that every generated source begins with. */
const char *gt_catalog_prelude(const gt_catalog *catalog);

/* Sets *out to the compiler options with which a template finds its headers, and *count to their
 * number. The catalog owns them. ENOMEM. */
gputune_status gt_catalog_compile_options(const char *const **out, size_t *count,
                                          gt_catalog *catalog, const gt_template *template);

/* Names. In every function below, PATH and PATH:KERNEL mean the kernels of that file; a path has a
 * slash or ends in .cu. Any other word is a kernel's name, which is searched first among the added
 * kernels, then in the folder. A file that changed is read again. Templates that were found live as
 * long as the catalog. */

/* Finds the kernel with this name or path. ENOTFOUND suggests the nearest name; EINVAL lists the
 * kernels or files if there are several; ETEMPLATE if the template does not parse. */
gputune_status gt_catalog_find(const gt_template **out, gt_catalog *catalog, const char *kernel);

/* Records whether a template's file, or a file that it includes, was edited after it was read. */
typedef struct gt_watch {
    gt_catalog *catalog;
    struct gt_catalog_file *file;
    /* time of the next check of the files, in ns of the coarse clock */
    atomic_int_least64_t due_ns;
    atomic_bool edited; /* never reset to false */
} gt_watch;

/* Returns the watch of a template that the catalog has found; the watch lives as long as the
 * catalog. NULL: the template was given as a text, or was found by name in the template folder,
 * whose files are assumed not to change. */
gt_watch *gt_catalog_watch(gt_catalog *catalog, const gt_template *template, bool by_path);
/* Returns true if it is time to call gt_watch_look(). */
static inline bool gt_watch_is_due(gt_watch *watch)
{
    return gt_coarse_now_ns() >= atomic_load_explicit(&watch->due_ns, memory_order_relaxed);
}
/* Returns true if the files were edited. Checks them at most once a second. A deleted file counts
 * as unchanged. The catalog must be open. */
bool gt_watch_look(gt_watch *watch);

/* Returns true if the text is PATH or PATH:KERNEL. */
bool gt_catalog_is_path(const char *kernel);

typedef int (*gt_catalog_fn)(void *user, const gt_template *template);
/* Adds the kernels of a template file, or only one kernel for PATH:KERNEL. After the call their
 * names mean these kernels. `text`, if given, is the file's contents; quoted includes are then
 * first looked up in `includes`, an array that ends with an entry without a name. Calls `each` for
 * every kernel; a result other than 0 ends the calls and is returned. */
int gt_catalog_add(gt_catalog *catalog, const char *path, const char *text,
                   const gputune_include *includes, gt_catalog_fn each, void *user);

/* Calls `each` for every kernel, ordered by name, or, if `kernel` is given, for those with this
 * name or path. A result other than 0 ends the calls and is returned. Files that do not parse are
 * left out with a warning. If `kernel` is given, fails like gt_catalog_find(), but accepts several
 * kernels of one file. */
int gt_catalog_each(gt_catalog *catalog, const char *kernel, gt_catalog_fn each, void *user);

/* Sets *folder to the folder of the kernels that are known by name, and *home to the folder of the
 * prelude. Both are `given`, or else GPUTUNE_TEMPLATES, if it is set. If that folder has no
 * prelude, *home is a folder of the installation. The caller frees both. ENOTFOUND lists the places
 * that were searched. */
gputune_status gt_template_folders(char **folder, char **home, const char *given);
