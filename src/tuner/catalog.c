/* Finds and parses templates, by name or path. */
#include "tuner/catalog_parts.h"

#include "base/file.h"
#include "base/text.h"
#include "farm/includes.h"
#include "tuner/template_folders.h"

#include <string.h>

/* Without a prelude the catalog opens: what is stored can be shown. A folder that is named by the
 * call must be there. */
static gputune_status find_folders(gt_catalog *catalog, const char *given)
{
    gputune_status status = gt_template_folders(&catalog->folder, &catalog->home, given);
    return status == GPUTUNE_ENOTFOUND && !given ? gt_strdup(&catalog->missing, gt_message())
                                                 : status;
}

static gputune_status read_prelude(gt_catalog *catalog)
{
    char *path;
    if (catalog->missing) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_path_format(&path, "%s/gputune.cuh", catalog->home));
    gputune_status status = gt_file_read(&catalog->prelude, NULL, path);
    free(path);
    return status;
}

static void drop_folders(gt_catalog *catalog)
{
    free(catalog->folder);
    free(catalog->home);
    free(catalog->prelude);
    catalog->folder = catalog->home = catalog->prelude = NULL;
}

gputune_status gt_catalog_need_prelude(gt_catalog *catalog)
{
    char *before = catalog->missing;
    if (!before) {
        return GPUTUNE_OK;
    }
    catalog->missing = NULL;
    gputune_status status = find_folders(catalog, NULL);
    GT_THEN(status, read_prelude(catalog));
    if (status == GPUTUNE_OK && !catalog->missing) {
        status = gt_includes_share(catalog->includes, catalog->folder);
    }
    if (status != GPUTUNE_OK) {
        drop_folders(catalog);
        catalog->missing = before;
        return status;
    }
    free(before);
    return catalog->missing ? gt_fail(GPUTUNE_ENOTFOUND, "%s", catalog->missing) : GPUTUNE_OK;
}

gputune_status gt_catalog_open(gt_catalog **out, const char *given, const gt_log *log)
{
    gt_catalog *catalog = calloc(1, sizeof *catalog);
    GT_TRY(gt_allocated(catalog));
    pthread_mutex_init(&catalog->lock, NULL);
    catalog->log = log ? *log : (gt_log){0};
    gputune_status status = find_folders(catalog, given);
    GT_THEN(status, read_prelude(catalog));
    if (status == GPUTUNE_OK) {
        status = gt_catalog_set_include_paths(catalog, NULL, 0);
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
        gt_template_free(catalog->entries.items[i].template);
    }
    gt_array_free(&catalog->entries);
    gt_catalog_files_free(catalog);
    pthread_mutex_destroy(&catalog->lock);
    gt_includes_close(catalog->includes);
    drop_folders(catalog);
    free(catalog->missing);
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
    if (!template->has_headers) {
        return GPUTUNE_OK;
    }
    pthread_mutex_lock(&catalog->lock);
    gputune_status status = gt_includes_options(out, count, catalog->includes);
    pthread_mutex_unlock(&catalog->lock);
    return status;
}

/* ---- one kernel of a file ---- */

/* Where the text of a kernel's file comes from, and its includes. */
typedef struct origin {
    const char *text;
    gt_include_fn include;
    void *user;
} origin;

static gputune_status parse(const gt_template **out, gt_catalog *catalog, const gt_kernel_ref *ref,
                            const origin *from)
{
    gt_catalog_entry added = {.file = ref->file};
    GT_TRY(gt_template_parse_kernel(&added.template, ref->file->path, from->text, ref->name,
                                    from->include, from->user));
    if (gt_array_push(&catalog->entries, added) != GPUTUNE_OK) {
        gt_template_free(added.template);
        return GPUTUNE_ENOMEM;
    }
    *out = added.template;
    return GPUTUNE_OK;
}

static gputune_status load(const gt_template **out, gt_catalog *catalog, const gt_kernel_ref *ref)
{
    char *text;
    GT_TRY(gt_includes_begin(catalog->includes, ref->file->path));
    GT_TRY(gt_file_read(&text, NULL, ref->file->path));
    gputune_status status =
        parse(out, catalog, ref, &(origin){text, gt_includes_find, catalog->includes});
    free(text);
    return status;
}

static gputune_status get(const gt_template **out, gt_catalog *catalog, const gt_kernel_ref *ref)
{
    for (size_t i = 0; i < catalog->entries.count; i++) {
        const gt_catalog_entry *known = &catalog->entries.items[i];
        if (known->file == ref->file && strcmp(known->template->name, ref->name) == 0) {
            *out = known->template;
            return GPUTUNE_OK;
        }
    }
    return load(out, catalog, ref);
}

/* ---- texts in memory ---- */

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

/* All kernels of the text are parsed, since the caller may free it. */
static gputune_status add_text(gt_kernel_refs *refs, gt_catalog *catalog, const char *name,
                               const origin *from)
{
    const gt_template *template;
    GT_TRY(gt_includes_begin(catalog->includes, NULL));
    gputune_status status =
        gt_catalog_resolve_text(refs, catalog, name, from->text, from->include, from->user);
    for (size_t i = 0; i < refs->count && status == GPUTUNE_OK; i++) {
        status = parse(&template, catalog, &refs->items[i], from);
    }
    if (refs->count > 0 && status != GPUTUNE_OK) {
        gt_catalog_forget_newest(catalog);
    }
    return status;
}

