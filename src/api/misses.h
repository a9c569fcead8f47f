/* Records misses, which are requests without a stored result, in a file that processes share. */
#pragma once

#include "tuner/request.h"

typedef struct gt_misses gt_misses;
/* One scenario that was asked for and missed; owned by its gt_misses. */
typedef struct gt_miss gt_miss;

/* Opens a record of misses, which are written to `path`. *out is for gt_misses_close(). Fails with
 * ENOMEM only: a file that cannot be written causes one warning in the log. */
gputune_status gt_misses_open(gt_misses **out, const char *path, const gt_log *log);
/* Writes the counts that are not written yet, and frees all misses. NULL is allowed. */
void gt_misses_close(gt_misses *misses);

/* Counts a request that no stored result answered. The first request of a scenario is written at
 * once, later ones as by gt_misses_again(). NULL if the request cannot be counted. Thread-safe. */
gt_miss *gt_misses_note(gt_misses *misses, const gt_request *request);
/* Counts a miss once more, and writes its count whenever that has doubled. Thread-safe. */
void gt_misses_again(gt_misses *misses, gt_miss *miss);

/* ---- the file -------------------------------------------------------------------------------- */

/* Adds `count` to the line `key`, or appends it. EBUSY: the file was locked for 0.1 s. EIO. */
gputune_status gt_misses_file_add(const char *path, const char *key, uint64_t count);
