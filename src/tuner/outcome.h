/* Classifies statuses: what is to blame, and how the trial is stored. Pure functions. */
#pragma once

#include "store/store.h"

typedef enum gt_fault {
    GT_FAULT_NONE,
    GT_FAULT_VARIANT, /* the variant does not compile or launch, never ends, or is wrong */
    GT_FAULT_MACHINE, /* memory, a worker or a GPU was missing; another attempt may succeed */
    GT_FAULT_CALLER   /* a mistake in the call or the template, or a cancel */
} gt_fault;

typedef struct gt_ending {
    gputune_status status;
    gt_trial_status trial; /* status of the trial that is stored */
    gt_fault fault;
    enum {
        GT_KEEP_NEVER,
        GT_KEEP_REPEATED,
        GT_KEEP_ALWAYS
    } keep;                 /* when to store the trial (gt_outcome_is_kept()) */
    bool costs_one_variant; /* false if the whole tuning fails */
    bool leaves_an_answer;  /* true if the call can still be answered without measuring */
} gt_ending;

const gt_ending *gt_ending_of(gputune_status status);
/* Returns true if a trial with this status should be stored. A crash or hang is stored only if it
 * is repeatable: it happened again in another worker. */
bool gt_outcome_is_kept(gputune_status status, bool repeatable);
/* Returns the failure of a stored trial; OK if it was correct. */
gputune_status gt_trial_failure(gt_trial_status status);
