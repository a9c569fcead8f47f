/* The catalog of template files, and the search for kernels by name or path. */
#include "tuner/catalog.h"

#include "base/array.h"
#include "base/condition.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"
#include "farm/includes.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Looks for the prelude in the folder `folder` + `place`, unless *out is set already. Sets *out to
 * this folder if the prelude is there, otherwise adds the folder to `tried`. */
static gputune_status try_place(char **out, gt_text *tried, const char *folder, const char *place)
{
    GT_FREED char *path = NULL, *prelude = NULL;
    if (*out || !folder) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_format(&path, "%s%s", folder, place));
    GT_TRY(gt_format(&prelude, "%s/gputune.cuh", path));
    if (gt_file_exists(prelude)) {
        *out = gt_take(&path);
    } else {
        gt_text_printf(tried, "%s%s", tried->length ? ", " : "", path);
    }
    return GPUTUNE_OK;
}

static gputune_status find_prelude(char **out, const char *given, const char *named)
{
    static const char *const beside[] = {"/templates", "/../templates",
                                         "/../share/gputune/templates", "/gputune/share/templates"};
    GT_SCOPED(gt_text_free) gt_text tried = {0};
    GT_FREED char *own = NULL, *installed = NULL;
    GT_TRY(try_place(out, &tried, given, ""));
    GT_TRY(try_place(out, &tried, named, ""));
    GT_TRY(gt_file_own_folder(&own));
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        GT_TRY(try_place(out, &tried, own, beside[i]));
    }
    GT_TRY(*out ? GPUTUNE_OK : gt_file_installed_folder(&installed));
    GT_TRY(try_place(out, &tried, installed, "/../share/gputune/templates"));
    GT_REFUSE(!*out, GPUTUNE_ENOTFOUND,
              "no folder with gputune.cuh, which every template needs; searched %s; install "
              "gputune, or set GPUTUNE_TEMPLATES to its template folder",
              gt_text_string(&tried));
    return GPUTUNE_OK;
}

gputune_status gt_template_folders(char **folder, char **home, const char *given)
{
    const char *named = gt_environment("GPUTUNE_TEMPLATES"), *asked = given ? given : named;
    GT_FREED char *found = NULL, *absolute = NULL; /* `absolute` stays valid after chdir() */
    GT_REFUSE(asked && !gt_file_is_folder(asked), GPUTUNE_ENOTFOUND,
              "the folder '%s' does not exist; expected a folder with templates", asked);
    GT_TRY(find_prelude(&found, given, named));
    GT_TRY(gt_path_absolute(&absolute, asked ? asked : found));
    GT_TRY(gt_path_absolute(home, found));
    *folder = gt_take(&absolute);
    return GPUTUNE_OK;
}

typedef struct gt_catalog_kernel {
    struct gt_catalog_file *file;
    char *name;            /* "" if the file has no kernels */
    gt_template *template; /* NULL until the kernel is parsed */
} gt_catalog_kernel;

typedef GT_ARRAY(gt_catalog_kernel *) gt_kernel_list;

/* Identifies the state of a file: its modification time (`written`), change time (`changed`) and
 * size. The change time is needed because programs can set the modification time to any value. */
typedef struct gt_version {
    struct timespec written, changed;
    off_t bytes;
} gt_version;

typedef struct gt_stamp {
    char *path;
    gt_version version;
} gt_stamp;

/* A version of a template file, or a text passed by a program. */
typedef struct gt_catalog_file {
    char *path;
    gt_version version;
    GT_ARRAY(gt_stamp) included;
    bool in_memory; /* true if a program passed the text; `path` is then used only in messages */
    gt_watch watch;
    char *text; /* contents of the file; NULL when they are no longer needed */
    gt_kernel_list kernels;
} gt_catalog_file;

struct gt_catalog {
    pthread_mutex_t lock;
    char *folder, *prelude; /* NULL if there is no prelude */
    bool is_named;          /* true if the program chose the template folder */
    gt_includes *includes;
    const gputune_include *given; /* texts that the program passed for quoted includes */
    gt_log log;
    GT_ARRAY(gt_catalog_file *) files; /* all versions of all files, in the order of reading */
    gt_kernel_list added; /* added kernels; a later one replaces one of the same name */
    gt_texts left_out;    /* why files were skipped; to be logged after the lock is released */
};

