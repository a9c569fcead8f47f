/* The data proof launches variants on further data sets. Without it, these functions do nothing. */
#pragma once

#include "farm/measure_state.h"

/* Prepares the data proof if there is a reference. Fails only if the GPU is lost. */
gputune_status gt_data_proof_make(gt_measure *measure, const gt_measure_setup *setup);
/* Returns the device memory that the data proof will use; 0 if there will be none. */
uint64_t gt_data_proof_bytes(const gt_measure *measure, const gt_measure_setup *setup);
void gt_data_proof_free(gt_measure *measure);
/* Queues a variant's launch on the further data, except in the default's first proof. */
gputune_status gt_data_proof_queue(gt_measure *measure, gt_loaded *variant,
                                   const gt_verify_job *job);
/* Judges the launch of gt_data_proof_queue(), after its findings have arrived. In the default's
 * first proof, instead determines the data for other variants, and sets out->data_proof and
 * out->single. */
gputune_status gt_data_proof_judge(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                                   const gt_verify_job *job);
/* Prefixes a failure's message with a description of the further data. Returns `status`. */
gputune_status gt_data_proof_name(gputune_status status, const gt_measure *measure);
/* Marks the data proof's buffers as possibly damaged, because a variant has failed. */
void gt_data_proof_doubt(gt_measure *measure);
/* Proves a winner by many consecutive launches and on further data sets. Sets out->data_proof and
 * out->single. `share` is the fraction of gt_data_proof_winner_ns() that may be spent. */
gputune_status gt_data_proof_winner(gt_verified *out, gt_measure *measure, gt_loaded *variant,
                                    double share);
/* Returns the time that gt_data_proof_winner() takes with a share of 1. Sets *further_ns to the
 * part of that time that the first further data set takes. */
double gt_data_proof_winner_ns(double *further_ns, const gt_measure *measure);