/* ---- adding ---- */

static gputune_status add_file(gt_kernel_refs *refs, gt_catalog *catalog, const char *path)
{
    const gt_template *template;
    gputune_status status = gt_catalog_resolve_path(refs, catalog, path);
    for (size_t i = 0; i < refs->count && status == GPUTUNE_OK; i++) {
        status = get(&template, catalog, &refs->items[i]);
    }
    return status;
}

/* Calls `each` without the lock. What does not parse is left out, unless it must. */
static int each_kernel(gt_catalog *catalog, const gt_kernel_refs *refs, gt_catalog_fn each,
                       void *user, bool must)
{
    int answer = 0;
    for (size_t i = 0; i < refs->count && !answer; i++) {
        const gt_template *template;
        pthread_mutex_lock(&catalog->lock);
        gputune_status found = get(&template, catalog, &refs->items[i]);
        pthread_mutex_unlock(&catalog->lock);
        if (found == GPUTUNE_OK) {
            answer = each(user, template);
        } else if (found == GPUTUNE_ENOMEM || must) {
            answer = found;
        } else {
            gt_log_line(&catalog->log, GPUTUNE_LOG_WARNING, "left out: %s", gt_message());
        }
    }
    return answer;
}

/* With a text a file in memory, else the file at that path. */
static int add(gt_catalog *catalog, const char *path, const origin *text, gt_catalog_fn each,
               void *user)
{
    gt_kernel_refs refs = {0};
    pthread_mutex_lock(&catalog->lock);
    gputune_status status =
        text ? add_text(&refs, catalog, path, text) : add_file(&refs, catalog, path);
    for (size_t i = 0; i < refs.count && status == GPUTUNE_OK; i++) {
        status = gt_array_push(&catalog->added, refs.items[i]);
    }
    pthread_mutex_unlock(&catalog->lock);
    int answer = status == GPUTUNE_OK ? each_kernel(catalog, &refs, each, user, true) : status;
    gt_array_free(&refs);
    return answer;
}

int gt_catalog_add(gt_catalog *catalog, const char *path, gt_catalog_fn each, void *user)
{
    return add(catalog, path, NULL, each, user);
}

int gt_catalog_add_source(gt_catalog *catalog, const char *name, const char *text,
                          const gputune_include *includes, gt_catalog_fn each, void *user)
{
    source_reader reader = {catalog, includes};
    return add(catalog, name, &(origin){text, read_given, &reader}, each, user);
}

/* ---- by name or path ---- */

/* Several kernels are a failure unless they are those of one file and `several`. */
static gputune_status check_several(const gt_kernel_refs *refs, const char *kernel, bool several)
{
    const gt_kernel_ref *first = &refs->items[0];
    gt_text list = {0};
    bool one_file = true;
    for (size_t i = 1; i < refs->count; i++) {
        one_file &= refs->items[i].file == first->file;
    }
    if (refs->count == 1 || (one_file && several)) {
        return GPUTUNE_OK;
    }
    for (size_t i = 0; i < refs->count; i++) {
        gt_text_printf(&list, "%s%s", i ? ", " : "",
                       one_file ? refs->items[i].name : refs->items[i].file->path);
    }
    gputune_status status =
        one_file ? gt_fail(GPUTUNE_EINVAL, "%s has the kernels %s; expected one, as in %s:%s",
                           first->file->path, gt_text_string(&list), first->file->path, first->name)
                 : gt_fail(GPUTUNE_EINVAL, "kernel '%s' is in %s; expected the path of one", kernel,
                           gt_text_string(&list));
    gt_text_free(&list);
    return status;
}

gputune_status gt_catalog_find(const gt_template **out, gt_catalog *catalog, const char *kernel)
{
    gt_kernel_refs refs = {0};
    pthread_mutex_lock(&catalog->lock);
    gputune_status status = gt_catalog_resolve(&refs, catalog, kernel);
    GT_THEN(status, check_several(&refs, kernel, false));
    if (status == GPUTUNE_OK) {
        status = get(out, catalog, &refs.items[0]);
    }
    pthread_mutex_unlock(&catalog->lock);
    gt_array_free(&refs);
    return status;
}

static gputune_status list(gt_kernel_refs *out, gt_catalog *catalog, const char *kernel)
{
    pthread_mutex_lock(&catalog->lock);
    gputune_status status =
        kernel ? gt_catalog_resolve(out, catalog, kernel) : gt_catalog_resolve_all(out, catalog);
    if (status == GPUTUNE_OK && kernel) {
        status = check_several(out, kernel, true);
    }
    pthread_mutex_unlock(&catalog->lock);
    return status;
}

int gt_catalog_each(gt_catalog *catalog, const char *kernel, gt_catalog_fn each, void *user)
{
    gt_kernel_refs refs = {0};
    int answer = list(&refs, catalog, kernel);
    answer = answer ? answer : each_kernel(catalog, &refs, each, user, kernel != NULL);
    gt_array_free(&refs);
    return answer;
}
