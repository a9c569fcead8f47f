/* The process's environment variables, which are read only here, and its cores. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the variable's value, which the environment owns; NULL if it is unset or empty, or if the
 * program is set-uid or set-gid: its user could otherwise make it load code or write files. */
const char *gt_environment(const char *name);
/* Returns how many cores this process may use (taskset, cpusets); at least 1. */
uint32_t gt_cores(void);
