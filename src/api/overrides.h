/* Environment variables that override the application: GPUTUNE_DEBUG, _DISABLE, _EFFORT, _FORCE,
 * _PINNED, _RECORD and _LOG. They are read when a tuner is opened. */
#pragma once

#include "base/status.h"

#include <stdbool.h>

typedef struct gt_overrides {
    bool disabled;         /* true if every plan uses the default configuration */
    bool debug;            /* true if each launch's buffers are checked with the driver */
    gputune_effort effort; /* effort of every call; 0: the effort that the call requests */
    char *force;           /* "KERNEL:CONFIGURATION; ..."; NULL if nothing is forced */
    const char *record;    /* path of the file of misses, or NULL; points to the environment */
    const char *pinned;    /* path of the pinned wisdom file, or NULL; points to the environment */
} gt_overrides;

/* Reads the variables. Ignores unknown values with a warning. Fails only with ENOMEM. */
gputune_status gt_overrides_read(gt_overrides *out, const gt_log *log);
/* Frees `force` only, because calls that begin while the tuner is closing still read the flags. */
void gt_overrides_free(gt_overrides *overrides);

/* Sets *out to the configuration forced for a kernel, or to NULL. The caller frees *out. Fails only
 * with ENOMEM. */
gputune_status gt_overrides_forced(char **out, const gt_overrides *overrides, const char *kernel);

typedef struct gt_log_output {
    gt_log application;
    int descriptor; /* the file of GPUTUNE_LOG, or standard error; -1 if logging is off */
    gputune_log_level level;
} gt_log_output;

/* Reads GPUTUNE_LOG: "LEVEL" or "LEVEL:FILE", where LEVEL is error, warning, info or debug. */
void gt_log_output_open(gt_log_output *out, const gt_log *application);
void gt_log_output_close(gt_log_output *output);
/* Returns a log that writes to this output. The output must outlive the log. Thread-safe. */
gt_log gt_log_output_log(gt_log_output *output);
