/* The process's environment variables, which are read only here, and its cores. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the variable's value; NULL if it is unset or empty. In a set-uid or set-gid program every
 * variable counts as unset, because the user who starts it could otherwise make it load code or
 * write files. The environment owns the text. */
const char *gt_environment(const char *name);
/* Returns the next variable from index *at on whose name begins with `prefix`, as "NAME=VALUE", and
 * moves *at past it; NULL if there is none. The order is arbitrary. Unlike gt_environment() it also
 * works in set-uid programs, so compare the text only. */
const char *gt_environment_next(size_t *at, const char *prefix);
/* Returns how many cores this process may use (taskset, cpusets); at least 1. */
uint32_t gt_cores(void);