/* Loads the prelude if it is not loaded yet. The caller must hold the lock. */
static gputune_status need_prelude(gt_catalog *catalog, const char *given)
{
    GT_FREED char *folder = NULL, *home = NULL, *path = NULL, *prelude = NULL;
    if (catalog->prelude) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_template_folders(&folder, &home, given));
    GT_TRY(gt_format(&path, "%s/gputune.cuh", home));
    GT_TRY(gt_file_read(&prelude, NULL, path));
    if (catalog->includes) {
        GT_TRY(gt_includes_share(catalog->includes, folder));
    }
    catalog->folder = folder;
    catalog->prelude = prelude;
    catalog->is_named = given != NULL;
    folder = prelude = NULL;
    return GPUTUNE_OK;
}

/* ---- kernels of one file ---- */

static void free_kernel(gt_catalog_kernel *kernel)
{
    gt_template_free(kernel->template);
    free(kernel->name);
    free(kernel);
}

static void drop_kernels(gt_catalog_file *file)
{
    for (size_t i = 0; i < file->kernels.count; i++) {
        free_kernel(file->kernels.items[i]);
    }
    file->kernels.count = 0;
}

static void clear_file(gt_catalog_file *file)
{
    drop_kernels(file);
    for (size_t i = 0; i < file->included.count; i++) {
        free(file->included.items[i].path);
    }
    gt_array_free(&file->included);
    gt_array_free(&file->kernels);
    free(file->path);
    free(file->text);
    file->path = file->text = NULL;
}

static void free_file(gt_catalog_file **at)
{
    if (*at) {
        clear_file(*at);
        free(*at);
    }
}

static gputune_status add_name(void *to, const char *name)
{
    gt_catalog_file *file = to;
    gt_catalog_kernel *kernel = calloc(1, sizeof *kernel);
    GT_TRY(gt_allocated(kernel));
    kernel->file = file;
    gputune_status status = gt_strdup(&kernel->name, name);
    GT_THEN(status, gt_array_push(&file->kernels, kernel));
    if (status != GPUTUNE_OK) {
        free_kernel(kernel);
    }
    return status;
}

/* Finds the text of an #include, first among the texts that were passed with the template. */
static gputune_status find_include(void *user, const gt_include *include, gt_included *out)
{
    const gt_catalog *catalog = user;
    const gputune_include *at = catalog->given;
    while (at && at->name && (include->system || strcmp(at->name, include->name) != 0)) {
        at++;
    }
    if (!at || !at->name) {
        return gt_includes_find(catalog->includes, include, out);
    }
    GT_FREED char *text = NULL;
    gt_included found = {0};
    GT_TRY(gt_strdup(&text, at->text));
    GT_TRY(gt_strdup(&found.path, include->name));
    found.text = gt_take(&text);
    *out = found;
    return GPUTUNE_OK;
}

static gputune_status begin_file(const gt_catalog *catalog, const gt_catalog_file *file)
{
    return gt_includes_begin(catalog->includes, file->in_memory ? NULL : file->path);
}

static bool has_stamp(const gt_catalog_file *file, const char *path)
{
    size_t at = 0;
    while (at < file->included.count && strcmp(file->included.items[at].path, path) != 0) {
        at++;
    }
    return at < file->included.count;
}

static bool find_version(gt_version *out, const char *path)
{
    struct stat now;
    bool exists = stat(path, &now) == 0;
    if (exists) {
        *out = (gt_version){now.st_mtim, now.st_ctim, now.st_size};
    }
    return exists;
}

static gputune_status stamp_included(gt_catalog_file *file, const gt_catalog *catalog)
{
    const gt_texts *read = gt_includes_read(catalog->includes);
    for (size_t i = 0; i < read->count; i++) {
        gt_stamp stamp = {NULL};
        if (!has_stamp(file, read->items[i]) && find_version(&stamp.version, read->items[i])) {
            GT_TRY(gt_strdup(&stamp.path, read->items[i]));
            gputune_status status = gt_array_push(&file->included, stamp);
            if (status != GPUTUNE_OK) {
                free(stamp.path);
                return status;
            }
        }
    }
    return GPUTUNE_OK;
}

