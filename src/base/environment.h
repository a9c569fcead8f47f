/* Reads the process's environment variables, which no other file reads, and counts its cores. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns the variable's value, which the environment owns. Returns NULL if the variable is unset
 * or empty, or if the program is set-uid or set-gid: a user could otherwise make such a program
 * load code or write files. */
const char *gt_environment(const char *name);
/* Returns how many cores this process may use, which taskset and cpusets limit; at least 1. */
uint32_t gt_cores(void);
