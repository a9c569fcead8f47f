/* The trial of a setup: further data on which variants are proved. Without a trial, the functions
 * do nothing. */
#pragma once

#include "farm/measure_state.h"

/* Makes the trial if there is a reference. Fails only if the GPU is lost. */
gputune_status gt_trial_make(gt_measure *measure, const gt_measure_setup *setup);
/* Returns the device memory that the trial will take; 0: there will be none. */
uint64_t gt_trial_bytes(const gt_measure *measure, const gt_measure_setup *setup);
void gt_trial_free(gt_measure *measure);
/* Queues a variant's launch on the trial's data, and the comparison. Does nothing for the default
 * variant when it is proved first. */
gputune_status gt_trial_queue(gt_measure *measure, gt_loaded *variant, const gt_verify_job *job);
/* Judges that launch, whose findings must have arrived. When the default variant is proved first,
 * finds out what it survives, which is demanded of others, and sets out->trial and out->single. */
gputune_status gt_trial_judge(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                              const gt_verify_job *job);
/* Prefixes a failure's message with the trial's data. Returns the status. */
gputune_status gt_trial_name(gputune_status status, const gt_measure *measure);
/* Notes that a variant failed, and may have damaged the trial's buffers. */
void gt_trial_doubt(gt_measure *measure);
/* Proves a winner by many launches in a row and on further data sets. Sets out->trial and
 * out->single. `share`: the part of gt_trial_winner_ns() that may be spent. */
gputune_status gt_trial_winner(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                               double share);
/* Returns how long gt_trial_winner() takes with a share of 1. *further_ns: the part for the first
 * further data set. */
double gt_trial_winner_ns(double *further_ns, const gt_measure *measure);
