/* Finds and parses templates, by name or path. */
#include "tuner/catalog.h"

#include "base/array.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"
#include "farm/includes.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

typedef struct entry {
    char *path;
    struct timespec changed; /* of a file */
    bool in_memory;          /* the path is a name that the program gave to a text of its own */
    gt_template *template;
} entry;

struct gt_catalog {
    pthread_mutex_t lock;
    char *folder; /* of the kernels that are found by name */
    char *home;   /* where the prelude is */
    char *prelude;
    gt_includes *includes;
    gt_log log;
    GT_ARRAY(entry) entries; /* the newest of a path or name stands last; old ones stay valid */
};

/* ---- Where the templates and the prelude are --------------------------------------------------
 */

typedef GT_ARRAY(char *) names;

static void free_names(names *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i]);
    }
    gt_array_free(list);
}

static gputune_status add_name(names *out, const char *name, size_t length)
{
    char *copy;
    GT_TRY(gt_array_reserve(out));
    GT_TRY(gt_strndup(&copy, name, length));
    out->items[out->count++] = copy;
    return GPUTUNE_OK;
}

/* Where the prelude may be, the likeliest first. */
static gputune_status list_places(names *out, const char *given)
{
    static const char *const beside[] = {"templates", "../templates", "../share/gputune/templates",
                                         "gputune/share/templates"};
    const char *asked[] = {given, gt_environment("GPUTUNE_TEMPLATES")};
    char *own, *folder;
    for (size_t i = 0; i < 2; i++) {
        GT_TRY(asked[i] ? add_name(out, asked[i], strlen(asked[i])) : GPUTUNE_OK);
    }
    GT_TRY(gt_file_own_folder(&own));
    gputune_status status = GPUTUNE_OK;
    for (size_t i = 0; i < sizeof beside / sizeof *beside && !status; i++) {
        status = gt_path_format(&folder, "%s/%s", own, beside[i]);
        if (!status) {
            status = add_name(out, folder, strlen(folder));
            free(folder);
        }
    }
    free(own);
    return status;
}

/* *out is the index of the first place with a prelude. */
static gputune_status find_prelude(size_t *out, const names *places)
{
    gt_text tried = {0};
    for (size_t i = 0; i < places->count; i++) {
        char *probe;
        GT_TRY(gt_path_format(&probe, "%s/gputune.cuh", places->items[i]));
        bool found = gt_file_exists(probe);
        free(probe);
        if (found) {
            gt_text_free(&tried);
            *out = i;
            return GPUTUNE_OK;
        }
        gt_text_printf(&tried, "%s%s", i ? ", " : "", places->items[i]);
    }
    gputune_status status =
        gt_fail(GPUTUNE_ENOTFOUND,
                "no folder with gputune.cuh, which every template needs; searched %s; install "
                "gputune, or set GPUTUNE_TEMPLATES to its template folder",
                gt_text_string(&tried));
    gt_text_free(&tried);
    return status;
}

static gputune_status check_folder(const char *folder)
{
    struct stat file;
    return stat(folder, &file) == 0 && S_ISDIR(file.st_mode)
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_ENOTFOUND, "no folder %s; expected one with templates", folder);
}

/* The kernels are in the folder that is asked for, else beside the prelude. */
static gputune_status choose_folders(gt_catalog *catalog, const names *places, const char *given)
{
    const char *asked = given ? given : gt_environment("GPUTUNE_TEMPLATES");
    size_t home;
    if (asked) {
        GT_TRY(check_folder(asked));
    }
    GT_TRY(find_prelude(&home, places));
    GT_TRY(gt_strdup(&catalog->home, places->items[home]));
    return gt_strdup(&catalog->folder, asked ? asked : catalog->home);
}

static gputune_status find_folders(gt_catalog *catalog, const char *given)
{
    names places = {0};
    gputune_status status = list_places(&places, given);
    if (status == GPUTUNE_OK) {
        status = choose_folders(catalog, &places, given);
    }
    free_names(&places);
    return status;
}

static gputune_status read_prelude(gt_catalog *catalog)
{
    char *path;
    GT_TRY(gt_path_format(&path, "%s/gputune.cuh", catalog->home));
    gputune_status status = gt_file_read(&catalog->prelude, NULL, path);
    free(path);
    return status;
}

gputune_status gt_catalog_open(gt_catalog **out, const char *given, const gt_log *log)
{
    gt_catalog *catalog = calloc(1, sizeof *catalog);
    if (!catalog) {
        return gt_fail_memory();
    }
    pthread_mutex_init(&catalog->lock, NULL);
    catalog->log = log ? *log : (gt_log){0};
    gputune_status status = find_folders(catalog, given);
    if (status == GPUTUNE_OK) {
        status = read_prelude(catalog);
    }
    if (status == GPUTUNE_OK) {
        status = gt_includes_open(&catalog->includes, catalog->folder, NULL, 0);
    }
    if (status != GPUTUNE_OK) {
        gt_catalog_close(catalog);
        return status;
    }
    *out = catalog;
    return GPUTUNE_OK;
}

