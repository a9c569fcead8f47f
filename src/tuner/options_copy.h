/* Options that outlive the call that they were given to. */
#pragma once

#include "base/status.h"

#include <stdbool.h>

/* A call's kernel, sizes and options, with texts and lists of its own. Callbacks, `user` and
 * `cancel` stay the caller's. */
typedef struct gt_call_copy {
    char *kernel;
    gputune_sizes sizes;
    gputune_options options;      /* of the newest version */
    struct gt_call_block *blocks; /* what is copied */
    bool failed;                  /* memory was short */
} gt_call_copy;

/* Copies a call. EINVAL for options with inputs, files or a reference function, which belong to
 * the call. *out is for gt_call_copy_free(), whatever the status. */
gputune_status gt_call_copy_make(gt_call_copy *out, const char *kernel, gputune_sizes sizes,
                                 const gputune_options *options);
void gt_call_copy_free(gt_call_copy *copy);
