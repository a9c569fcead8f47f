/* The catalog of templates: finds kernels by name or path, and parses each once. Thread-safe. */
#pragma once

#include "base/clock.h"
#include "base/status.h"
#include "kernel/template/template.h"

#include <stdatomic.h>

typedef struct gt_catalog gt_catalog;

/* Opens the catalog and reads the prelude. `given` is a template folder; ENOTFOUND if it does not
 * exist. If `given` is NULL and no template folder is found, only searches for kernels fail: with
 * ENOTFOUND and a message that lists where gputune searched. */
gputune_status gt_catalog_open(gt_catalog **out, const char *given, const gt_log *log);
/* Sets the folders from which templates may include headers, in search order. Must be called before
 * any template is read. EINVAL if a path is not a folder. */
gputune_status gt_catalog_set_include_paths(gt_catalog *catalog, const char *const *paths,
                                            size_t count);
void gt_catalog_close(gt_catalog *catalog);
/* Frees everything except the watches, which other threads may still read. After that, only
 * gt_catalog_close() may be called. `catalog` may be NULL. */
void gt_catalog_clear(gt_catalog *catalog);

/* Returns the text that begins every generated source. */
const char *gt_catalog_prelude(const gt_catalog *catalog);

/* Returns the compiler options with which a template finds its headers. The catalog owns them. */
gputune_status gt_catalog_compile_options(const char *const **out, size_t *count,
                                          gt_catalog *catalog, const gt_template *template);

/* Names of kernels. PATH selects all kernels of a file, and PATH:KERNEL one of them. A path
 * contains a slash or ends with .cu. Any other name is searched for among the added kernels, then
 * in the template folder. A file that was edited is read again. The catalog owns all templates. */

/* Finds one kernel by name or path. ENOTFOUND, with the most similar name, if there is none.
 * EINVAL, with a list of them, if there are several. ETEMPLATE if the template cannot be parsed. */
gputune_status gt_catalog_find(const gt_template **out, gt_catalog *catalog, const char *kernel);

/* Shows whether a template's file, or a file that it includes, was edited since it was read. */
typedef struct gt_watch {
    gt_catalog *catalog;
    struct gt_catalog_file *file;
    atomic_int_least64_t due_ns; /* when to check the files next, in ns of the coarse clock */
    atomic_bool edited;          /* true once a file was edited */
} gt_watch;

/* Returns true if the template is from a file outside the template folder, or was named by path. */
bool gt_catalog_has_own_file(gt_catalog *catalog, const gt_template *template, bool by_path);
/* Returns the watch of a template, which is valid as long as the catalog. Returns NULL for
 * templates that are not watched: those passed as text, or found by name in the installed folder or
 * that of GPUTUNE_TEMPLATES. Templates of a folder that the program chose are watched because they
 * may be edited, although this makes stored answers slower. */
gt_watch *gt_catalog_watch(gt_catalog *catalog, const gt_template *template, bool by_path);
/* Returns true if the files should be checked by gt_watch_look(). */
static inline bool gt_watch_is_due(gt_watch *watch)
{
    return gt_coarse_now_ns() >= atomic_load_explicit(&watch->due_ns, memory_order_relaxed);
}
/* Returns true if the files were edited. Checks the files at most once a second. Deleting a file
 * does not count as an edit. The catalog must not have been closed. */
bool gt_watch_look(gt_watch *watch);

/* Returns true if `kernel` is PATH or PATH:KERNEL, and not a name. */
bool gt_catalog_is_path(const char *kernel);

typedef int (*gt_catalog_fn)(void *user, const gt_template *template);
/* Adds the kernels of a template file; with PATH:KERNEL, only one of them. They replace kernels of
 * the same name that were added before. `text` is the contents of the file; if it is NULL, the file
 * is read. Quoted includes of `text` are searched for in `includes` first; an element without a
 * name ends this array. Calls `each` for every kernel. Stops if `each` returns a value other than
 * 0, and returns this value. */
int gt_catalog_add(gt_catalog *catalog, const char *path, const char *text,
                   const gputune_include *includes, gt_catalog_fn each, void *user);

/* Calls `each` for the kernels that `kernel` names or, if it is NULL, for all kernels in the order
 * of their names. Stops if `each` returns a value other than 0, and returns this value. Files that
 * cannot be parsed are skipped with a warning. If `kernel` is not NULL, fails like
 * gt_catalog_find(), except that one file may have several kernels. */
int gt_catalog_each(gt_catalog *catalog, const char *kernel, gt_catalog_fn each, void *user);

/* Finds the template folder and the folder of the prelude (*home). The template folder is `given`
 * or, if that is NULL, the value of GPUTUNE_TEMPLATES; if neither is set, it is *home. The caller
 * frees both. On ENOTFOUND, the message lists where gputune searched. */
gputune_status gt_template_folders(char **folder, char **home, const char *given);
