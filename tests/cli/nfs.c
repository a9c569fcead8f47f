/* A library to preload that reports NFS as the file system of every file. */
#include <string.h>
#include <sys/statfs.h>

int statfs(const char *path, struct statfs *out)
{
    (void)path;
    memset(out, 0, sizeof *out);
    out->f_type = 0x6969;
    return 0;
}
