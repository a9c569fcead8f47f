/* One table: whose fault each status is, which status its trial has, if it is remembered. Pure. */
#pragma once

#include "store/store.h"

typedef enum gt_fault {
    GT_FAULT_NONE,
    GT_FAULT_VARIANT, /* the variant's: it does not compile, launch, end or compute right */
    GT_FAULT_MACHINE, /* of memory, a worker, another user of the GPU: it may work later */
    GT_FAULT_CALLER   /* the caller's: a mistake in the call or the template, or a cancel */
} gt_fault;

/* The meaning of a status for the job or the call that ended with it. */
typedef struct gt_ending {
    gputune_status status;
    gt_trial_status trial; /* of a trial that ended so */
    gt_fault fault;
    enum { GT_KEEP_NEVER, GT_KEEP_REPEATED, GT_KEEP_ALWAYS } keep; /* by gt_outcome_is_kept() */
    bool costs_one_variant; /* a failed job removes only its variant; else the tuning fails */
    bool leaves_an_answer;  /* the call is still answered, with what is known unmeasured */
} gt_ending;

const gt_ending *gt_ending_of(gputune_status status);
/* Returns true if a trial that failed with this status is remembered. `repeatable` as in gt_event:
 * a crash or a hang is believed if it happened again in another worker. */
bool gt_outcome_is_kept(gputune_status status, bool repeatable);
/* The failure of a stored trial; OK if it was right. */
gputune_status gt_trial_failure(gt_trial_status status);
