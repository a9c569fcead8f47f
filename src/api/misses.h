/* What a program asked for and no stored result answered, written to a file that many processes
 * share. */
#pragma once

#include "tuner/request.h"

typedef struct gt_misses gt_misses;
/* One scenario that was asked for; belongs to its gt_misses. */
typedef struct gt_miss gt_miss;

/* Misses are to be written to `path`. *out is for gt_misses_close(). ENOMEM only: a file that
 * cannot be written is told through the log, once. */
gputune_status gt_misses_open(gt_misses **out, const char *path, const gt_log *log);
/* Writes what is not written yet. NULL is allowed. */
void gt_misses_close(gt_misses *misses);

/* Counts a request that no stored result answered: the first one is written at once, others as by
 * gt_misses_again(). NULL if it cannot be counted. Thread-safe. */
gt_miss *gt_misses_note(gt_misses *misses, const gt_request *request);
/* Counts it once more; writes it when its count has doubled. Thread-safe. */
void gt_misses_again(gt_misses *misses, gt_miss *miss);

/* ---- the file -------------------------------------------------------------------------------- */

/* Adds `count` to the line of that key, which has no line break, or appends a line. EBUSY: other
 * processes kept the file locked for 0.1 s. EIO. */
gputune_status gt_misses_file_add(const char *path, const char *key, uint64_t count);