void gt_catalog_close(gt_catalog *catalog)
{
    if (!catalog) {
        return;
    }
    for (size_t i = 0; i < catalog->entries.count; i++) {
        free(catalog->entries.items[i].path);
        gt_template_free(catalog->entries.items[i].template);
    }
    gt_array_free(&catalog->entries);
    pthread_mutex_destroy(&catalog->lock);
    gt_includes_close(catalog->includes);
    free(catalog->folder);
    free(catalog->home);
    free(catalog->prelude);
    free(catalog);
}

gputune_status gt_catalog_set_include_paths(gt_catalog *catalog, const char *const *paths,
                                            size_t count)
{
    gt_includes *includes;
    GT_TRY(gt_includes_open(&includes, catalog->folder, paths, count));
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
    if (!template->has_headers) {
        return GPUTUNE_OK;
    }
    pthread_mutex_lock(&catalog->lock);
    gputune_status status = gt_includes_options(out, count, catalog->includes);
    pthread_mutex_unlock(&catalog->lock);
    return status;
}

static gputune_status parse_file(gt_template **out, gt_catalog *catalog, const char *path,
                                 const char *text)
{
    GT_TRY(gt_includes_begin(catalog->includes, path));
    return gt_template_parse(out, path, text, gt_includes_find, catalog->includes);
}

/* Takes over the entry's template; frees it on failure. */
static gputune_status add_entry(entry **out, gt_catalog *catalog, entry *added, const char *path)
{
    gputune_status status = gt_strdup(&added->path, path);
    if (status == GPUTUNE_OK) {
        status = gt_array_push(&catalog->entries, *added);
    }
    if (status != GPUTUNE_OK) {
        gt_template_free(added->template);
        free(added->path);
        return status;
    }
    *out = &catalog->entries.items[catalog->entries.count - 1];
    return GPUTUNE_OK;
}

static gputune_status load(entry **out, gt_catalog *catalog, const char *path)
{
    struct stat file = {0};
    entry added = {0};
    char *text;
    GT_TRY(gt_file_read(&text, NULL, path));
    gputune_status status = parse_file(&added.template, catalog, path, text);
    free(text);
    GT_TRY(status);
    if (stat(path, &file) == 0) {
        added.changed = file.st_mtim;
    }
    return add_entry(out, catalog, &added, path);
}

typedef struct source_reader {
    gt_catalog *catalog;
    const gputune_include *includes; /* ends with one without a name; NULL: none */
} source_reader;

/* Includes of a text in memory are those that came with it, then files of the template folder. */
static gputune_status read_given(void *user, const gt_include *include, gt_included *out)
{
    const source_reader *reader = user;
    const gputune_include *at = reader->includes;
    while (at && at->name && (include->system || strcmp(at->name, include->name) != 0)) {
        at++;
    }
    if (!at || !at->name) {
        return gt_includes_find(reader->catalog->includes, include, out);
    }
    gt_included found = {0};
    GT_TRY(gt_strdup(&found.text, at->text));
    gputune_status status = gt_strdup(&found.path, include->name);
    if (status != GPUTUNE_OK) {
        free(found.text);
        return status;
    }
    *out = found;
    return GPUTUNE_OK;
}

static gputune_status load_source(entry **out, gt_catalog *catalog, const char *name,
                                  const char *text, const gputune_include *includes)
{
    entry added = {.in_memory = true};
    source_reader reader = {catalog, includes};
    GT_TRY(gt_includes_begin(catalog->includes, NULL));
    GT_TRY(gt_template_parse(&added.template, name, text, read_given, &reader));
    return add_entry(out, catalog, &added, name);
}

static bool unchanged(const entry *known)
{
    struct stat file;
    return known->in_memory || stat(known->path, &file) != 0 ||
           (file.st_mtim.tv_sec == known->changed.tv_sec &&
            file.st_mtim.tv_nsec == known->changed.tv_nsec);
}

static gputune_status find_path(entry **out, gt_catalog *catalog, const char *path)
{
    for (size_t i = catalog->entries.count; i-- > 0;) {
        entry *known = &catalog->entries.items[i];
        if (strcmp(known->path, path) == 0 && unchanged(known)) {
            *out = known;
            return GPUTUNE_OK;
        }
    }
    return load(out, catalog, path);
}

static int is_template_file(const struct dirent *file)
{
    size_t length = strlen(file->d_name);
    return length > 3 && strcmp(file->d_name + length - 3, ".cu") == 0;
}

