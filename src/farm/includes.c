/* Finds included files, checks whether templates may read them, and computes digests of headers. */
#include "farm/includes.h"

#include "base/array.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"
#include "gpu/toolkit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HEADERS_MOST = 4096 };

struct gt_includes {
    gt_texts named;
    /* `shared`: real path of the template folder. `own`: real path of the folder that contains the
     * current template. `written`: path of this folder as the caller wrote it, ending with '/'. */
    char *shared, *own, *written;
    bool searched_toolkit;
    gt_toolkit toolkit;
    gt_texts options;
    gt_texts read; /* files read since gt_includes_begin() */
};

/* ---- Folders --------------------------------------------------------------------------------- */

static gputune_status add_named(gt_includes *includes, const char *path)
{
    char *real = realpath(path, NULL);
    if (!real && errno == ENOMEM) {
        return gt_fail_memory();
    }
    if (!real || !gt_file_is_folder(real)) {
        free(real);
        return gt_fail(GPUTUNE_EINVAL,
                       "include path '%s' is not a folder; expected one that exists", path);
    }
    return gt_texts_take(&includes->named, real);
}

static gputune_status add_environment(gt_includes *includes)
{
    const char *at = gt_environment("GPUTUNE_INCLUDE");
    while (at && *at) {
        size_t length = strcspn(at, ":");
        GT_FREED char *path = NULL;
        GT_TRY(gt_strndup(&path, at, length));
        if (*path && gt_file_is_folder(path)) {
            GT_TRY(add_named(includes, path));
        }
        at += length + (at[length] == ':');
    }
    return GPUTUNE_OK;
}

static void drop_includes(gt_includes **includes)
{
    gt_includes_close(*includes);
}

gputune_status gt_includes_open(gt_includes **out, const char *shared, const char *const *paths,
                                size_t path_count)
{
    GT_SCOPED(drop_includes) gt_includes *includes = calloc(1, sizeof *includes);
    GT_TRY(gt_allocated(includes));
    includes->shared = realpath(shared, NULL);
    for (size_t i = 0; i < path_count; i++) {
        GT_TRY(add_named(includes, paths[i]));
    }
    GT_TRY(add_environment(includes));
    *out = gt_take(&includes);
    return GPUTUNE_OK;
}

gputune_status gt_includes_share(gt_includes *includes, const char *shared)
{
    char *real = realpath(shared, NULL);
    if (!real && errno == ENOMEM) {
        return gt_fail_memory();
    }
    free(includes->shared);
    includes->shared = real;
    return GPUTUNE_OK;
}

void gt_includes_close(gt_includes *includes)
{
    if (!includes) {
        return;
    }
    gt_texts_free(&includes->named);
    gt_texts_free(&includes->options);
    gt_texts_free(&includes->read);
    gt_toolkit_free(&includes->toolkit);
    free(includes->shared);
    free(includes->own);
    free(includes->written);
    free(includes);
}

gputune_status gt_includes_begin(gt_includes *includes, const char *template_path)
{
    free(includes->own);
    free(includes->written);
    includes->own = includes->written = NULL;
    gt_texts_free(&includes->read);
    if (!template_path) {
        return GPUTUNE_OK;
    }
    const char *slash = strrchr(template_path, '/');
    size_t length = slash ? (size_t)(slash - template_path) + 1 : 0;
    GT_TRY(gt_strndup(&includes->written, template_path, length));
    includes->own = realpath(length ? includes->written : ".", NULL);
    return GPUTUNE_OK;
}

const gt_texts *gt_includes_read(const gt_includes *includes)
{
    return &includes->read;
}

static gputune_status need_toolkit(gt_includes *includes)
{
    if (!includes->searched_toolkit) {
        GT_TRY(gt_toolkit_find(&includes->toolkit));
        includes->searched_toolkit = true;
    }
    return GPUTUNE_OK;
}

static gputune_status add_option(gt_includes *includes, const char *folder)
{
    char *option;
    GT_TRY(gt_format(&option, "-I%s", folder));
    return gt_texts_take(&includes->options, option);
}

