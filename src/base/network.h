/* File systems that machines share. */
#pragma once

#include <stdint.h>

/* The name of the network file system that the file lies on ("NFS"), whose locks may not hold; NULL
 * for a local one, or if there is no such file. */
const char *gt_network_of(const char *path);
/* The same for the file-system type that statfs() tells. */
const char *gt_network_name(uint64_t type);
