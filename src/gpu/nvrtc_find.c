/* Lists the paths where NVRTC may be. */
#include "gpu/nvrtc_find.h"

#include "base/environment.h"
#include "base/file.h"
#include "base/matches.h"
#include "base/text.h"
#include "gpu/cuda_roots.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Newest first. */
static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
enum { NAMES = sizeof names / sizeof *names };

/* Below a toolkit, or a folder that the user named. */
static const char *const toolkit_folders[] = {"", "/lib64", "/lib", "/targets/*-linux/lib",
                                              "/nvidia/*/lib"};
/* Below the prefix of a Python installation. */
static const char *const python_folders[] = {"/lib/python3*/site-packages/nvidia/*/lib",
                                             "/lib/python3*/dist-packages/nvidia/*/lib",
                                             "/lib/python3/dist-packages/nvidia/*/lib"};

typedef struct folders {
    const char *const *items;
    size_t count;
} folders;
#define FOLDERS(list) ((folders){list, sizeof(list) / sizeof *(list)})

static gputune_status add(gt_nvrtc_candidates *found, const char *path)
{
    char *copy;
    GT_TRY(gt_strdup(&copy, path));
    if (gt_array_push(&found->paths, copy) < 0) {
        free(copy);
        return GPUTUNE_ENOMEM;
    }
    return GPUTUNE_OK;
}

/* All files that match a pattern, in reverse order, so that a newer version comes first. */
static gputune_status add_matches(gt_nvrtc_candidates *found, const char *pattern)
{
    gt_matches matches;
    gputune_status status = gt_matches_find(&matches, pattern);
    for (size_t i = matches.paths.count; i-- > 0 && status == GPUTUNE_OK;) {
        status = add(found, matches.paths.items[i]);
    }
    gt_matches_free(&matches);
    return status;
}

/* Every name in every folder below `root`. */
static gputune_status search(gt_nvrtc_candidates *found, gt_text *searched, const char *root,
                             folders below)
{
    gt_text_printf(searched, "%s%s", searched->length ? ", " : "", root);
    for (size_t n = 0; n < NAMES; n++) {
        for (size_t i = 0; i < below.count; i++) {
            char *pattern;
            GT_TRY(gt_path_format(&pattern, "%s%s/%s", root, below.items[i], names[n]));
            gputune_status status = add_matches(found, pattern);
            free(pattern);
            GT_TRY(status);
        }
    }
    return GPUTUNE_OK;
}

static gputune_status search_given(gt_nvrtc_candidates *found, gt_text *searched, const char *given)
{
    struct stat facts;
    found->given = true;
    if (stat(given, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        return search(found, searched, given, FOLDERS(toolkit_folders));
    }
    gt_text_printf(searched, "%s", given);
    return add(found, given);
}

static gputune_status search_loader(gt_nvrtc_candidates *found, gt_text *searched)
{
    gt_text_printf(searched, "%sthe loader's path", searched->length ? ", " : "");
    for (size_t n = 0; n < NAMES; n++) {
        GT_TRY(add(found, names[n]));
    }
    return GPUTUNE_OK;
}

typedef struct search_state {
    gt_nvrtc_candidates *found;
    gt_text *searched;
} search_state;

static gputune_status search_root(void *user, gt_cuda_root kind, const char *folder)
{
    const search_state *state = user;
    return kind == GT_ROOT_LOADER ? search_loader(state->found, state->searched)
           : kind == GT_ROOT_PYTHON
               ? search(state->found, state->searched, folder, FOLDERS(python_folders))
               : search(state->found, state->searched, folder, FOLDERS(toolkit_folders));
}

static gputune_status search_all(gt_nvrtc_candidates *found, gt_text *searched)
{
    const char *given = gt_environment("GPUTUNE_NVRTC");
    if (given) {
        return search_given(found, searched, given);
    }
    return gt_cuda_roots(search_root, &(search_state){found, searched});
}

gputune_status gt_nvrtc_find(gt_nvrtc_candidates *out)
{
    gt_nvrtc_candidates found = {0};
    gt_text searched = {0};
    gputune_status status = search_all(&found, &searched);
    GT_THEN(status, gt_text_take(&found.searched, &searched));
    gt_text_free(&searched);
    if (status < 0) {
        gt_nvrtc_candidates_free(&found);
        return status;
    }
    *out = found;
    return GPUTUNE_OK;
}

void gt_nvrtc_candidates_free(gt_nvrtc_candidates *candidates)
{
    for (size_t i = 0; i < candidates->paths.count; i++) {
        free(candidates->paths.items[i]);
    }
    gt_array_free(&candidates->paths);
    free(candidates->searched);
    *candidates = (gt_nvrtc_candidates){0};
}
