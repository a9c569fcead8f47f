/* The files of a catalog and the kernels in them: which ones a name or a path stands for. */
#include "tuner/catalog_parts.h"

#include "base/file.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the kernels of a file ---- */

static bool same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static void free_file(gt_catalog_file *file)
{
    gt_texts_free(&file->names);
    free(file->path);
    free(file->text);
    free(file);
}

void gt_catalog_files_free(gt_catalog *catalog)
{
    for (size_t i = 0; i < catalog->files.count; i++) {
        free_file(catalog->files.items[i]);
    }
    gt_array_free(&catalog->files);
    gt_array_free(&catalog->added);
}

static gputune_status add_name(void *to, const char *name)
{
    return gt_texts_add(&((gt_catalog_file *)to)->names, name, strlen(name));
}

/* Reading the clauses takes as long as reading a template, so it is done when it is needed. */
static gputune_status list_names(gt_catalog_file *file, gt_catalog *catalog)
{
    if (!file->text) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_includes_begin(catalog->includes, file->path));
    GT_TRY(gt_template_names(file->path, file->text, gt_includes_find, catalog->includes, add_name,
                             file));
    free(file->text);
    file->text = NULL;
    return GPUTUNE_OK;
}

/* Keeps a new file, whose text is to be read or whose kernels are to be listed still. */
static gputune_status new_file(gt_catalog_file **out, gt_catalog *catalog, const char *path)
{
    gt_catalog_file *file = calloc(1, sizeof *file);
    GT_TRY(gt_allocated(file));
    gputune_status status = gt_strdup(&file->path, path);
    GT_THEN(status, gt_array_push(&catalog->files, file));
    if (status < 0) {
        free_file(file);
        return status;
    }
    *out = file;
    return GPUTUNE_OK;
}

static gputune_status read_file(gt_catalog_file **out, gt_catalog *catalog, const char *path,
                                const struct timespec *changed)
{
    char *text;
    GT_TRY(gt_file_read(&text, NULL, path));
    gputune_status status = new_file(out, catalog, path);
    if (status < 0) {
        free(text);
        return status;
    }
    (*out)->changed = *changed;
    (*out)->text = text;
    return GPUTUNE_OK;
}

/* A file that is gone stays as it was last. */
static gputune_status find_file(gt_catalog_file **out, gt_catalog *catalog, const char *path)
{
    struct stat now = {0};
    bool exists = stat(path, &now) == 0;
    for (size_t i = catalog->files.count; i-- > 0;) {
        gt_catalog_file *known = catalog->files.items[i];
        if (strcmp(known->path, path) == 0 &&
            (known->in_memory || !exists || same_time(&known->changed, &now.st_mtim))) {
            *out = known;
            return GPUTUNE_OK;
        }
    }
    return read_file(out, catalog, path, &now.st_mtim);
}

/* Adds the file's kernel of that name, or all of them with NULL. Of a file without kernels that is
 * one without a name, whose reading will tell what is wrong. */
static gputune_status add_kernels(gt_kernel_refs *out, gt_catalog *catalog, gt_catalog_file *file,
                                  const char *kernel)
{
    gputune_status status = list_names(file, catalog);
    if (status == GPUTUNE_OK && !kernel && file->names.count == 0) {
        const gt_kernel_ref none = {file, ""};
        return gt_array_push(out, none);
    }
    for (size_t i = 0; i < file->names.count && status == GPUTUNE_OK; i++) {
        const gt_kernel_ref ref = {file, file->names.items[i]};
        if (!kernel || strcmp(ref.name, kernel) == 0) {
            status = gt_array_push(out, ref);
        }
    }
    return status;
}

/* ---- the folder ---- */

static int is_template_file(const struct dirent *file)
{
    size_t length = strlen(file->d_name);
    return length > 3 && strcmp(file->d_name + length - 3, ".cu") == 0;
}

