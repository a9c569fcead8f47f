/* Counts misses in a file that several processes share. A miss is a request without a stored
 * result. */
#pragma once

#include "tuner/request.h"

typedef struct gt_misses gt_misses;
/* A scenario that was requested without a stored result; owned by the gt_misses. */
typedef struct gt_miss gt_miss;

/* Makes a counter of misses that writes to the file `path`. The caller closes *out with
 * gt_misses_close(). If the file cannot be written, one warning is logged. Fails only with
 * ENOMEM. */
gputune_status gt_misses_open(gt_misses **out, const char *path, const gt_log *log);
/* Writes all counts that are not in the file yet, and frees the counter. If the file stays locked,
 * stops writing after about a second. NULL is allowed. */
void gt_misses_close(gt_misses *misses);

/* Counts a request without a stored result. Returns NULL if out of memory. Thread-safe. */
gt_miss *gt_misses_note(gt_misses *misses, const gt_request *request);
/* Counts another request for the scenario of a miss. Writes the count to the file whenever it has
 * doubled. Thread-safe. */
void gt_misses_again(gt_misses *misses, gt_miss *miss);

/* ---- the file -------------------------------------------------------------------------------- */

/* Adds `count` to the line with the key, or appends a line. EBUSY if another process keeps the file
 * locked for 0.1 s; EIO if the file cannot be written. */
gputune_status gt_misses_file_add(const char *path, const char *key, uint64_t count);
