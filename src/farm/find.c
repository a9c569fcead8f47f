/* Finds the worker executable: in a build folder, and in an installed tree, wherever that was moved
 * to. */
#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"
#include "farm/farm.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORKER "gputune-worker"

typedef struct search {
    gt_text tried;
    char *found;
} search;

static bool runnable(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && access(path, X_OK) == 0;
}

/* Takes `path`, which is freed or becomes the result. */
static void try_path(search *search, char *path)
{
    if (search->found) {
        free(path);
    } else if (runnable(path)) {
        search->found = path;
    } else {
        gt_text_printf(&search->tried, "%s%s", search->tried.length ? ", " : "", path);
        free(path);
    }
}

static gputune_status try_folder(search *search, const char *folder)
{
    static const char *const places[] = {".", "gputune", "../libexec/gputune"};
    char *path;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        GT_TRY(gt_path_format(&path, "%s/%s/" WORKER, folder, places[i]));
        try_path(search, path);
    }
    return GPUTUNE_OK;
}

/* What is installed, for a program that has the library linked in. */
static gputune_status try_installed(search *search)
{
    GT_FREED char *folder = NULL;
    GT_TRY(gt_file_installed_folder(&folder));
    return folder ? try_folder(search, folder) : GPUTUNE_OK;
}

/* Beside the library, then beside the program. */
static gputune_status try_own_folders(search *search)
{
    char *folder, *program = realpath("/proc/self/exe", NULL);
    gputune_status status = GPUTUNE_OK;
    if (gt_file_own_folder(&folder) == GPUTUNE_OK) {
        status = try_folder(search, folder);
        free(folder);
    }
    if (program && status == GPUTUNE_OK) {
        *strrchr(program, '/') = '\0';
        status = try_folder(search, program);
    }
    free(program);
    return status;
}

static gputune_status take_given(char **out, const char *path, const char *source)
{
    if (!runnable(path)) {
        return gt_fail(GPUTUNE_EWORKER,
                       "%s names '%s', which is not an executable file; give the path of " WORKER,
                       source, path);
    }
    return gt_strdup(out, path);
}

gputune_status gt_worker_find(char **out, const char *given)
{
    const char *variable = gt_environment("GPUTUNE_WORKER");
    if (given) {
        return take_given(out, given, "the option `worker`");
    }
    if (variable) {
        return take_given(out, variable, "GPUTUNE_WORKER");
    }
    search search = {{0}, NULL};
    gputune_status status = try_own_folders(&search);
    if (status == GPUTUNE_OK && !search.found) {
        status = try_installed(&search);
    }
    if (status == GPUTUNE_OK && !search.found) {
        status = gt_fail(GPUTUNE_EWORKER,
                         WORKER " was not found; set GPUTUNE_WORKER to its path (searched %s)",
                         gt_text_string(&search.tried));
    }
    gt_text_free(&search.tried);
    if (status == GPUTUNE_OK) {
        *out = search.found;
    } else {
        free(search.found);
    }
    return status;
}
