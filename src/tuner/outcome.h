/* The meaning of each status: what is at fault, which status its trial has, and whether the trial
 * is remembered. Pure. */
#pragma once

#include "store/store.h"

typedef enum gt_fault {
    GT_FAULT_NONE,
    GT_FAULT_VARIANT, /* the variant does not compile, launch, end or compute correctly */
    GT_FAULT_MACHINE, /* memory, a worker or the GPU was unavailable; the variant may work later */
    GT_FAULT_CALLER   /* a mistake in the call or the template, or a cancel */
} gt_fault;

typedef struct gt_ending {
    gputune_status status;
    gt_trial_status trial; /* the status of its trial */
    gt_fault fault;
    enum {
        GT_KEEP_NEVER,
        GT_KEEP_REPEATED,
        GT_KEEP_ALWAYS
    } keep; /* when its trial is remembered (gt_outcome_is_kept()) */
    /* false if the failure ends the whole tuning instead of only the variant */
    bool costs_one_variant;
    bool leaves_an_answer; /* true if the call is still answered without measuring */
} gt_ending;

const gt_ending *gt_ending_of(gputune_status status);
/* Returns true if a trial with this failure is remembered. A crash or a hang is remembered only if
 * it is `repeatable`: it happened again in another worker. */
bool gt_outcome_is_kept(gputune_status status, bool repeatable);
/* Returns the failure of a stored trial, or OK if the trial was correct. */
gputune_status gt_trial_failure(gt_trial_status status);
