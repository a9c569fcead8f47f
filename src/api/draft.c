/* gputune_draft_template(): a first template from a kernel that has none. */
#include "api/call.h"

#include "draft/draft.h"
#include "farm/includes.h"

#include "base/text.h"

#include <gputune.h>
#include <stdlib.h>
#include <string.h>

int gputune_draft_template(char **out, const char *path, const char *text, const char *kernel)
{
    gt_includes *includes = NULL;
    char *folder;
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(gt_need(__func__, "path", path));
    GT_TRY(gt_need(__func__, "text", text));
    const char *slash = strrchr(path, '/');
    GT_TRY(gt_strndup(&folder, slash ? path : "./", slash ? (size_t)(slash - path) + 1 : 2));
    gputune_status status = gt_includes_open(&includes, folder, NULL, 0);
    GT_THEN(status, gt_includes_begin(includes, path));
    if (status == GPUTUNE_OK) {
        status = gt_draft_template(out, path, text, kernel, gt_includes_find, includes);
    }
    gt_includes_close(includes);
    free(folder);
    return status;
}
