/* Network file systems. */
#pragma once

#include <stdint.h>

/* Returns the name ("NFS") of the network file system that contains the file: its locks may not
 * work. NULL if the file system is local or there is no such file. */
const char *gt_network_of(const char *path);
/* Returns the same for a file-system type from statfs(). */
const char *gt_network_name(uint64_t type);
