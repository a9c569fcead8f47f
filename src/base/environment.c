/* Reads environment variables and counts cores. Set-uid and set-gid programs see no variables. */
#include "base/environment.h"

#include <sched.h>
#include <stdlib.h>

const char *gt_environment(const char *name)
{
    const char *value = secure_getenv(name);
    return value && *value ? value : NULL;
}

uint32_t gt_cores(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (uint32_t)count : 1;
}
