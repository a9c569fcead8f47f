/* The table of statuses. */
#include "tuner/outcome.h"

/* Unlisted statuses fail the call. ETIMEOUT means that a variant hung or took too long. */
static const gt_ending endings[] = {
    /* columns: status, trial, fault, keep, costs_one_variant, leaves_an_answer */
    {GPUTUNE_OK, GT_TRIAL_OK, GT_FAULT_NONE, GT_KEEP_ALWAYS, false, false},
    {GPUTUNE_EWRONG, GT_TRIAL_WRONG, GT_FAULT_VARIANT, GT_KEEP_ALWAYS, true, false},
    {GPUTUNE_ECRASHED, GT_TRIAL_CRASHED, GT_FAULT_VARIANT, GT_KEEP_REPEATED, true, false},
    {GPUTUNE_ETIMEOUT, GT_TRIAL_HUNG, GT_FAULT_VARIANT, GT_KEEP_REPEATED, true, true},
    /* for a variant that was not compiled in time; used only by gt_trial_failure() */
    {GPUTUNE_ETIMEOUT, GT_TRIAL_SLOW, GT_FAULT_VARIANT, GT_KEEP_REPEATED, true, true},
    {GPUTUNE_ECOMPILE, GT_TRIAL_COMPILE, GT_FAULT_VARIANT, GT_KEEP_ALWAYS, true, false},
    {GPUTUNE_ECUDA, GT_TRIAL_LAUNCH, GT_FAULT_VARIANT, GT_KEEP_ALWAYS, true, false},
    {GPUTUNE_EDEVMEM, GT_TRIAL_LAUNCH, GT_FAULT_MACHINE, GT_KEEP_NEVER, true, true},
    {GPUTUNE_EWORKER, GT_TRIAL_LAUNCH, GT_FAULT_MACHINE, GT_KEEP_NEVER, false, true},
    {GPUTUNE_EBUSY, GT_TRIAL_LAUNCH, GT_FAULT_MACHINE, GT_KEEP_NEVER, false, true},
    {GPUTUNE_ECANCELED, GT_TRIAL_LAUNCH, GT_FAULT_CALLER, GT_KEEP_NEVER, false, true},
};

const gt_ending *gt_ending_of(gputune_status status)
{
    static const gt_ending other = {GPUTUNE_EINVAL, GT_TRIAL_LAUNCH, GT_FAULT_CALLER,
                                    GT_KEEP_NEVER,  false,           false};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (endings[i].status == status) {
            return &endings[i];
        }
    }
    return &other;
}

bool gt_outcome_is_kept(gputune_status status, bool repeatable)
{
    int kept = gt_ending_of(status)->keep;
    return kept == GT_KEEP_ALWAYS || (kept == GT_KEEP_REPEATED && repeatable);
}

gputune_status gt_trial_failure(gt_trial_status status)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (endings[i].trial == status && endings[i].fault == GT_FAULT_VARIANT) {
            return endings[i].status;
        }
    }
    return GPUTUNE_OK;
}
