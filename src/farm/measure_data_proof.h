/* The data proof: launches variants with further data sets. Does nothing if a setup has none. */
#pragma once

#include "farm/measure_state.h"

/* Prepares the data proof if there is a reference or a check kernel. Fails only if the GPU is
 * lost. */
gputune_status gt_data_proof_make(gt_measure *measure, const gt_measure_setup *setup);
/* Returns how much device memory the data proof will use; 0 if there will be none. */
uint64_t gt_data_proof_bytes(const gt_measure *measure, const gt_measure_setup *setup);
void gt_data_proof_free(gt_measure *measure);
/* Queues a launch of a variant with further data, except in the first proof of the default. */
gputune_status gt_data_proof_queue(gt_measure *measure, gt_loaded *variant,
                                   const gt_verify_job *job);
/* Judges the launch of gt_data_proof_queue(), after its findings have arrived. In the first proof
 * of the default variant, determines the data for the other variants instead, and sets
 * out->data_proof and out->single. */
gputune_status gt_data_proof_judge(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                                   const gt_verify_job *job);
/* After a failure, adds a description of the further data to the message. Returns `status`. */
gputune_status gt_data_proof_name(gputune_status status, const gt_measure *measure);
/* Calls gt_contents_doubt() for the buffers of the data proof. */
gputune_status gt_data_proof_doubt(gt_measure *measure, gputune_status status);
/* Proves a winner by many consecutive launches and with further data sets. Sets out->data_proof and
 * out->single. Spends at most the fraction `share` of gt_data_proof_winner_ns(). */
gputune_status gt_data_proof_winner(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                                    double share);
/* Returns how long gt_data_proof_winner() takes if `share` is 1. Sets *further_ns to the time to
 * make the first further data set, which is included. */
double gt_data_proof_winner_ns(double *further_ns, const gt_measure *measure);
