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
