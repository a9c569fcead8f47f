/* Where a database lies, and who can write it: stored code is launched in the host, so its file
 * must be one's own. */
#include "store/trust.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

static bool is_own(const struct stat *facts)
{
    return facts->st_uid == geteuid() || facts->st_uid == 0;
}

static bool others_write(const struct stat *facts)
{
    return facts->st_mode & (S_IWGRP | S_IWOTH);
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

const char *gt_distrust_file(const struct stat *file)
{
    return !is_own(file)        ? "it belongs to another user"
           : others_write(file) ? "other users may write it"
                                : NULL;
}

/* A sticky bit keeps others from replacing the file, but not from placing a journal beside it. */
static const char *distrust_folder(const char *path)
{
    struct stat folder;
    char above[PATH_MAX];
    folder_of(above, sizeof above, path);
    if (stat(above, &folder) != 0) {
        return NULL;
    }
    return !is_own(&folder)        ? "its folder belongs to another user"
           : others_write(&folder) ? "other users may write its folder"
                                   : NULL;
}

const char *gt_distrust(const char *path)
{
    struct stat file;
    char target[PATH_MAX];
    if (stat(path, &file) != 0) {
        return NULL; /* opening it says more */
    }
    const char *why = gt_distrust_file(&file);
    why = why ? why : distrust_folder(path);
    return why || !realpath(path, target) ? why : distrust_folder(target);
}

const char *gt_network_name(uint64_t type)
{
    static const struct {
        uint64_t type;
        const char *name;
    } networks[] = {{0x6969, "NFS"},        {0x517b, "SMB"},        {0xff534d42, "CIFS"},
                    {0xfe534d42, "SMB2"},   {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},
                    {0x19830326, "BeeGFS"}, {0x5346414f, "AFS"},    {0x00c36400, "Ceph"},
                    {0x01021997, "9P"},     {0x65735546, "FUSE"}};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        if (networks[i].type == type) {
            return networks[i].name;
        }
    }
    return NULL;
}

const char *gt_network_of(const char *path)
{
    struct statfs facts;
    return statfs(path, &facts) == 0 ? gt_network_name((uint32_t)facts.f_type) : NULL;
}
