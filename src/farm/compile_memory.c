/* How much memory a compile worker may take: a source can make a compiler take all there is. */
#include "base/environment.h"
#include "farm/farm_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const uint64_t MEGABYTE = 1 << 20;
enum { LEAST_MB = 1024, MOST_MB = 8192 };

/* What this process's control group allows, in bytes; UINT64_MAX: no limit is known. */
static uint64_t group_bytes(void)
{
    char line[32] = "";
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");
    if (!file) {
        return UINT64_MAX;
    }
    bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    uint64_t bytes = read ? strtoull(line, NULL, 10) : 0; /* "max" */
    return bytes ? bytes : UINT64_MAX;
}

static uint64_t machine_bytes(void)
{
    uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t group = group_bytes();
    return bytes < group ? bytes : group;
}

uint64_t gt_compile_memory_mb(uint32_t workers)
{
    const char *given = gt_environment("GPUTUNE_COMPILE_MEMORY");
    uint64_t asked = given ? strtoull(given, NULL, 10) : 0;
    if (asked) {
        return asked;
    }
    uint64_t share = machine_bytes() / MEGABYTE / 2 / workers;
    share = share < MOST_MB ? share : MOST_MB;
    return share > LEAST_MB ? share : LEAST_MB;
}