/* Whether a file may have a kernel of that name: its text has the name's last part. */
static bool may_have(const gt_catalog_file *file, const char *kernel)
{
    const char *last = kernel ? strrchr(kernel, ':') : NULL;
    return !kernel || !file->text || strstr(file->text, last ? last + 1 : kernel);
}

/* The kernels of one file of the folder. What cannot be read has none; where all kernels are wanted
 * that is told. */
static gputune_status add_file(gt_kernel_refs *out, gt_catalog *catalog, const char *path,
                               const char *kernel)
{
    gt_catalog_file *file;
    gputune_status status = find_file(&file, catalog, path);
    if (status == GPUTUNE_OK && may_have(file, kernel)) {
        status = add_kernels(out, catalog, file, kernel);
    }
    if (status == GPUTUNE_OK || status == GPUTUNE_ENOMEM) {
        return status;
    }
    if (!kernel) {
        gt_log_line(&catalog->log, GPUTUNE_LOG_WARNING, "left out: %s", gt_message());
    }
    return GPUTUNE_OK;
}

/* The kernels of that name in the folder's files, or all. */
static gputune_status add_folder(gt_kernel_refs *out, gt_catalog *catalog, const char *kernel)
{
    struct dirent **files = NULL;
    int count = scandir(catalog->folder, &files, is_template_file, alphasort);
    gputune_status status = count < 0 && errno == ENOMEM ? gt_fail_memory() : GPUTUNE_OK;
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        GT_THEN(status, gt_path_format(&path, "%s/%s", catalog->folder, files[i]->d_name));
        if (status == GPUTUNE_OK) {
            status = add_file(out, catalog, path, kernel);
        }
        free(path);
        free(files[i]);
    }
    free(files);
    return status;
}

/* ---- what a word stands for ---- */

static int compare_names(const void *a, const void *b)
{
    const gt_kernel_ref *one = a, *other = b;
    int order = strcmp(one->name, other->name);
    return order ? order : strcmp(one->file->path, other->file->path);
}

static const gt_kernel_ref *find_added(const gt_catalog *catalog, const char *kernel)
{
    for (size_t i = catalog->added.count; i-- > 0;) {
        if (strcmp(catalog->added.items[i].name, kernel) == 0) {
            return &catalog->added.items[i];
        }
    }
    return NULL;
}

gputune_status gt_catalog_resolve_all(gt_kernel_refs *out, gt_catalog *catalog)
{
    size_t kept = 0;
    GT_TRY(gt_catalog_need_prelude(catalog));
    gputune_status status = add_folder(out, catalog, NULL);
    for (size_t i = 0; i < out->count; i++) {
        if (!find_added(catalog, out->items[i].name)) {
            out->items[kept++] = out->items[i];
        }
    }
    out->count = kept;
    for (size_t i = 0; i < catalog->added.count && status == GPUTUNE_OK; i++) {
        if (find_added(catalog, catalog->added.items[i].name) == &catalog->added.items[i]) {
            status = gt_array_push(out, catalog->added.items[i]);
        }
    }
    if (out->count > 0) {
        qsort(out->items, out->count, sizeof *out->items, compare_names);
    }
    return status;
}

gputune_status gt_catalog_resolve_text(gt_kernel_refs *out, gt_catalog *catalog, const char *name,
                                       const char *text, gt_include_fn include, void *user)
{
    gt_catalog_file *file;
    GT_TRY(gt_catalog_need_prelude(catalog));
    GT_TRY(new_file(&file, catalog, name));
    file->in_memory = true;
    gputune_status status = gt_template_names(name, text, include, user, add_name, file);
    if (status < 0) {
        gt_catalog_forget_newest(catalog);
        return status;
    }
    return add_kernels(out, catalog, file, NULL);
}

void gt_catalog_forget_newest(gt_catalog *catalog)
{
    catalog->files.items[catalog->files.count - 1]->path[0] = '\0';
}

