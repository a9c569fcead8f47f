/* Counts misses, which are requests without a stored result, in a file that processes share. */
#pragma once

#include "tuner/request.h"

typedef struct gt_misses gt_misses;
/* A scenario that was requested and missed; owned by its gt_misses. */
typedef struct gt_miss gt_miss;

/* Opens a record that writes to the file `path`. The caller closes *out by gt_misses_close(). A
 * file that cannot be written causes one warning in the log. ENOMEM. */
gputune_status gt_misses_open(gt_misses **out, const char *path, const gt_log *log);
/* Writes all counts that are not in the file yet, and frees the record. NULL is allowed. */
void gt_misses_close(gt_misses *misses);

/* Counts a request without a stored result. Returns NULL if that fails. Thread-safe. */
gt_miss *gt_misses_note(gt_misses *misses, const gt_request *request);
/* Counts another request of a miss. The file is updated whenever the count has doubled.
 * Thread-safe. */
void gt_misses_again(gt_misses *misses, gt_miss *miss);

/* ---- the file -------------------------------------------------------------------------------- */

/* Adds `count` to the line with that key, or appends the line. EBUSY if the file was locked for 0.1
 * s; EIO. */
gputune_status gt_misses_file_add(const char *path, const char *key, uint64_t count);