gputune_status gt_includes_options(const char *const **out, size_t *count, gt_includes *includes)
{
    GT_TRY(need_toolkit(includes));
    for (size_t i = includes->options.count; i < includes->named.count; i++) {
        GT_TRY(add_option(includes, includes->named.items[i]));
    }
    for (size_t i = includes->options.count - includes->named.count;
         i < includes->toolkit.folders.count; i++) {
        GT_TRY(add_option(includes, includes->toolkit.folders.items[i]));
    }
    *out = (const char *const *)includes->options.items;
    *count = includes->options.count;
    return GPUTUNE_OK;
}

/* ---- Permitted files ------------------------------------------------------------------------- */

static bool lies_in(const char *real, const char *folder)
{
    size_t length = folder ? strlen(folder) : 0;
    return folder && strncmp(real, folder, length) == 0 &&
           (real[length] == '/' || (length > 0 && folder[length - 1] == '/'));
}

static bool lies_in_any(const char *real, const gt_texts *folders)
{
    bool any = false;
    for (size_t i = 0; i < folders->count; i++) {
        any |= lies_in(real, folders->items[i]);
    }
    return any;
}

/* Sets *real to the real path of the file, or to NULL if there is no such file. EINVAL if templates
 * are not allowed to read it. */
static gputune_status probe_folder(char **real, const gt_includes *includes, const char *folder,
                                   const char *name)
{
    GT_FREED char *path = NULL;
    GT_TRY(gt_format(&path, "%s/%s", folder, name));
    *real = realpath(name[0] == '/' ? name : path, NULL);
    if (*real && !lies_in(*real, includes->own) && !lies_in(*real, includes->shared) &&
        !lies_in_any(*real, &includes->named) && !lies_in_any(*real, &includes->toolkit.folders)) {
        gt_fail(GPUTUNE_EINVAL,
                "a template may not read %s; expected a file below %s, or its folder given by -I, "
                "include_paths or GPUTUNE_INCLUDE",
                *real, includes->own ? includes->own : includes->shared);
        free(*real);
        *real = NULL;
        return GPUTUNE_EINVAL;
    }
    return GPUTUNE_OK;
}

/* ---- Digests of headers ---------------------------------------------------------------------- */

typedef struct walk {
    gt_includes *includes;
    gt_texts seen; /* real paths of the headers that are already part of the digest */
    bool toolkit;
    gt_hash digest;
} walk;

static gputune_status digest_name(walk *walk, const char *name, const char *beside);

static void add_digest(walk *walk, const char *text, size_t bytes)
{
    walk->digest = gt_hash_join(walk->digest, gt_hash_bytes(text, bytes));
}

/* If the line is an #include, returns the included name, beginning with its opening quote or
 * bracket. Otherwise returns NULL. */
static const char *include_on_line(const char *line, size_t *length)
{
    line += strspn(line, " \t");
    if (*line != '#') {
        return NULL;
    }
    line += 1 + strspn(line + 1, " \t");
    if (strncmp(line, "include", strlen("include")) != 0) {
        return NULL;
    }
    line += strcspn(line, "\"<\n");
    if (*line == '\n' || !*line) {
        return NULL;
    }
    *length = strcspn(line + 1, "\">\n");
    return line;
}

/* Adds all headers that a text includes to the digest, even those in branches of #if that are not
 * compiled. */
static gputune_status digest_includes(walk *walk, const char *text, const char *path)
{
    const char *slash = strrchr(path, '/');
    GT_FREED char *folder = NULL;
    GT_TRY(gt_strndup(&folder, path, slash ? (size_t)(slash - path) : 0));
    for (const char *line = text; line; line = strchr(line, '\n')) {
        GT_FREED char *name = NULL;
        size_t length;
        line += *line == '\n';
        const char *found = include_on_line(line, &length);
        if (found) {
            GT_TRY(gt_strndup(&name, found + 1, length));
            GT_TRY(digest_name(walk, name, *found == '"' ? folder : NULL));
        }
    }
    return GPUTUNE_OK;
}

/* Adds a file and the headers that it includes to the digest. Takes ownership of `real`. */
static gputune_status digest_file(walk *walk, char *real)
{
    GT_FREED char *text = NULL;
    size_t bytes;
    const char *const *seen = (const char *const *)walk->seen.items;
    if (gt_index_of(real, seen, walk->seen.count) < walk->seen.count) {
        free(real);
        return GPUTUNE_OK;
    }
    if (walk->seen.count == HEADERS_MOST) {
        free(real);
        return gt_fail(GPUTUNE_EINVAL, "more than %d headers; expected fewer", HEADERS_MOST);
    }
    GT_TRY(gt_texts_take(&walk->seen, real));
    GT_TRY(gt_file_read(&text, &bytes, real));
    GT_TRY(gt_texts_add(&walk->includes->read, real, strlen(real)));
    add_digest(walk, text, bytes);
    return digest_includes(walk, text, real);
}

