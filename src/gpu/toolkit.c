/* Finds the toolkit's headers and reads their versions. */
#include "gpu/toolkit.h"

#include "base/environment.h"
#include "base/file.h"
#include "base/matches.h"
#include "base/text.h"
#include "gpu/cuda_roots.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Below a toolkit, below a folder beside an NVRTC, and below a Python prefix. */
static const char *const toolkit_folders[] = {"/include", "/targets/*-linux/include", "/*/include"};
static const char *const python_folders[] = {"/lib/python3*/site-packages/nvidia/*/include",
                                             "/lib/python3*/dist-packages/nvidia/*/include",
                                             "/lib/python3/dist-packages/nvidia/*/include"};

/* The two parts, which may lie in different folders, each known by a header that tells a version.
 */
enum { PARTS = 2 };
static const struct part {
    const char *name, *header, *macro;
    int major, minor, patch; /* what the macro's number is divided by; 0: it does not tell */
} parts[PARTS] = {
    {"cuda", "cuda_runtime_api.h", "#define CUDART_VERSION", 1000, 10, 0},
    {"cccl", "cub/version.cuh", "#define CUB_VERSION", 100000, 100, 1},
};

typedef struct finder {
    gt_toolkit *found;
    gt_text searched;
    bool have[PARTS];
    long versions[PARTS]; /* as the macros have them */
} finder;

static void append_version(gt_text *out, const struct part *part, long number)
{
    gt_text_printf(out, "%s%s %ld.%ld", out->length ? " " : "", part->name, number / part->major,
                   number % part->major / part->minor);
    if (part->patch) {
        gt_text_printf(out, ".%ld", number % part->minor / part->patch);
    }
}

/* Notes which parts the folder has; whether it has any. */
static bool note_parts(finder *finder, const char *folder)
{
    bool any = false;
    for (int i = 0; i < PARTS; i++) {
        char *path, *text = NULL;
        if (finder->have[i] || gt_path_format(&path, "%s/%s", folder, parts[i].header) < 0) {
            continue;
        }
        if (gt_file_exists(path) && gt_file_read(&text, NULL, path) == GPUTUNE_OK) {
            const char *macro = strstr(text, parts[i].macro);
            finder->versions[i] = macro ? strtol(macro + strlen(parts[i].macro), NULL, 10) : 0;
            finder->have[i] = any = true;
        }
        free(text);
        free(path);
    }
    return any;
}

static gputune_status add_folder(finder *finder, const char *folder)
{
    char *real = realpath(folder, NULL);
    if (!real) {
        return GPUTUNE_OK;
    }
    if (gt_array_push(&finder->found->folders, real) < 0) {
        free(real);
        return GPUTUNE_ENOMEM;
    }
    return GPUTUNE_OK;
}

static bool is_complete(const finder *finder)
{
    return finder->have[0] && finder->have[1];
}

/* A folder and, from toolkit 13 on, its subfolder of CCCL. */
static gputune_status try_folder(finder *finder, const char *folder)
{
    char *below;
    GT_TRY(gt_path_format(&below, "%s/cccl", folder));
    gputune_status status = GPUTUNE_OK;
    if (note_parts(finder, folder)) {
        status = add_folder(finder, folder);
    }
    if (status == GPUTUNE_OK && note_parts(finder, below)) {
        status = add_folder(finder, below);
    }
    free(below);
    return status;
}

static gputune_status search(finder *finder, const char *root, const char *const *below,
                             size_t count)
{
    gputune_status status = GPUTUNE_OK;
    gt_text_printf(&finder->searched, "%s%s", finder->searched.length ? ", " : "", root);
    for (size_t i = 0; i < count && status == GPUTUNE_OK && !is_complete(finder); i++) {
        char *pattern;
        gt_matches matches;
        GT_TRY(gt_path_format(&pattern, "%s%s", root, below[i]));
        status = gt_matches_find(&matches, pattern);
        free(pattern);
        for (size_t m = matches.paths.count; m-- > 0 && status == GPUTUNE_OK;) {
            status = try_folder(finder, matches.paths.items[m]);
        }
        gt_matches_free(&matches);
    }
    return status;
}

static gputune_status search_root(void *user, gt_cuda_root kind, const char *folder)
{
    finder *finder = user;
    if (kind == GT_ROOT_LOADER || is_complete(finder)) {
        return GPUTUNE_OK;
    }
    return kind == GT_ROOT_PYTHON ? search(finder, folder, python_folders,
                                           sizeof python_folders / sizeof *python_folders)
                                  : search(finder, folder, toolkit_folders,
                                           sizeof toolkit_folders / sizeof *toolkit_folders);
}

/* An NVRTC that was named brings its own toolkit: PREFIX/lib64/libnvrtc.so.13, or a wheel's
 * nvidia/cu13/lib/libnvrtc.so.13, beside whose folder the other wheels' lie. */
static gputune_status search_given(finder *finder, const char *given)
{
    struct stat facts;
    char *real = realpath(given, NULL);
    gputune_status status = GPUTUNE_OK;
    bool is_folder = real && stat(real, &facts) == 0 && S_ISDIR(facts.st_mode);
    for (int up = is_folder ? 0 : 1; real && up <= 3 && status == GPUTUNE_OK; up++) {
        char *slash = up ? strrchr(real, '/') : NULL;
        if (slash == real || (up && !slash)) {
            break;
        }
        if (slash) {
            *slash = '\0';
        }
        status = up == 1 && !is_folder ? GPUTUNE_OK : search_root(finder, GT_ROOT_HOME, real);
    }
    free(real);
    return status;
}

gputune_status gt_toolkit_find(gt_toolkit *out)
{
    gt_toolkit found = {0};
    finder finder = {.found = &found};
    const char *given = gt_environment("GPUTUNE_NVRTC");
    gputune_status status = given ? search_given(&finder, given) : GPUTUNE_OK;
    GT_THEN(status, gt_cuda_roots(search_root, &finder));
    gt_text version = {0};
    for (int i = 0; i < PARTS; i++) {
        if (finder.have[i]) {
            append_version(&version, &parts[i], finder.versions[i]);
        }
    }
    GT_THEN(status, gt_text_take(&found.version, &version));
    if (status == GPUTUNE_OK) {
        status = gt_text_take(&found.searched, &finder.searched);
    }
    gt_text_free(&version);
    gt_text_free(&finder.searched);
    if (status < 0) {
        gt_toolkit_free(&found);
        return status;
    }
    *out = found;
    return GPUTUNE_OK;
}

void gt_toolkit_free(gt_toolkit *toolkit)
{
    for (size_t i = 0; i < toolkit->folders.count; i++) {
        free(toolkit->folders.items[i]);
    }
    gt_array_free(&toolkit->folders);
    free(toolkit->version);
    free(toolkit->searched);
    *toolkit = (gt_toolkit){0};
}