/* Lists the kernels of a file. Called only when needed, as it is as slow as reading the file. */
static gputune_status list_kernels(gt_catalog_file *file, gt_catalog *catalog)
{
    if (!file->text) {
        return GPUTUNE_OK;
    }
    drop_kernels(file); /* remove kernels that an earlier, failed attempt listed */
    GT_TRY(begin_file(catalog, file));
    GT_TRY(gt_template_names(file->path, file->text, find_include, catalog, add_name, file));
    GT_TRY(stamp_included(file, catalog));
    if (!file->in_memory) {
        free(file->text);
        file->text = NULL;
    }
    return GPUTUNE_OK;
}

static gputune_status load_kernel(gt_catalog *catalog, gt_catalog_kernel *kernel)
{
    gt_catalog_file *file = kernel->file;
    GT_FREED char *text = NULL;
    if (kernel->template) {
        return GPUTUNE_OK;
    }
    GT_TRY(begin_file(catalog, file));
    if (!file->in_memory) {
        GT_TRY(gt_file_read(&text, NULL, file->path));
    }
    GT_TRY(gt_template_parse(&kernel->template, file->path, text ? text : file->text, kernel->name,
                             find_include, catalog));
    return stamp_included(file, catalog);
}

static gputune_status new_file(gt_catalog_file **out, gt_catalog *catalog, const char *path)
{
    GT_SCOPED(free_file) gt_catalog_file *file = calloc(1, sizeof *file);
    GT_TRY(gt_allocated(file));
    file->watch.catalog = catalog;
    file->watch.file = file;
    GT_TRY(gt_strdup(&file->path, path));
    GT_TRY(gt_array_push(&catalog->files, file));
    *out = gt_take(&file);
    return GPUTUNE_OK;
}

static bool is_other_version(const char *path, const gt_version *version)
{
    gt_version now; /* has no padding, so memcmp() can compare it */
    return find_version(&now, path) && memcmp(&now, version, sizeof now) != 0;
}

static bool is_edited(gt_catalog_file *file)
{
    bool edited = atomic_load(&file->watch.edited);
    if (file->in_memory || edited) {
        return edited;
    }
    edited = is_other_version(file->path, &file->version);
    for (size_t i = 0; i < file->included.count && !edited; i++) {
        edited = is_other_version(file->included.items[i].path, &file->included.items[i].version);
    }
    atomic_store(&file->watch.edited, edited);
    return edited;
}

/* Returns the current version of a file. Reads the file if it was edited. */
static gputune_status find_file(gt_catalog_file **out, gt_catalog *catalog, const char *path)
{
    gt_version now = {.bytes = 0};
    bool exists = find_version(&now, path);
    for (size_t i = catalog->files.count; i-- > 0;) {
        gt_catalog_file *known = catalog->files.items[i];
        if (strcmp(known->path, path) == 0 && (!exists || !is_edited(known))) {
            *out = known;
            return GPUTUNE_OK;
        }
    }
    GT_FREED char *text = NULL;
    GT_TRY(gt_file_read(&text, NULL, path));
    GT_REFUSE(!exists, GPUTUNE_EIO, "cannot read the time at which '%s' was changed; try again",
              path);
    GT_TRY(new_file(out, catalog, path));
    (*out)->version = now;
    (*out)->text = text;
    text = NULL;
    return GPUTUNE_OK;
}

/* Adds the kernels of a file or, if `kernel` is not NULL, only this kernel. If the file has no
 * kernel, adds an entry without a name; parsing this entry later reports the error. */
