/* Finds the paths that match a pattern, one component after another. */
#include "base/matches.h"

#include "base/file.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* Adds `folder`/`name` if it is there. */
static gputune_status add(gt_texts *out, const char *folder, const char *name)
{
    char *path;
    bool below = *folder && folder[strlen(folder) - 1] != '/';
    GT_TRY(gt_path_format(&path, "%s%s%s", folder, below ? "/" : "", name));
    if (gt_file_exists(path)) {
        return gt_texts_take(out, path);
    }
    free(path);
    return GPUTUNE_OK;
}

static gputune_status add_entries(gt_texts *out, const char *folder, const char *component)
{
    DIR *entries = opendir(*folder ? folder : ".");
    gputune_status status = GPUTUNE_OK;
    while (entries && status == GPUTUNE_OK) {
        const struct dirent *entry = readdir(entries);
        if (!entry) {
            break;
        }
        if (fnmatch(component, entry->d_name, FNM_PERIOD) == 0) {
            status = add(out, folder, entry->d_name);
        }
    }
    if (entries) {
        closedir(entries);
    }
    return status;
}

/* What matches the pattern's next component below each of the paths so far takes their place. */
static gputune_status descend(gt_texts *paths, const char *component)
{
    bool is_plain = !strpbrk(component, "*?[\\");
    gt_texts below = {0};
    gputune_status status = GPUTUNE_OK;
    for (size_t i = 0; i < paths->count && status == GPUTUNE_OK; i++) {
        const char *folder = paths->items[i];
        status = is_plain ? add(&below, folder, component) : add_entries(&below, folder, component);
    }
    gt_texts_free(paths);
    *paths = below;
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

gputune_status gt_matches_find(gt_texts *out, const char *pattern)
{
    char *root;
    *out = (gt_texts){0};
    GT_TRY(gt_path_format(&root, "%s", *pattern == '/' ? "/" : ""));
    gputune_status status = gt_texts_take(out, root);
    while (status == GPUTUNE_OK && *(pattern += strspn(pattern, "/"))) {
        GT_FREED char *component = NULL;
        size_t length = strcspn(pattern, "/");
        status = gt_path_format(&component, "%.*s", (int)length, pattern);
        GT_THEN(status, descend(out, component));
        pattern += length;
    }
    gt_array_sort(out, by_name);
    return status;
}
