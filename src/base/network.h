/* Network file systems. */
#pragma once

#include <stdint.h>

/* Returns the name ("NFS") of the file's network file system, whose locks may fail, or NULL. */
const char *gt_network_of(const char *path);
/* Returns the same for a file-system type from statfs(). */
const char *gt_network_name(uint64_t type);
