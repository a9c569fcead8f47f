/* The environment, read in one place. In a program that has more rights than its caller, it is the
 * caller's, and must not choose what is loaded, started or trusted. */
#ifndef GT_BASE_ENVIRONMENT_H
#define GT_BASE_ENVIRONMENT_H

#include <stdlib.h>

/* The value of a variable; NULL if it is not set, or if this program was started set-uid, set-gid
 * or with added capabilities. The string is the environment's. */
static inline const char *gt_environment(const char *name)
{
    return secure_getenv(name);
}

#endif