/* Where ":KERNEL" begins behind a path, or NULL. */
static const char *kernel_part(const char *path)
{
    const char *at = strstr(path, ".cu:");
    return at ? at + strlen(".cu") : NULL;
}

bool gt_catalog_is_path(const char *kernel)
{
    size_t length = strlen(kernel);
    return strchr(kernel, '/') || kernel_part(kernel) ||
           (length > 3 && strcmp(kernel + length - 3, ".cu") == 0);
}

gputune_status gt_catalog_resolve_path(gt_kernel_refs *out, gt_catalog *catalog, const char *path)
{
    gt_catalog_file *file;
    const char *part = kernel_part(path);
    char *alone;
    GT_TRY(gt_catalog_need_prelude(catalog));
    GT_TRY(gt_strndup(&alone, path, part ? (size_t)(part - path) : strlen(path)));
    gputune_status status = find_file(&file, catalog, alone);
    free(alone);
    GT_TRY(status);
    GT_TRY(add_kernels(out, catalog, file, part ? part + 1 : NULL));
    return out->count > 0 ? GPUTUNE_OK
                          : gt_fail(GPUTUNE_ENOTFOUND, "no kernel '%s' in %s%s%s", part + 1,
                                    file->path, file->names.count ? "; its first is " : "",
                                    file->names.count ? file->names.items[0] : "");
}

/* The kernels of a file that is named without its folder and ".cu": one that was added, or the
 * folder's. */
static gputune_status add_named_file(gt_kernel_refs *out, gt_catalog *catalog, const char *name)
{
    for (size_t i = catalog->added.count; i-- > 0;) {
        const gt_catalog_file *file = catalog->added.items[i].file;
        const char *slash = strrchr(file->path, '/'), *base = slash ? slash + 1 : file->path;
        if (strncmp(base, name, strlen(name)) == 0 && strcmp(base + strlen(name), ".cu") == 0) {
            return gt_catalog_resolve_path(out, catalog, file->path);
        }
    }
    char *path;
    GT_TRY(gt_path_format(&path, "%s/%s.cu", catalog->folder, name));
    gputune_status status =
        gt_file_exists(path) ? gt_catalog_resolve_path(out, catalog, path) : GPUTUNE_OK;
    free(path);
    return status;
}

static gputune_status unknown_kernel(gt_catalog *catalog, const char *kernel)
{
    gt_kernel_refs all = {0};
    const char *names[256];
    size_t count = 0;
    gputune_status status = gt_catalog_resolve_all(&all, catalog);
    if (status != GPUTUNE_OK) {
        gt_array_free(&all);
        return status;
    }
    for (; count < all.count && count < sizeof names / sizeof *names; count++) {
        names[count] = all.items[count].name;
    }
    const char *nearest = gt_nearest(kernel, names, count);
    gt_array_free(&all);
    return gt_fail(GPUTUNE_ENOTFOUND, "no kernel '%s'%s%s%s in %s", kernel,
                   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "",
                   catalog->folder);
}

gputune_status gt_catalog_resolve(gt_kernel_refs *out, gt_catalog *catalog, const char *kernel)
{
    const gt_kernel_ref *added = find_added(catalog, kernel);
    GT_TRY(gt_catalog_need_prelude(catalog));
    if (gt_catalog_is_path(kernel)) {
        return gt_catalog_resolve_path(out, catalog, kernel);
    }
    if (added) { /* as its file is now */
        gt_catalog_file *file;
        GT_TRY(find_file(&file, catalog, added->file->path));
        GT_TRY(add_kernels(out, catalog, file, kernel));
    }
    if (out->count == 0) {
        GT_TRY(add_folder(out, catalog, kernel));
    }
    if (out->count == 0) {
        GT_TRY(add_named_file(out, catalog, kernel));
    }
    return out->count > 0 ? GPUTUNE_OK : unknown_kernel(catalog, kernel);
}
