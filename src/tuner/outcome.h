/* What can become of a variant or of a call: one table of statuses, whose fault each is, what a
 * trial of it is called, and whether it is worth remembering. Pure. */
#ifndef GT_TUNER_OUTCOME_H
#define GT_TUNER_OUTCOME_H

#include "store/store.h"

typedef enum gt_fault {
    GT_FAULT_NONE,
    GT_FAULT_VARIANT, /* the variant's: it does not compile, launch, end or compute right */
    GT_FAULT_MACHINE, /* memory, a worker, another user of the GPU: another time it may work */
    GT_FAULT_CALLER   /* the caller's: a mistake in the call or the template, or a cancel */
} gt_fault;

/* Whose fault a failure is. */
gt_fault gt_outcome_fault(gputune_status status);
/* Whether a job that failed so takes only its variant out of a tuning; else the tuning fails. */
bool gt_outcome_costs_one_variant(gputune_status status);
/* Whether a call whose measuring ended so is still answered with what is known without it. */
bool gt_outcome_leaves_an_answer(gputune_status status);
/* Whether a trial that failed so is remembered; `repeatable` as in gt_event: a crash or a hang is
 * believed when it happened again in another worker. */
bool gt_outcome_is_kept(gputune_status status, bool repeatable);
/* The status of a trial that ended so. */
gt_trial_status gt_outcome_trial(gputune_status status);
/* The failure that a stored trial stands for; OK of one that was right. */
gputune_status gt_trial_failure(gt_trial_status status);

#endif
