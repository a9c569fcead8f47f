/* The table of statuses, for a variant and for a call. */
#include "tuner/outcome.h"

typedef enum keep { KEEP_NEVER, KEEP_REPEATED, KEEP_ALWAYS } keep;

typedef struct outcome {
    gputune_status status;
    gt_trial_status trial;
    gt_fault fault;
    keep keep;
    bool costs_one_variant, leaves_an_answer;
} outcome;

/* For a call, ETIMEOUT means that its limit has passed. A status that is not in the table is a
 * failure of the call, without an answer. */
static const outcome outcomes[] = {
    /* status, trial, whose fault, kept, costs one variant, leaves an answer */
    {GPUTUNE_OK, GT_TRIAL_OK, GT_FAULT_NONE, KEEP_ALWAYS, false, false},
    {GPUTUNE_EWRONG, GT_TRIAL_WRONG, GT_FAULT_VARIANT, KEEP_ALWAYS, true, false},
    {GPUTUNE_ECRASHED, GT_TRIAL_CRASHED, GT_FAULT_VARIANT, KEEP_REPEATED, true, false},
    {GPUTUNE_ETIMEOUT, GT_TRIAL_HUNG, GT_FAULT_VARIANT, KEEP_REPEATED, true, true},
    /* the trial of a compile that did not end */
    {GPUTUNE_ETIMEOUT, GT_TRIAL_SLOW, GT_FAULT_VARIANT, KEEP_REPEATED, true, true},
    {GPUTUNE_ECOMPILE, GT_TRIAL_COMPILE, GT_FAULT_VARIANT, KEEP_ALWAYS, true, false},
    {GPUTUNE_ECUDA, GT_TRIAL_LAUNCH, GT_FAULT_VARIANT, KEEP_ALWAYS, true, false},
    {GPUTUNE_EDEVMEM, GT_TRIAL_LAUNCH, GT_FAULT_MACHINE, KEEP_NEVER, true, true},
    {GPUTUNE_EWORKER, GT_TRIAL_LAUNCH, GT_FAULT_MACHINE, KEEP_NEVER, false, true},
    {GPUTUNE_EBUSY, GT_TRIAL_LAUNCH, GT_FAULT_MACHINE, KEEP_NEVER, false, true},
    {GPUTUNE_ECANCELED, GT_TRIAL_LAUNCH, GT_FAULT_CALLER, KEEP_NEVER, false, true},
};

static const outcome *find(gputune_status status)
{
    static const outcome other = {GPUTUNE_EINVAL, GT_TRIAL_LAUNCH, GT_FAULT_CALLER,
                                  KEEP_NEVER,     false,           false};
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
        if (outcomes[i].status == status) {
            return &outcomes[i];
        }
    }
    return &other;
}

gt_fault gt_outcome_fault(gputune_status status)
{
    return find(status)->fault;
}

bool gt_outcome_costs_one_variant(gputune_status status)
{
    return find(status)->costs_one_variant;
}

bool gt_outcome_leaves_an_answer(gputune_status status)
{
    return find(status)->leaves_an_answer;
}

bool gt_outcome_is_kept(gputune_status status, bool repeatable)
{
    keep kept = find(status)->keep;
    return kept == KEEP_ALWAYS || (kept == KEEP_REPEATED && repeatable);
}

gt_trial_status gt_outcome_trial(gputune_status status)
{
    return find(status)->trial;
}

gputune_status gt_trial_failure(gt_trial_status status)
{
    for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
        if (outcomes[i].trial == status && outcomes[i].fault == GT_FAULT_VARIANT) {
            return outcomes[i].status;
        }
    }
    return GPUTUNE_OK;
}
