/* Reads environment variables, but not in privileged programs. */
#include "base/environment.h"

#include <stdlib.h>

const char *gt_environment(const char *name)
{
    const char *value = secure_getenv(name);
    return value && *value ? value : NULL;
}