/* A folder that cannot be read has none. */
static gputune_status add_files(names *out, const char *folder)
{
    struct dirent **files = NULL;
    int count = scandir(folder, &files, is_template_file, alphasort);
    gputune_status status = count < 0 && errno == ENOMEM ? gt_fail_memory() : GPUTUNE_OK;
    for (int i = 0; i < count; i++) {
        const char *name = files[i]->d_name;
        if (status == GPUTUNE_OK) {
            status = add_name(out, name, strlen(name) - strlen(".cu"));
        }
        free(files[i]);
    }
    free(files);
    return status;
}

/* The names of the folder's files and of added templates, sorted, each once. */
static gputune_status list_names(names *out, gt_catalog *catalog)
{
    gputune_status status = add_files(out, catalog->folder);
    for (size_t i = 0; i < catalog->entries.count && status == GPUTUNE_OK; i++) {
        const char *name = catalog->entries.items[i].template->name;
        bool known = false;
        for (size_t j = 0; j < out->count; j++) {
            known = known || strcmp(out->items[j], name) == 0;
        }
        status = known ? GPUTUNE_OK : add_name(out, name, strlen(name));
    }
    return status;
}

static gputune_status unknown_kernel(gt_catalog *catalog, const char *kernel)
{
    names list = {0};
    gputune_status status = list_names(&list, catalog);
    if (status == GPUTUNE_OK) {
        const char *nearest = gt_nearest(kernel, (const char *const *)list.items, list.count);
        status = gt_fail(GPUTUNE_ENOTFOUND, "no kernel '%s'%s%s%s in %s", kernel,
                         nearest ? "; did you mean '" : "", nearest ? nearest : "",
                         nearest ? "'?" : "", catalog->folder);
    }
    free_names(&list);
    return status;
}

static gputune_status find_name(entry **out, gt_catalog *catalog, const char *name)
{
    for (size_t i = catalog->entries.count; i-- > 0;) {
        entry *known = &catalog->entries.items[i];
        if (strcmp(known->template->name, name) == 0) {
            return find_path(out, catalog, known->path);
        }
    }
    char *path;
    GT_TRY(gt_path_format(&path, "%s/%s.cu", catalog->folder, name));
    gputune_status status =
        gt_file_exists(path) ? find_path(out, catalog, path) : unknown_kernel(catalog, name);
    free(path);
    return status;
}

bool gt_catalog_is_path(const char *kernel)
{
    size_t length = strlen(kernel);
    return strchr(kernel, '/') || (length > 3 && strcmp(kernel + length - 3, ".cu") == 0);
}

gputune_status gt_catalog_find(const gt_template **out, gt_catalog *catalog, const char *kernel)
{
    entry *found = NULL;
    pthread_mutex_lock(&catalog->lock);
    gputune_status status = gt_catalog_is_path(kernel) ? find_path(&found, catalog, kernel)
                                                       : find_name(&found, catalog, kernel);
    if (status == GPUTUNE_OK) {
        *out = found->template;
    }
    pthread_mutex_unlock(&catalog->lock);
    return status;
}

gputune_status gt_catalog_add(const gt_template **out, gt_catalog *catalog, const char *path)
{
    entry *added;
    pthread_mutex_lock(&catalog->lock);
    gputune_status status = load(&added, catalog, path);
    if (status == GPUTUNE_OK) {
        *out = added->template;
    }
    pthread_mutex_unlock(&catalog->lock);
    return status;
}

gputune_status gt_catalog_add_source(const gt_template **out, gt_catalog *catalog, const char *name,
                                     const char *text, const gputune_include *includes)
{
    entry *added;
    pthread_mutex_lock(&catalog->lock);
    gputune_status status = load_source(&added, catalog, name, text, includes);
    if (status == GPUTUNE_OK) {
        *out = added->template;
    }
    pthread_mutex_unlock(&catalog->lock);
    return status;
}

int gt_catalog_each(gt_catalog *catalog, int (*each)(void *user, const gt_template *template),
                    void *user)
{
    names list = {0};
    pthread_mutex_lock(&catalog->lock);
    int status = list_names(&list, catalog);
    pthread_mutex_unlock(&catalog->lock);
    for (size_t i = 0; i < list.count && !status; i++) {
        const gt_template *template;
        gputune_status found = gt_catalog_find(&template, catalog, list.items[i]);
        if (found == GPUTUNE_OK) {
            status = each(user, template);
        } else if (found == GPUTUNE_ENOMEM) {
            status = found;
        } else {
            gt_log_line(&catalog->log, GPUTUNE_LOG_WARNING, "left out: %s", gt_message());
        }
    }
    free_names(&list);
    return status;
}
