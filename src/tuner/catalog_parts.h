/* What catalog.c and catalog_files.c share. Everything is called under the catalog's lock. */
#ifndef GT_TUNER_CATALOG_PARTS_H
#define GT_TUNER_CATALOG_PARTS_H

#include "tuner/catalog.h"

#include "base/array.h"
#include "farm/includes.h"

#include <pthread.h>
#include <time.h>

/* A template file as it was at one time, or a text that a program gave. */
typedef struct gt_catalog_file {
    char *path;
    struct timespec changed;
    bool in_memory; /* a text: the path is the name that came with it */
    char *text;     /* until its kernels are listed */
    gt_texts names; /* of its kernels */
} gt_catalog_file;

typedef struct gt_kernel_ref {
    const gt_catalog_file *file;
    const char *name;
} gt_kernel_ref;

typedef GT_ARRAY(gt_kernel_ref) gt_kernel_refs;

/* A kernel that was parsed. */
typedef struct gt_catalog_entry {
    const gt_catalog_file *file;
    gt_template *template;
} gt_catalog_entry;

struct gt_catalog {
    pthread_mutex_t lock;
    char *folder; /* of the kernels that are found by name */
    char *home;   /* where the prelude is */
    char *prelude;
    char *missing; /* why there is no prelude, so that no kernel can be found; NULL */
    gt_includes *includes;
    gt_log log;
    GT_ARRAY(gt_catalog_entry) entries; /* old ones stay valid */
    GT_ARRAY(gt_catalog_file *) files;  /* the newest of a path stands last; old ones stay */
    gt_kernel_refs added;               /* the newest of a name stands last */
};

/* ---- catalog.c ---- */

/* ENOTFOUND where the prelude is missing. It is looked for again in each call: what was not there
 * when the catalog was opened may be there now. Under the lock. */
gputune_status gt_catalog_need_prelude(gt_catalog *catalog);

/* ---- catalog_files.c ---- */

/* Each fails where the prelude is missing. */
/* What a word stands for by the rule of catalog.h, at least one; what is at a path; all kernels, by
 * name. The array is the caller's, also on failure. */
gputune_status gt_catalog_resolve(gt_kernel_refs *out, gt_catalog *catalog, const char *kernel);
gputune_status gt_catalog_resolve_path(gt_kernel_refs *out, gt_catalog *catalog, const char *path);
gputune_status gt_catalog_resolve_all(gt_kernel_refs *out, gt_catalog *catalog);
/* Takes up a text as a new file of that name, with its kernels. */
gputune_status gt_catalog_resolve_text(gt_kernel_refs *out, gt_catalog *catalog, const char *name,
                                       const char *text, gt_include_fn include, void *user);
/* Makes the file that was taken up last be found no more. */
void gt_catalog_forget_newest(gt_catalog *catalog);
void gt_catalog_files_free(gt_catalog *catalog);

#endif
