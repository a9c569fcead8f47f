/* The process's environment variables, which are read only here, and its cores. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the variable's value, which the environment owns; NULL if unset or empty, and in a
 * set-uid or set-gid program, which its user could else make load code or write files. */
const char *gt_environment(const char *name);
/* Returns the next variable "NAME=VALUE" from index *at on with that prefix, and moves *at past it;
 * NULL: none. Works also in set-uid programs, so compare the text only. */
const char *gt_environment_next(size_t *at, const char *prefix);
/* Returns how many cores this process may use (taskset, cpusets); at least 1. */
uint32_t gt_cores(void);
