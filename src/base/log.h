/* Where warnings and progress texts go: a callback of the caller's, or nowhere. */
#pragma once

#include "base/status.h"

typedef struct gt_log {
    gputune_log_fn call; /* NULL: lines are dropped */
    void *user;
} gt_log;

/* Writes one line to the log. The text is cut at 1 KB, and newlines become spaces. A NULL log drops
 * the line. */
void gt_log_line(const gt_log *log, gputune_log_level level, const char *format, ...)
    GT_PRINTF(3, 4);
