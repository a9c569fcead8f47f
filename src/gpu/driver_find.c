/* Looks for the emulator's library in the build folder and in an installed tree. It has a folder of
 * its own there, so that no loader cache ever holds it. */
#include "gpu/driver_find.h"

#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"

#include <stdlib.h>
#include <sys/stat.h>

/* Relative to the folder of this library or program: a build folder or an installed
 * libexec/gputune/, the installed library's folder, an installed bin/, a test program two folders
 * below the build folder. */
static const char *const beside[] = {".", "gputune", "../libexec/gputune", "../.."};

static bool is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* Takes `path` (and its memory) as the answer if there is such a file, else notes it in `tried`. */
static bool take(char **out, gt_text *tried, char *path)
{
    if (gt_file_exists(path)) {
        *out = path;
        return true;
    }
    gt_text_printf(tried, "%s%s", tried->length ? ", " : "", path);
    free(path);
    return false;
}

static gputune_status find_given(char **out, const char *given)
{
    char *path;
    GT_TRY(is_folder(given) ? gt_path_format(&path, "%s/" GT_EMULATOR_FILE, given)
                            : gt_strdup(&path, given));
    gt_text tried = {0};
    bool found = take(out, &tried, path);
    gt_text_free(&tried);
    return found ? GPUTUNE_OK
                 : gt_fail(GPUTUNE_ENODRIVER,
                           "no emulator at %s (GPUTUNE_EMULATOR); unset it or name %s", given,
                           GT_EMULATOR_FILE);
}

/* Takes what stands beside `folder`, which may be NULL and is freed. */
static gputune_status find_beside(char **out, bool *found, gt_text *tried, char *folder)
{
    char *path;
    gputune_status status = GPUTUNE_OK;
    for (size_t i = 0; folder && i < sizeof beside / sizeof *beside && !*found && !status; i++) {
        status = gt_path_format(&path, "%s/%s/" GT_EMULATOR_FILE, folder, beside[i]);
        *found = status == GPUTUNE_OK && take(out, tried, path);
    }
    free(folder);
    return status;
}

static gputune_status find_known(char **out, gt_text *tried)
{
    char *own, *installed;
    bool found = false;
    GT_TRY(gt_file_own_folder(&own));
    GT_TRY(find_beside(out, &found, tried, own));
    if (!found) { /* the library may be linked into a program that lies anywhere */
        GT_TRY(gt_file_installed_folder(&installed));
        GT_TRY(find_beside(out, &found, tried, installed));
    }
    return found ? GPUTUNE_OK
                 : gt_fail(GPUTUNE_ENODRIVER, "no emulator: searched %s; set GPUTUNE_EMULATOR",
                           gt_text_string(tried));
}

gputune_status gt_emulator_find(char **out)
{
    const char *given = gt_environment("GPUTUNE_EMULATOR");
    if (given) {
        return find_given(out, given);
    }
    gt_text tried = {0};
    gputune_status status = find_known(out, &tried);
    gt_text_free(&tried);
    return status;
}
