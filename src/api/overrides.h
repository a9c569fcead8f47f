/* The environment variables that override the application's calls: GPUTUNE_DEBUG, GPUTUNE_DISABLE,
 * GPUTUNE_EFFORT, GPUTUNE_FORCE, GPUTUNE_RECORD. They are read once, when a tuner is opened. */
#pragma once

#include "base/status.h"

#include <stdbool.h>

typedef struct gt_overrides {
    bool disabled;         /* every plan is the default */
    bool debug;            /* launches are checked with the driver's help */
    gputune_effort effort; /* effort of every call; 0: the effort that the call asks for */
    char *force;           /* "KERNEL:CONFIGURATION; ...", or NULL */
    const char *record;    /* path of the file of misses, or NULL; owned by the environment */
} gt_overrides;

/* Reads the variables. An unknown value is ignored with a warning. ENOMEM. */
gputune_status gt_overrides_read(gt_overrides *out, const gt_log *log);
/* Frees `force` alone: a late call may read the flags before it learns of the close. */
void gt_overrides_free(gt_overrides *overrides);

/* *out is the configuration that is forced on this kernel, or NULL; the caller frees it. ENOMEM. */
gputune_status gt_overrides_forced(char **out, const gt_overrides *overrides, const char *kernel);

typedef struct gt_log_output {
    gt_log application;
    int descriptor; /* GPUTUNE_LOG's file, or standard error; -1: none */
    bool owned;     /* gt_log_output_close() closes the descriptor */
    gputune_log_level level;
} gt_log_output;

/* Reads GPUTUNE_LOG: LEVEL or LEVEL:FILE, where LEVEL is error, warning, info or debug. */
void gt_log_output_open(gt_log_output *out, const gt_log *application);
void gt_log_output_close(gt_log_output *output);
/* The log of this output, which must outlive it. Thread-safe: each line is one write. */
gt_log gt_log_output_log(gt_log_output *output);
