/* What the process is given: its environment variables, which no other file reads, and its
 * cores. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The variable's value; NULL if it is not set or empty. In a set-uid or set-gid program every
 * variable counts as not set, since whoever starts the program could make it load their code, or
 * write files, otherwise. The text belongs to the environment. */
const char *gt_environment(const char *name);
/* Returns the next variable whose name begins with `prefix`, as "NAME=VALUE", from the *at-th on,
 * and moves *at beyond it; NULL after the last one. Their order is arbitrary. Also in set-uid and
 * set-gid programs: only to compare it. */
const char *gt_environment_next(size_t *at, const char *prefix);
/* How many cores this process may use (taskset, cpusets); at least 1. */
uint32_t gt_cores(void);
