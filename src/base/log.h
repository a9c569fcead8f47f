/* Where warnings and progress texts go: a callback of the caller's, or nowhere. */
#pragma once

#include "base/status.h"

typedef struct gt_log {
    gputune_log_fn call; /* NULL: dropped */
    void *user;
} gt_log;

/* One line: cut at 1 KB, newlines become spaces. NULL log: dropped. */
void gt_log_line(const gt_log *log, gputune_log_level level, const char *format, ...)
    GT_PRINTF(3, 4);
