/* Access to environment variables, and the number of cores. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns a variable's value, which the environment owns, or NULL if the variable is unset or
 * empty. Always returns NULL in a set-uid or set-gid program, because its user could otherwise make
 * it load code or write files. */
const char *gt_environment(const char *name);
/* Returns the number of cores that this process may use (affinity mask); at least 1. */
uint32_t gt_cores(void);
