/* What the environment orders over the head of the application: GPUTUNE_DEBUG, GPUTUNE_DISABLE,
 * GPUTUNE_EFFORT, GPUTUNE_FORCE, GPUTUNE_RECORD. Read once, when a tuner is opened. */
#pragma once

#include "base/log.h"

#include <stdbool.h>

typedef struct gt_overrides {
    bool disabled;         /* every plan is the default */
    bool debug;            /* launches are checked with the driver's help */
    gputune_effort effort; /* of every call; 0: what the call asks */
    char *force;           /* "KERNEL:CONFIGURATION; ...", or NULL */
    const char *record;    /* the file of misses, or NULL; the environment's */
} gt_overrides;

/* Reads the variables. An unknown value is ignored with a warning. ENOMEM. */
gputune_status gt_overrides_read(gt_overrides *out, const gt_log *log);
/* Frees what belongs to them, and changes nothing else: a call that comes too late may still read
 * the numbers before it hears that its tuner is closed. */
void gt_overrides_free(gt_overrides *overrides);

/* The configuration that is forced on this kernel, or NULL; the caller frees it. ENOMEM. */
gputune_status gt_overrides_forced(char **out, const gt_overrides *overrides, const char *kernel);

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
