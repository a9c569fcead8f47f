/* Counts misses, which are requests without a stored result, in a file that processes share. */
#pragma once

#include "tuner/request.h"

typedef struct gt_misses gt_misses;
/* A scenario that was requested without a stored result. The gt_misses owns it. */
typedef struct gt_miss gt_miss;

/* Opens a record of misses that is written to the file `path`. The caller closes *out by
 * gt_misses_close(). A file that cannot be written causes one warning in the log. ENOMEM. */
gputune_status gt_misses_open(gt_misses **out, const char *path, const gt_log *log);
/* Writes all counts that are not in the file yet, and frees the record. NULL is allowed. */
void gt_misses_close(gt_misses *misses);

/* Counts a request without a stored result. Returns the miss, or NULL if out of memory.
 * Thread-safe. */
gt_miss *gt_misses_note(gt_misses *misses, const gt_request *request);
/* Counts another request for the scenario of a miss. Writes the file each time the count has
 * doubled. Thread-safe. */
void gt_misses_again(gt_misses *misses, gt_miss *miss);

/* ---- the file -------------------------------------------------------------------------------- */

/* Adds `count` to the line with that key, or appends the line. Returns EBUSY if the file stayed
 * locked for 0.1 s, or EIO. */
gputune_status gt_misses_file_add(const char *path, const char *key, uint64_t count);
