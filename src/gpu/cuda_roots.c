/* Walks the places where CUDA may be installed. */
#include "gpu/cuda_roots.h"

#include "base/environment.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

static const char *const prefixes[] = {"/usr/local/cuda", "/usr/local/cuda-[0-9]*", "/opt/cuda"};

/* The prefix of the first python3 on PATH ("/usr" for /usr/bin/python3); ENOTFOUND without one. */
static gputune_status python_prefix(char **out)
{
    const char *path = gt_environment("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        char *program, *real = NULL;
        GT_TRY(gt_path_format(&program, "%.*s/python3", (int)length, path));
        if (gt_file_exists(program)) {
            real = realpath(program, NULL);
        }
        free(program);
        char *slash = real ? strrchr(real, '/') : NULL; /* of PREFIX/bin/python3.11 */
        if (slash) {
            *slash = '\0';
            slash = strrchr(real, '/');
        }
        if (slash) {
            *slash = '\0';
            *out = real;
            return GPUTUNE_OK;
        }
        free(real);
        path += length + (path[length] == ':');
    }
    return GPUTUNE_ENOTFOUND;
}

static gputune_status visit_python(gt_cuda_root_fn visit, void *user)
{
    char *prefix = NULL;
    gputune_status status = python_prefix(&prefix);
    if (status == GPUTUNE_ENOTFOUND) {
        return GPUTUNE_OK;
    }
    GT_TRY(status);
    status = visit(user, GT_ROOT_PYTHON, prefix);
    if (status == GPUTUNE_OK && strcmp(prefix, "/usr") == 0) {
        status = visit(user, GT_ROOT_PYTHON, "/usr/local");
    }
    free(prefix);
    return status;
}

static gputune_status visit_local(gt_cuda_root_fn visit, void *user, const char *home)
{
    char *local;
    GT_TRY(gt_path_format(&local, "%s/.local", home));
    gputune_status status = visit(user, GT_ROOT_PYTHON, local);
    free(local);
    return status;
}

gputune_status gt_cuda_roots(gt_cuda_root_fn visit, void *user)
{
    const char *toolkit = gt_environment("CUDA_HOME"), *environment = gt_environment("VIRTUAL_ENV");
    const char *home = gt_environment("HOME");
    if (toolkit) {
        GT_TRY(visit(user, GT_ROOT_HOME, toolkit));
    }
    GT_TRY(visit(user, GT_ROOT_LOADER, NULL));
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        GT_TRY(visit(user, GT_ROOT_PREFIX, prefixes[i]));
    }
    if (environment) {
        GT_TRY(visit(user, GT_ROOT_PYTHON, environment));
    }
    GT_TRY(visit_python(visit, user));
    return home ? visit_local(visit, user, home) : GPUTUNE_OK;
}
