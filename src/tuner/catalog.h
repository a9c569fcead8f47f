/* The catalog of templates: finds kernels by name or path, and parses each once. Thread-safe. */
#pragma once

#include "base/clock.h"
#include "base/status.h"
#include "kernel/template/template.h"

#include <stdatomic.h>

typedef struct gt_catalog gt_catalog;

/* Opens the catalog and reads the prelude. `given` is a template folder or NULL; ENOTFOUND if that
 * folder does not exist. If no template folder is found, the catalog still opens, but every search
 * for a kernel fails with ENOTFOUND and lists the places that were searched. */
gputune_status gt_catalog_open(gt_catalog **out, const char *given, const gt_log *log);
/* Sets the folders of headers that templates may include, in search order. Must be called before
 * any template is read. EINVAL if a path is not a folder. */
gputune_status gt_catalog_set_include_paths(gt_catalog *catalog, const char *const *paths,
                                            size_t count);
void gt_catalog_close(gt_catalog *catalog);
/* Frees everything except the watches, which readers may still use. Then only closing the catalog
 * is allowed. `catalog` may be NULL. */
void gt_catalog_clear(gt_catalog *catalog);

/* Returns the text with which every generated source begins. */
const char *gt_catalog_prelude(const gt_catalog *catalog);

/* Lists the compiler options that let a template find its headers. The catalog owns *out. */
gputune_status gt_catalog_compile_options(const char *const **out, size_t *count,
                                          gt_catalog *catalog, const gt_template *template);

/* How kernels are named. PATH and PATH:KERNEL select kernels of a file. A path contains a slash or
 * ends in .cu. Other names are searched first among the added kernels, then in the template folder.
 * If a file was edited, it is read again. Templates live as long as the catalog. */

/* Finds one kernel by name or path. ENOTFOUND: the message suggests the nearest name. EINVAL:
 * several kernels match, and the message lists them. ETEMPLATE: the template does not parse. */
gputune_status gt_catalog_find(const gt_template **out, gt_catalog *catalog, const char *kernel);

/* Records if a template's file, or a file it includes, was edited after the catalog read it. */
typedef struct gt_watch {
    gt_catalog *catalog;
    struct gt_catalog_file *file;
    atomic_int_least64_t due_ns; /* time of the next check, in ns of the coarse clock */
    atomic_bool edited;          /* true after an edit; never reset */
} gt_watch;

/* Returns the watch of a template, which lives as long as the catalog. Returns NULL if the template
 * needs none: it was passed as text, or was found by name in the template folder. */
gt_watch *gt_catalog_watch(gt_catalog *catalog, const gt_template *template, bool by_path);
/* Returns true if it is time to call gt_watch_look(). */
static inline bool gt_watch_is_due(gt_watch *watch)
{
    return gt_coarse_now_ns() >= atomic_load_explicit(&watch->due_ns, memory_order_relaxed);
}
/* Returns true if the files were edited. Checks them at most once a second. A deleted file counts
 * as unedited. The catalog must be open. */
bool gt_watch_look(gt_watch *watch);

/* Returns true if the text is PATH or PATH:KERNEL. */
bool gt_catalog_is_path(const char *kernel);

typedef int (*gt_catalog_fn)(void *user, const gt_template *template);
/* Adds the kernels of a template file, or one kernel for PATH:KERNEL. Added kernels hide earlier
 * kernels with the same name. `text` is the contents of the file, or NULL to read it. With `text`,
 * quoted includes are searched first in `includes`, an array that ends with an unnamed entry. Calls
 * `each` for every kernel; if it does not return 0, stops and returns its result. */
int gt_catalog_add(gt_catalog *catalog, const char *path, const char *text,
                   const gputune_include *includes, gt_catalog_fn each, void *user);

/* Calls `each` for every kernel, ordered by name, or for the kernels that `kernel` names. If `each`
 * does not return 0, stops and returns its result. Skips files that do not parse, with a warning.
 * With `kernel`, fails like gt_catalog_find(), but allows several kernels of one file. */
int gt_catalog_each(gt_catalog *catalog, const char *kernel, gt_catalog_fn each, void *user);

/* Finds the template folder and the folder of the prelude (*home). The template folder is `given`,
 * else GPUTUNE_TEMPLATES, else *home. The caller frees both. ENOTFOUND lists the searched
 * places. */
gputune_status gt_template_folders(char **folder, char **home, const char *given);
