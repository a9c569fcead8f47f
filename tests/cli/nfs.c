/* A library to preload: reports that all files are on NFS. */
#include <string.h>
#include <sys/statfs.h>

int statfs(const char *path, struct statfs *out)
{
    (void)path;
    memset(out, 0, sizeof *out);
    out->f_type = 0x6969;
    return 0;
}