static gputune_status add_kernels(gt_kernel_list *out, gt_catalog *catalog, gt_catalog_file *file,
                                  const char *kernel)
{
    gputune_status status = list_kernels(file, catalog);
    if (status == GPUTUNE_OK && !file->kernels.count) {
        status = add_name(file, "");
    }
    for (size_t i = 0; i < file->kernels.count && status == GPUTUNE_OK; i++) {
        gt_catalog_kernel *one = file->kernels.items[i];
        if (!kernel || strcmp(one->name, kernel) == 0) {
            status = gt_array_push(out, one);
        }
    }
    return status;
}

static int is_template_file(const struct dirent *file)
{
    size_t length = strlen(file->d_name);
    return length > 3 && strcmp(file->d_name + length - 3, ".cu") == 0;
}

/* Adds the kernels of a template file or, if `kernel` is not NULL, only this kernel. A file that
 * has an error is skipped, with a warning if all kernels are selected. */
static gputune_status add_kernels_of(gt_kernel_list *out, gt_catalog *catalog, const char *path,
                                     const char *kernel)
{
    gt_catalog_file *file;
    gputune_status status = find_file(&file, catalog, path);
    const char *last = kernel ? strrchr(kernel, ':') : NULL;
    if (status == GPUTUNE_OK &&
        (!kernel || !file->text || strstr(file->text, last ? last + 1 : kernel))) {
        status = add_kernels(out, catalog, file, kernel);
    }
    if (status == GPUTUNE_OK || status == GPUTUNE_ENOMEM) {
        return status;
    }
    return kernel ? GPUTUNE_OK
                  : gt_texts_add(&catalog->left_out, gt_message(), strlen(gt_message()));
}

static gputune_status add_folder(gt_kernel_list *out, gt_catalog *catalog, const char *kernel)
{
    GT_FREED struct dirent **files = NULL;
    int count = scandir(catalog->folder, &files, is_template_file, alphasort);
    gputune_status status = count < 0 && errno == ENOMEM ? gt_fail_memory() : GPUTUNE_OK;
    for (int i = 0; i < count; i++) {
        GT_FREED char *path = NULL;
        GT_THEN(status, gt_format(&path, "%s/%s", catalog->folder, files[i]->d_name));
        GT_THEN(status, add_kernels_of(out, catalog, path, kernel));
        free(files[i]);
    }
    return status;
}

/* ---- names and paths ---- */

static int compare_names(const void *a, const void *b)
{
    const gt_catalog_kernel *one = *(gt_catalog_kernel *const *)a;
    const gt_catalog_kernel *other = *(gt_catalog_kernel *const *)b;
    int order = strcmp(one->name, other->name);
    return order ? order : strcmp(one->file->path, other->file->path);
}

static const gt_catalog_kernel *find_added(const gt_catalog *catalog, const char *kernel)
{
    for (size_t i = catalog->added.count; i-- > 0;) {
        if (strcmp(catalog->added.items[i]->name, kernel) == 0) {
            return catalog->added.items[i];
        }
    }
    return NULL;
}

static gputune_status resolve_all(gt_kernel_list *out, gt_catalog *catalog)
{
    size_t kept = 0;
    gputune_status status = add_folder(out, catalog, NULL);
    for (size_t i = 0; i < out->count; i++) {
        if (!find_added(catalog, out->items[i]->name)) {
            out->items[kept++] = out->items[i];
        }
    }
    out->count = kept;
    for (size_t i = 0; i < catalog->added.count && status == GPUTUNE_OK; i++) {
        if (find_added(catalog, catalog->added.items[i]->name) == catalog->added.items[i]) {
            status = gt_array_push(out, catalog->added.items[i]);
        }
    }
    gt_array_sort(out, compare_names);
    return status;
}

/* Adds the kernels of a text. If the text cannot be parsed, clears the path under which it was
 * added, so later searches do not find it. */
static gputune_status resolve_text(gt_kernel_list *out, gt_catalog *catalog, const char *name,
                                   const char *text)
{
    gt_catalog_file *file;
    GT_TRY(new_file(&file, catalog, name));
    file->in_memory = true;
    gputune_status status = gt_strdup(&file->text, text);
    GT_THEN(status, add_kernels(out, catalog, file, NULL));
    for (size_t i = 0; i < out->count && status == GPUTUNE_OK; i++) {
        status = load_kernel(catalog, out->items[i]);
    }
    free(file->text);
    file->text = NULL;
    if (status != GPUTUNE_OK) {
        file->path[0] = '\0';
    }
    return status;
}

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

