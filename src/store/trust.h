/* Whether the code in a database may be launched in this process. */
#ifndef GT_STORE_TRUST_H
#define GT_STORE_TRUST_H

#include <stdint.h>
#include <sys/stat.h>

/* Why the file at `path` may hold what other users wrote: it or a folder that holds it (that of a
 * link, and that of the file itself) is another user's (but not root's), or may be written by a
 * group or by everybody, with a sticky bit or without. NULL: it may not, or there is no such file.
 * The text is constant. */
const char *gt_distrust(const char *path);
/* The same of the file alone; its folder may be anybody's. */
const char *gt_distrust_file(const struct stat *file);
/* The name of the network file system that the file lies on ("NFS"), whose locks may not hold; NULL
 * for a local one, or if there is no such file. */
const char *gt_network_of(const char *path);
/* The same by the type that statfs() tells. */
const char *gt_network_name(uint64_t type);

#endif
