/* What catalog.c and catalog_files.c share. Everything is called under the catalog's lock. */
#ifndef GT_TUNER_CATALOG_PARTS_H
#define GT_TUNER_CATALOG_PARTS_H

#include "tuner/catalog.h"

#include "base/array.h"

#include <pthread.h>
#include <time.h>

/* A template file as it was at one time. */
typedef struct gt_catalog_file {
    char *path;
    struct timespec changed;
    char *text;             /* until its kernels are listed */
    GT_ARRAY(char *) names; /* of its kernels */
} gt_catalog_file;

typedef struct gt_kernel_ref {
    const gt_catalog_file *file;
    const char *name;
} gt_kernel_ref;

typedef GT_ARRAY(gt_kernel_ref) gt_kernel_refs;

/* A kernel that was parsed. */
typedef struct gt_catalog_entry {
    const char *path; /* a file's */
    struct timespec changed;
    gt_template *template;
} gt_catalog_entry;

struct gt_catalog {
    pthread_mutex_t lock;
    char *folder, *prelude;
    gt_log log;
    GT_ARRAY(gt_catalog_entry) entries; /* old ones stay valid */
    GT_ARRAY(gt_catalog_file *) files;  /* the newest of a path stands last; old ones stay */
    gt_kernel_refs added;               /* the newest of a name stands last */
};

/* ---- catalog_files.c ---- */

/* A gt_include_fn over a catalog: looks beside the including file, then in the template folder. */
gputune_status gt_catalog_include(void *catalog, const char *name, const char *from, char **text,
                                  char **path);
/* What a word stands for by the rule of catalog.h, at least one; what is at a path; all kernels, by
 * name. The array is the caller's, also on failure. */
gputune_status gt_catalog_resolve(gt_kernel_refs *out, gt_catalog *catalog, const char *kernel);
gputune_status gt_catalog_resolve_path(gt_kernel_refs *out, gt_catalog *catalog, const char *path);
gputune_status gt_catalog_resolve_all(gt_kernel_refs *out, gt_catalog *catalog);
bool gt_same_time(const struct timespec *a, const struct timespec *b);
void gt_catalog_files_free(gt_catalog *catalog);

#endif