/* Finds the kernels of a file or, if `kernel` is not NULL, this kernel of the file. */
static gputune_status resolve_file(gt_kernel_list *out, gt_catalog *catalog, const char *path,
                                   const char *kernel)
{
    gt_catalog_file *file;
    GT_TRY(find_file(&file, catalog, path));
    GT_TRY(add_kernels(out, catalog, file, kernel));
    const char *first = out->count ? "" : file->kernels.items[0]->name;
    return out->count ? GPUTUNE_OK
                      : gt_fail(GPUTUNE_ENOTFOUND, "no kernel '%s' in %s%s%s", kernel, file->path,
                                first[0] ? "; the first kernel in it is " : "", first);
}

static gputune_status resolve_path(gt_kernel_list *out, gt_catalog *catalog, const char *path)
{
    const char *part = kernel_part(path);
    GT_FREED char *alone = NULL;
    GT_TRY(gt_strndup(&alone, path, part ? (size_t)(part - path) : strlen(path)));
    return resolve_file(out, catalog, alone, part ? part + 1 : NULL);
}

/* Searches the kernels of all files, because a file may include a kernel from another file. */
static gputune_status search_all(gt_kernel_list *out, gt_catalog *catalog, const char *kernel)
{
    GT_FREED gt_kernel_list all = {0};
    const char *names[256];
    size_t count = 0;
    GT_TRY(resolve_all(&all, catalog));
    GT_TRY(add_folder(out, catalog, kernel));
    if (out->count > 0) {
        return GPUTUNE_OK;
    }
    for (; count < all.count && count < sizeof names / sizeof *names; count++) {
        names[count] = all.items[count]->name;
    }
    const char *nearest = gt_nearest(kernel, names, count);
    return gt_fail(GPUTUNE_ENOTFOUND, "no kernel '%s' in %s%s%s%s", kernel, catalog->folder,
                   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* Finds the kernels that `kernel` names (see catalog.h), or all kernels if `kernel` is NULL. Fails
 * if there are none. The caller frees the array, even after a failure. */
static gputune_status resolve_kernel(gt_kernel_list *out, gt_catalog *catalog, const char *kernel)
{
    GT_TRY(need_prelude(catalog, NULL));
    if (!kernel) {
        return resolve_all(out, catalog);
    }
    if (gt_catalog_is_path(kernel)) {
        return resolve_path(out, catalog, kernel);
    }
    const gt_catalog_kernel *added = find_added(catalog, kernel);
    if (added) { /* if this file no longer has the kernel, fail and do not use other files */
        return resolve_file(out, catalog, added->file->path, kernel);
    }
    GT_TRY(add_folder(out, catalog, kernel));
    return out->count > 0 ? GPUTUNE_OK : search_all(out, catalog, kernel);
}

static void drop_catalog(gt_catalog **catalog)
{
    gt_catalog_close(*catalog);
}

gputune_status gt_catalog_open(gt_catalog **out, const char *given, const gt_log *log)
{
    GT_SCOPED(drop_catalog) gt_catalog *catalog = calloc(1, sizeof *catalog);
    GT_TRY(gt_allocated(catalog));
    pthread_mutex_init(&catalog->lock, NULL);
    catalog->log = log ? *log : (gt_log){0};
    gputune_status status = need_prelude(catalog, given);
    /* without a template folder, opening succeeds, because stored results can still be shown */
    if (status != GPUTUNE_ENOTFOUND || given) {
        GT_TRY(status);
    }
    GT_TRY(gt_catalog_set_include_paths(catalog, NULL, 0));
    *out = gt_take(&catalog);
    return GPUTUNE_OK;
}

void gt_catalog_clear(gt_catalog *catalog)
{
    if (!catalog) {
        return;
    }
    for (size_t i = 0; i < catalog->files.count; i++) {
        clear_file(catalog->files.items[i]);
    }
    gt_array_free(&catalog->added);
    gt_texts_free(&catalog->left_out);
    gt_includes_close(catalog->includes);
    free(catalog->folder);
    free(catalog->prelude);
    catalog->includes = NULL;
    catalog->folder = catalog->prelude = NULL;
}

void gt_catalog_close(gt_catalog *catalog)
{
    if (!catalog) {
        return;
    }
    gt_catalog_clear(catalog);
    for (size_t i = 0; i < catalog->files.count; i++) {
        free_file(&catalog->files.items[i]);
    }
    gt_array_free(&catalog->files);
    pthread_mutex_destroy(&catalog->lock);
    free(catalog);
}

gputune_status gt_catalog_set_include_paths(gt_catalog *catalog, const char *const *paths,
                                            size_t count)
{
    gt_includes *includes;
    GT_TRY(gt_includes_open(&includes, catalog->folder ? catalog->folder : "", paths, count));
    gt_includes_close(catalog->includes);
    catalog->includes = includes;
    return GPUTUNE_OK;
}

const char *gt_catalog_prelude(const gt_catalog *catalog)
{
    return catalog->prelude;
}

gputune_status gt_catalog_compile_options(const char *const **out, size_t *count,
                                          gt_catalog *catalog, const gt_template *template)
{
    *out = NULL;
    *count = 0;
    if (!template->has_headers && !template->uses_std) {
        return GPUTUNE_OK;
    }
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&catalog->lock);
    return gt_includes_options(out, count, catalog->includes);
}

static gt_catalog_file *file_of(const gt_catalog *catalog, const gt_template *template)
{
    for (size_t i = catalog->files.count; i-- > 0;) {
        gt_catalog_file *file = catalog->files.items[i];
        for (size_t k = 0; k < file->kernels.count; k++) {
            if (file->kernels.items[k]->template == template) {
                return file;
            }
        }
    }
    return NULL;
}

static bool has_own_file(const gt_catalog *catalog, const gt_catalog_file *file, bool by_path)
{
    const size_t length = strlen(catalog->folder);
    return file && !file->in_memory &&
           (by_path || strncmp(file->path, catalog->folder, length) != 0 ||
            file->path[length] != '/');
}

bool gt_catalog_has_own_file(gt_catalog *catalog, const gt_template *template, bool by_path)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&catalog->lock);
    return has_own_file(catalog, file_of(catalog, template), by_path);
}

