/* What the process is given: environment variables, which are read here alone, and cores. */
#pragma once

#include <stdint.h>

/* The variable's value; NULL if it is not set or empty. In a set-uid or set-gid program every
 * variable counts as not set: whoever starts it could load code of their own otherwise, or have it
 * write files. The text belongs to the environment. */
const char *gt_environment(const char *name);
/* How many cores this process may use (taskset, cpusets); at least 1. */
uint32_t gt_cores(void);
