/* gputune_draft_template(): a first template from a kernel that has none. */
#include "api/call.h"

#include "draft/draft.h"
#include "farm/includes.h"

#include "base/array.h"
#include "base/file.h"
#include "base/text.h"

#include <dirent.h>
#include <gputune.h>
#include <stdlib.h>
#include <string.h>

enum { NEIGHBOURS_MOST = 256, NEIGHBOUR_BYTES = 1 << 20 };

/* Where a file's includes are, and the sources beside it and in the folder above. */
typedef struct surroundings {
    gt_includes *includes;
    gt_texts paths;
} surroundings;

static gputune_status find_include(void *user, const gt_include *include, gt_included *out)
{
    return gt_includes_find(((surroundings *)user)->includes, include, out);
}

static gputune_status find_neighbour(void *user, size_t index, gt_included *out)
{
    const surroundings *s = user;
    if (index >= s->paths.count) {
        return GPUTUNE_ENOTFOUND;
    }
    *out = (gt_included){0};
    GT_TRY(gt_strdup(&out->path, s->paths.items[index]));
    if (gt_file_read_most(&out->text, NULL, out->path, NEIGHBOUR_BYTES) == GPUTUNE_OK) {
        return GPUTUNE_OK;
    }
    return gt_strdup(&out->text, ""); /* an unreadable file says nothing */
}

static int is_source(const struct dirent *entry)
{
    static const char *const endings[] = {".cu", ".cuh", ".cpp", ".cc", ".cxx",
                                          ".c",  ".h",   ".hpp", ".py"};
    const char *dot = strrchr(entry->d_name, '.');
    return dot && gt_is_listed(dot, endings, sizeof endings / sizeof *endings);
}

static gputune_status list_sources(surroundings *s, const char *folder)
{
    struct dirent **entries;
    gputune_status status = GPUTUNE_OK;
    int count = scandir(folder, &entries, is_source, alphasort);
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        if (status == GPUTUNE_OK && s->paths.count < NEIGHBOURS_MOST) {
            status = gt_path_format(&path, "%s%s", folder, entries[i]->d_name);
            GT_THEN(status, gt_texts_take(&s->paths, path));
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    return status;
}

static gputune_status open_surroundings(surroundings *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    GT_FREED char *above = NULL, *folder = NULL;
    GT_TRY(gt_strndup(&folder, slash ? path : "", slash ? (size_t)(slash - path) + 1 : 0));
    GT_TRY(gt_includes_open(&s->includes, *folder ? folder : "./", NULL, 0));
    GT_TRY(gt_includes_begin(s->includes, path));
    GT_TRY(gt_path_format(&above, "%s../", folder));
    GT_TRY(list_sources(s, *folder ? folder : "./"));
    return list_sources(s, above);
}

int gputune_draft_template(char **out, const char *path, const char *text, const char *kernel)
{
    surroundings s = {0};
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(gt_need(__func__, "path", path));
    GT_TRY(gt_need(__func__, "text", text));
    gputune_status status = open_surroundings(&s, path);
    GT_THEN(status, gt_draft_template(out, path, text, kernel, find_include, find_neighbour, &s));
    gt_includes_close(s.includes);
    gt_texts_free(&s.paths);
    return status;
}
