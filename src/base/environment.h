/* What the process is given: its environment variables, which no other file reads, and its
 * cores. */
#pragma once

#include <stdint.h>

/* The variable's value; NULL if it is not set or empty. In a set-uid or set-gid program every
 * variable counts as not set, since whoever starts the program could make it load their code, or
 * write files, otherwise. The text belongs to the environment. */
const char *gt_environment(const char *name);
/* How many cores this process may use (taskset, cpusets); at least 1. */
uint32_t gt_cores(void);
