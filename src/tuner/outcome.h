/* Classifies status codes: what is at fault, and how the trial is stored. Pure functions. */
#pragma once

#include "store/store.h"

typedef enum gt_fault {
    GT_FAULT_NONE,
    GT_FAULT_VARIANT, /* the variant does not compile, launch, terminate or compute correctly */
    GT_FAULT_MACHINE, /* memory, a worker or the GPU was not available; a retry may succeed */
    GT_FAULT_CALLER   /* a mistake in the call or template, or a cancel */
} gt_fault;

typedef struct gt_ending {
    gputune_status status;
    gt_trial_status trial; /* status of the stored trial */
    gt_fault fault;
    enum {
        GT_KEEP_NEVER,
        GT_KEEP_REPEATED,
        GT_KEEP_ALWAYS
    } keep;                 /* when the trial is stored (gt_outcome_is_kept()) */
    bool costs_one_variant; /* false if this status fails the whole tuning */
    bool leaves_an_answer;  /* true if a choice without measuring may still answer the call */
} gt_ending;

const gt_ending *gt_ending_of(gputune_status status);
/* Returns true if a trial with this status is stored. For a crash or hang, `repeatable` must be
 * set: it happened again in another worker. */
bool gt_outcome_is_kept(gputune_status status, bool repeatable);
/* Returns the failure of a stored trial; OK if the trial was correct. */
gputune_status gt_trial_failure(gt_trial_status status);