static gputune_status find_below(char **real, const gt_includes *includes, const gt_texts *folders,
                                 const char *name)
{
    for (size_t i = 0; i < folders->count && !*real; i++) {
        GT_TRY(probe_folder(real, includes, folders->items[i], name));
    }
    return GPUTUNE_OK;
}

static gputune_status digest_header(walk *walk, const char *name, const char *beside)
{
    gt_includes *includes = walk->includes;
    const char *own = gt_device_header_text(name);
    char *real = NULL;
    GT_TRY(need_toolkit(includes));
    if (beside) {
        GT_TRY(probe_folder(&real, includes, beside, name));
    }
    if (!real && own) {
        add_digest(walk, own, strlen(own));
    } else {
        GT_TRY(find_below(&real, includes, &includes->named, name));
    }
    if (real) {
        return digest_file(walk, real);
    }
    GT_TRY(find_below(&real, includes, &includes->toolkit.folders, name));
    bool found = real != NULL;
    free(real);
    walk->toolkit |= found;
    return found || own ? GPUTUNE_OK : gt_fail(GPUTUNE_ENOTFOUND, "no file '%s'", name);
}

/* Adds a header to the digest. It is not an error if the header is missing, because its #include
 * may be in a branch that is not compiled. */
static gputune_status digest_name(walk *walk, const char *name, const char *beside)
{
    gputune_status status = digest_header(walk, name, beside);
    return status == GPUTUNE_ENOTFOUND || status == GPUTUNE_EINVAL ? GPUTUNE_OK : status;
}

static gputune_status find_header(gt_includes *includes, const char *name, gt_included *out)
{
    walk walk = {.includes = includes};
    gputune_status status = digest_header(&walk, name, NULL);
    if (status == GPUTUNE_OK && walk.toolkit) {
        add_digest(&walk, includes->toolkit.version, strlen(includes->toolkit.version));
    }
    gt_texts_free(&walk.seen);
    *out = (gt_included){.digest = walk.digest};
    return status;
}

static gputune_status find_beside(char **real, const gt_includes *includes,
                                  const gt_include *include)
{
    const char *slash = strrchr(include->from, '/');
    GT_FREED char *folder = NULL;
    if (!slash && !includes->own) {
        return GPUTUNE_OK; /* the template was passed as text, so it has no folder */
    }
    size_t length = slash ? (size_t)(slash - include->from) + 1 : 0;
    GT_TRY(gt_strndup(&folder, slash ? include->from : ".", slash ? length : 1));
    return probe_folder(real, includes, folder, include->name);
}

gputune_status gt_includes_find(void *user, const gt_include *include, gt_included *out)
{
    gt_includes *includes = user;
    GT_FREED char *real = NULL;
    if (!include->system) {
        GT_TRY(find_beside(&real, includes, include));
        if (!real && includes->shared) {
            GT_TRY(probe_folder(&real, includes, includes->shared, include->name));
        }
        if (include->join) {
            GT_TRY(find_below(&real, includes, &includes->named, include->name));
        }
    }
    if (!real) {
        return include->join ? gt_fail(GPUTUNE_ENOTFOUND, "no file '%s'", include->name)
                             : find_header(includes, include->name, out);
    }
    GT_FREED char *text = NULL;
    gt_included found = {0};
    GT_TRY(gt_file_read(&text, NULL, real));
    GT_TRY(gt_texts_add(&includes->read, real, strlen(real)));
    /* if the file is in the template's folder, write the path of this folder as the caller did */
    const bool is_own = lies_in(real, includes->own) && strlen(includes->own) > 1;
    GT_TRY(gt_format(&found.path, "%s%s", is_own ? includes->written : "",
                     is_own ? real + strlen(includes->own) + 1 : real));
    found.text = gt_take(&text);
    *out = found;
    return GPUTUNE_OK;
}
