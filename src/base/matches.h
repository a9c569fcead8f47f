/* The paths that match a pattern of a shell. glibc's glob() is not used: it frees memory twice
 * where memory is short. */
#ifndef GT_BASE_MATCHES_H
#define GT_BASE_MATCHES_H

#include "base/array.h"
#include "base/status.h"

typedef struct gt_matches {
    GT_ARRAY(char *) paths; /* in ascending order; owned */
} gt_matches;

/* The paths of an absolute or relative pattern, in which *, ? and [] stand within one component, as
 * in fnmatch(3); a leading dot is matched by a dot alone. None is no failure, nor is a folder that
 * cannot be read. ENOMEM. *out is to be freed whatever the status. */
gputune_status gt_matches_find(gt_matches *out, const char *pattern);
void gt_matches_free(gt_matches *matches);

#endif
