/* Finds where templates and the prelude are. */
#include "tuner/template_folders.h"

#include "base/array.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Of an installation, for a program that has the library linked in. */
static gputune_status list_installed(names *out)
{
    char *folder, *templates;
    GT_TRY(gt_file_installed_folder(&folder));
    if (!folder) {
        return GPUTUNE_OK;
    }
    gputune_status status = gt_path_format(&templates, "%s/../share/gputune/templates", folder);
    free(folder);
    GT_TRY(status);
    status = add_name(out, templates, strlen(templates));
    free(templates);
    return status;
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
    return status == GPUTUNE_OK ? list_installed(out) : status;
}

/* *out is the index of the first place with a prelude. */
static gputune_status find_prelude(size_t *out, const names *places)
{
    gt_text tried = {0};
    for (size_t i = 0; i < places->count; i++) {
        char *probe = NULL;
        gputune_status status = gt_path_format(&probe, "%s/gputune.cuh", places->items[i]);
        bool found = status == GPUTUNE_OK && gt_file_exists(probe);
        free(probe);
        if (found || status != GPUTUNE_OK) {
            gt_text_free(&tried);
            *out = i;
            return status;
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
static gputune_status choose_folders(char **folder, char **home, const names *places,
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
    if (status != GPUTUNE_OK) {
        free(found);
        return status;
    }
    *home = found;
    return GPUTUNE_OK;
}

gputune_status gt_template_folders(char **folder, char **home, const char *given)
{
    names places = {0};
    gputune_status status = list_places(&places, given);
    GT_THEN(status, choose_folders(folder, home, &places, given));
    free_names(&places);
    return status;
}