gt_watch *gt_catalog_watch(gt_catalog *catalog, const gt_template *template, bool by_path)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&catalog->lock);
    gt_catalog_file *file = file_of(catalog, template);
    if (!has_own_file(catalog, file, by_path || catalog->is_named)) {
        return NULL;
    }
    atomic_store(&file->watch.due_ns, 0);
    return &file->watch;
}

bool gt_watch_look(gt_watch *watch)
{
    /* less than 1 s, because the coarse clock may be 0.1 s late */
    static const int64_t interval_ns = 900000000;
    const int64_t now = gt_coarse_now_ns();
    int_least64_t due = atomic_load(&watch->due_ns);
    if (now >= due && atomic_compare_exchange_strong(&watch->due_ns, &due, now + interval_ns)) {
        GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&watch->catalog->lock);
        is_edited(watch->file);
    }
    return atomic_load(&watch->edited);
}

static gputune_status load_listed(gt_catalog *catalog, gt_catalog_kernel *kernel)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&catalog->lock);
    return load_kernel(catalog, kernel);
}

/* Calls `each` for every kernel, without holding the lock. Skips a kernel that has an error or, if
 * `must` is true, fails at this kernel. */
static int each_kernel(gt_catalog *catalog, const gt_kernel_list *kernels, gt_catalog_fn each,
                       void *user, bool must)
{
    int answer = 0;
    for (size_t i = 0; i < kernels->count && !answer; i++) {
        gputune_status found = load_listed(catalog, kernels->items[i]);
        if (found == GPUTUNE_OK) {
            answer = each(user, kernels->items[i]->template);
        } else if (found == GPUTUNE_ENOMEM || must) {
            answer = found;
        } else {
            gt_log_line(&catalog->log, GPUTUNE_LOG_WARNING, "template left out: %s", gt_message());
        }
    }
    return answer;
}

