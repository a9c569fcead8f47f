/* Network file systems. */
#pragma once

#include <stdint.h>

/* Returns the name of the network file system that contains the file, such as "NFS", or NULL for a
 * local file. File locks may not work on network file systems. */
const char *gt_network_of(const char *path);
/* Like gt_network_of(), for a file-system type from statfs(). */
const char *gt_network_name(uint64_t type);
