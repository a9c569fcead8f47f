/* One table of statuses. It says whose fault each status is, which status a trial has that ends
 * with it, and whether that trial is remembered. Pure. */
#pragma once

#include "store/store.h"

typedef enum gt_fault {
    GT_FAULT_NONE,
    GT_FAULT_VARIANT, /* the variant's: it does not compile, launch, end or compute right */
    GT_FAULT_MACHINE, /* memory, a worker, another user of the GPU: the variant may work another
                         time */
    GT_FAULT_CALLER   /* the caller's: a mistake in the call or the template, or a cancel */
} gt_fault;

/* Whose fault a failure is. */
gt_fault gt_outcome_fault(gputune_status status);
/* Whether a job that failed with this status removes only its variant from a tuning; else the
 * tuning fails. */
bool gt_outcome_costs_one_variant(gputune_status status);
/* Whether a call whose measuring ended with this status is still answered, with what is known
 * without measuring. */
bool gt_outcome_leaves_an_answer(gputune_status status);
/* Whether a trial that failed with this status is remembered. `repeatable` as in gt_event: a crash
 * or a hang is believed if it happened again in another worker. */
bool gt_outcome_is_kept(gputune_status status, bool repeatable);
/* The status of a trial that ended with this status. */
gt_trial_status gt_outcome_trial(gputune_status status);
/* The failure of a stored trial; OK if it was right. */
gputune_status gt_trial_failure(gt_trial_status status);