int gt_catalog_add(gt_catalog *catalog, const char *path, const char *text,
                   const gputune_include *includes, gt_catalog_fn each, void *user)
{
    GT_FREED gt_kernel_list kernels = {0};
    pthread_mutex_lock(&catalog->lock);
    catalog->given = includes;
    gputune_status status = need_prelude(catalog, NULL);
    GT_THEN(status, text ? resolve_text(&kernels, catalog, path, text)
                         : resolve_path(&kernels, catalog, path));
    for (size_t i = 0; i < kernels.count && status == GPUTUNE_OK; i++) {
        status = load_kernel(catalog, kernels.items[i]);
    }
    for (size_t i = 0; i < kernels.count && status == GPUTUNE_OK; i++) {
        status = gt_array_push(&catalog->added, kernels.items[i]);
    }
    catalog->given = NULL;
    pthread_mutex_unlock(&catalog->lock);
    return status == GPUTUNE_OK ? each_kernel(catalog, &kernels, each, user, true) : status;
}

/* Fails if there is more than one kernel, unless `several` is true and all are in one file. */
static gputune_status check_several(const gt_kernel_list *kernels, const char *kernel, bool several)
{
    const gt_catalog_kernel *first = kernels->items[0];
    GT_SCOPED(gt_text_free) gt_text list = {0};
    bool one_file = true;
    for (size_t i = 1; i < kernels->count; i++) {
        one_file &= kernels->items[i]->file == first->file;
    }
    if (kernels->count == 1 || (one_file && several)) {
        return GPUTUNE_OK;
    }
    for (size_t i = 0; i < kernels->count; i++) {
        gt_text_printf(&list, "%s%s", i ? ", " : "",
                       one_file ? kernels->items[i]->name : kernels->items[i]->file->path);
    }
    return one_file
               ? gt_fail(GPUTUNE_EINVAL, "%s has the kernels %s; expected one, as in %s:%s",
                         first->file->path, gt_text_string(&list), first->file->path, first->name)
               : gt_fail(GPUTUNE_EINVAL,
                         "kernel '%s' is in several files: %s; give the path of one", kernel,
                         gt_text_string(&list));
}

/* Logs why files were skipped. The lock must not be held: the log's callback may need it. */
static void log_left_out(gt_catalog *catalog)
{
    pthread_mutex_lock(&catalog->lock);
    GT_SCOPED(gt_texts_free) gt_texts lines = gt_take(&catalog->left_out);
    pthread_mutex_unlock(&catalog->lock);
    for (size_t i = 0; i < lines.count; i++) {
        gt_log_line(&catalog->log, GPUTUNE_LOG_WARNING, "template left out: %s", lines.items[i]);
    }
}

/* Lists the kernels that `kernel` names, or all kernels if it is NULL. */
static gputune_status list_kernels_of(gt_kernel_list *out, gt_catalog *catalog, const char *kernel,
                                      bool several)
{
    pthread_mutex_lock(&catalog->lock);
    gputune_status status = resolve_kernel(out, catalog, kernel);
    GT_THEN(status, kernel ? check_several(out, kernel, several) : GPUTUNE_OK);
    pthread_mutex_unlock(&catalog->lock);
    log_left_out(catalog);
    return status;
}

gputune_status gt_catalog_find(const gt_template **out, gt_catalog *catalog, const char *kernel)
{
    GT_FREED gt_kernel_list kernels = {0};
    GT_TRY(list_kernels_of(&kernels, catalog, kernel, false));
    GT_TRY(load_listed(catalog, kernels.items[0]));
    *out = kernels.items[0]->template;
    return GPUTUNE_OK;
}

int gt_catalog_each(gt_catalog *catalog, const char *kernel, gt_catalog_fn each, void *user)
{
    GT_FREED gt_kernel_list kernels = {0};
    GT_TRY(list_kernels_of(&kernels, catalog, kernel, true));
    return each_kernel(catalog, &kernels, each, user, kernel != NULL);
}
