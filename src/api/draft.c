/* gputune_draft_template(): a first template from a kernel that has none. */
#include "api/call.h"

#include "draft/draft.h"

#include <gputune.h>

int gputune_draft_template(char **out, const char *path, const char *text, const char *kernel)
{
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(gt_need(__func__, "path", path));
    GT_TRY(gt_need(__func__, "text", text));
    return gt_draft_template(out, path, text, kernel);
}
