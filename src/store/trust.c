/* Who can write a database: stored code is launched in the host, so its file must be one's own. */
#include "store/trust.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_own(const struct stat *facts)
{
    return facts->st_uid == geteuid() || facts->st_uid == 0;
}

static bool others_write(const struct stat *facts)
{
    return facts->st_mode & (S_IWGRP | S_IWOTH);
}

/* Where only the owner of a file may replace it, such as in /tmp, others may write beside it. */
static bool is_shared_safely(const struct stat *facts)
{
    return facts->st_mode & S_ISVTX;
}

static void folder_of(char *out, size_t bytes, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    snprintf(out, bytes, "%.*s", (int)length, slash ? path : "");
    if (!out[0]) {
        snprintf(out, bytes, ".");
    }
}

const char *gt_distrust(const char *path)
{
    struct stat file, folder;
    char above[4096];
    folder_of(above, sizeof above, path);
    if (stat(path, &file) != 0 || stat(above, &folder) != 0) {
        return NULL; /* opening it says more */
    }
    return !is_own(&file)        ? "it belongs to another user"
           : others_write(&file) ? "other users may write it"
           : !is_own(&folder)    ? "its folder belongs to another user"
           : others_write(&folder) && !is_shared_safely(&folder)
               ? "other users may write its folder"
               : NULL;
}
