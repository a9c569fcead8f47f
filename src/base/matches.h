/* The paths that match a pattern of a shell. glibc's glob() is not used: it frees memory twice
 * where memory is short. */
#pragma once

#include "base/array.h"
#include "base/status.h"

/* Finds the paths that match an absolute or relative pattern, in which *, ? and [] stand within one
 * component, as in fnmatch(3); a leading dot is matched by a dot alone. No match is no failure, nor
 * is a folder that cannot be read. The paths are in ascending order. ENOMEM. gt_texts_free()
 * releases *out, whatever the status. */
gputune_status gt_matches_find(gt_texts *out, const char *pattern);
