/* Network file systems. */
#pragma once

#include <stdint.h>

/* Returns the network file system ("NFS") of a file, whose locks may fail; NULL: a local file. */
const char *gt_network_of(const char *path);
/* Like gt_network_of(), for a file-system type from statfs(). */
const char *gt_network_name(uint64_t type);
