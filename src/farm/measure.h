/* Measuring on one GPU in this process: inputs, reference, verification, samples. Runs inside the
 * measure worker; a bad variant may leave the process unable to use the GPU, which is why. One
 * thread. */
#ifndef GT_FARM_MEASURE_H
#define GT_FARM_MEASURE_H

#include "farm/job.h"

typedef struct gt_measure gt_measure;

/* Opens driver and device (`ordinal` among the visible ones) with a context of its own. ENODRIVER,
 * EBUSY (exclusive mode), EDEVMEM. */
gputune_status gt_measure_open(gt_measure **out, const char *driver, int ordinal);
void gt_measure_close(gt_measure *measure);
const gt_device *gt_measure_device(const gt_measure *measure);

/* Makes inputs and pristine copies, runs the reference twice and keeps its results. Replaces an
 * earlier setup. EDEVMEM before anything is allocated when it cannot fit; ETEMPLATE when the
 * reference differs from itself or fails. */
gputune_status gt_measure_prepare(gt_measure *measure, const gt_measure_setup *setup,
                                  gt_prepared *out);
/* EWRONG with place, value and expected in the message; ECRASHED after a fatal CUDA error (this
 * process is then lost: answer and exit); ECUDA for a refused load or launch. */
gputune_status gt_measure_verify(gt_measure *measure, const gt_verify_job *job, gt_verified *out);
/* Other seed, same checks, on workload 0. */
gputune_status gt_measure_recheck(gt_measure *measure, const gt_recheck_job *job, gt_verified *out);
/* `current` is set to each variant before it is touched, so that a watcher can name the culprit. */
gputune_status gt_measure_sample(gt_measure *measure, const gt_sample_job *job, gt_sampled *out,
                                 volatile uint64_t *current);
void gt_measure_drop(gt_measure *measure, uint64_t variant);

#endif
