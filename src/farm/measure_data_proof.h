/* The data proof of a setup, which launches variants on further data sets. If there is no data
 * proof, these functions do nothing. */
#pragma once

#include "farm/measure_state.h"

/* Prepares the data proof if there is a reference. Fails only if the GPU is lost. */
gputune_status gt_data_proof_make(gt_measure *measure, const gt_measure_setup *setup);
/* Returns how much device memory the data proof will use; 0: there will be no data proof. */
uint64_t gt_data_proof_bytes(const gt_measure *measure, const gt_measure_setup *setup);
void gt_data_proof_free(gt_measure *measure);
/* Queues a variant's launch on the further data, and the comparison. Does nothing for the default
 * variant when it is proved first. */
gputune_status gt_data_proof_queue(gt_measure *measure, gt_loaded *variant,
                                   const gt_verify_job *job);
/* Judges the launch of gt_data_proof_queue(), whose findings must have arrived. When the default
 * variant is proved first, determines the data that it survives, on which other variants are then
 * launched, and sets out->data_proof and out->single. */
gputune_status gt_data_proof_judge(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                                   const gt_verify_job *job);
/* Prefixes a failure's message with a description of the further data. Returns the status. */
gputune_status gt_data_proof_name(gputune_status status, const gt_measure *measure);
/* Records that a variant failed and may have damaged the data proof's buffers. */
void gt_data_proof_doubt(gt_measure *measure);
/* Proves a winner by many launches in a row and on further data sets. Sets out->data_proof and
 * out->single. `share` is the fraction of gt_data_proof_winner_ns() that may be spent. */
gputune_status gt_data_proof_winner(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                                    double share);
/* Returns how long gt_data_proof_winner() takes with a share of 1. Sets *further_ns to the part of
 * this time for the first further data set. */
double gt_data_proof_winner_ns(double *further_ns, const gt_measure *measure);
