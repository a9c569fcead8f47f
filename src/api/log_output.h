/* A tuner's log: to the application's callback, and where GPUTUNE_LOG says. */
#pragma once

#include "base/log.h"

typedef struct gt_log_output {
    gt_log application;
    int descriptor; /* of GPUTUNE_LOG's file, or of standard error; -1: none */
    bool owned;     /* the descriptor is ours to close */
    gputune_log_level level;
} gt_log_output;

/* Reads GPUTUNE_LOG: LEVEL or LEVEL:FILE, where LEVEL is error, warning, info or debug. */
void gt_log_output_open(gt_log_output *out, const gt_log *application);
void gt_log_output_close(gt_log_output *output);
/* The log that writes there; it lives as long as the output. Thread-safe: a line is one write. */
gt_log gt_log_output_log(gt_log_output *output);
