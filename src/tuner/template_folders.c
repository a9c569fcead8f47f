/* Finds where templates and the prelude are. */
#include "tuner/template_folders.h"

#include "base/array.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Of an installation, for a program that has the library linked in. */
static gputune_status list_installed(gt_texts *out)
{
    char *folder, *templates;
    GT_TRY(gt_file_installed_folder(&folder));
    if (!folder) {
        return GPUTUNE_OK;
    }
    gputune_status status = gt_path_format(&templates, "%s/../share/gputune/templates", folder);
    free(folder);
    GT_TRY(status);
    return gt_texts_take(out, templates);
}

/* Where the prelude may be, the likeliest first. */
static gputune_status list_places(gt_texts *out, const char *given)
{
    static const char *const beside[] = {"templates", "../templates", "../share/gputune/templates",
                                         "gputune/share/templates"};
    const char *asked[] = {given, gt_environment("GPUTUNE_TEMPLATES")};
    char *own, *folder;
    for (size_t i = 0; i < 2; i++) {
        GT_TRY(asked[i] ? gt_texts_add(out, asked[i], strlen(asked[i])) : GPUTUNE_OK);
    }
    GT_TRY(gt_file_own_folder(&own));
    gputune_status status = GPUTUNE_OK;
    for (size_t i = 0; i < sizeof beside / sizeof *beside && !status; i++) {
        status = gt_path_format(&folder, "%s/%s", own, beside[i]);
        GT_THEN(status, gt_texts_take(out, folder));
    }
    free(own);
    return status == GPUTUNE_OK ? list_installed(out) : status;
}

/* *out is the index of the first place with a prelude. */
static gputune_status find_prelude(size_t *out, const gt_texts *places)
{
    GT_SCOPED(gt_text_free) gt_text tried = {0};
    for (size_t i = 0; i < places->count; i++) {
        char *probe = NULL;
        gputune_status status = gt_path_format(&probe, "%s/gputune.cuh", places->items[i]);
        bool found = status == GPUTUNE_OK && gt_file_exists(probe);
        free(probe);
        if (found || status != GPUTUNE_OK) {
            *out = i;
            return status;
        }
        gt_text_printf(&tried, "%s%s", i ? ", " : "", places->items[i]);
    }
    return gt_fail(GPUTUNE_ENOTFOUND,
                   "no folder with gputune.cuh, which every template needs; searched %s; install "
                   "gputune, or set GPUTUNE_TEMPLATES to its template folder",
                   gt_text_string(&tried));
}

static gputune_status check_folder(const char *folder)
{
    return gt_file_is_folder(folder)
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_ENOTFOUND, "no folder %s; expected one with templates", folder);
}

/* The kernels are in the folder that is asked for, else beside the prelude. */
static gputune_status choose_folders(char **folder, char **home, const gt_texts *places,
                                     const char *given)
{
    const char *asked = given ? given : gt_environment("GPUTUNE_TEMPLATES");
    size_t index;
    char *found;
    if (asked) {
        GT_TRY(check_folder(asked));
    }
    GT_TRY(find_prelude(&index, places));
    GT_TRY(gt_strdup(&found, places->items[index]));
    gputune_status status = gt_strdup(folder, asked ? asked : found);
    return GT_GIVE(status, home, found, free(found));
}

gputune_status gt_template_folders(char **folder, char **home, const char *given)
{
    GT_SCOPED(gt_texts_free) gt_texts places = {0};
    GT_TRY(list_places(&places, given));
    return choose_folders(folder, home, &places, given);
}
