/* Warnings and progress messages, passed to a callback of the caller if there is one. */
#pragma once

#include "base/status.h"

typedef struct gt_log {
    gputune_log_fn call; /* NULL: lines are dropped */
    void *user;
} gt_log;

/* Writes one line, cut at 1 KB and with newlines replaced by spaces. Drops it if `log` is NULL. */
void gt_log_line(const gt_log *log, gputune_log_level level, const char *format, ...)
    GT_PRINTF(3, 4);
