/* Measuring on one GPU in this process: inputs, reference, verification, samples. Runs inside the
 * measure worker; a bad variant may leave the process unable to use the GPU, which is why. One
 * thread. */
#ifndef GT_FARM_MEASURE_H
#define GT_FARM_MEASURE_H

#include "farm/job.h"

typedef struct gt_measure gt_measure;

/* Starts the driver and finds the device (`ordinal` among the visible ones). ENODRIVER. *out is the
 * caller's, for gt_measure_close(). */
gputune_status gt_measure_open(gt_measure **out, const char *driver, int ordinal);
/* Makes the device's primary context current on this thread, which every later call must come from
 * too. EBUSY (exclusive mode), EDEVMEM. */
gputune_status gt_measure_attach(gt_measure *measure);
void gt_measure_close(gt_measure *measure);
const gt_device *gt_measure_device(const gt_measure *measure);

/* Makes inputs and pristine copies, runs the reference twice (and a few times with moved inputs
 * where the tolerance follows from that: kernel/tolerance.h) and keeps its results on the device.
 * Replaces an earlier setup and its variants. Nothing of `setup` is used after the return. The
 * caller's inputs serve the timed workload only; the awkward one, which they may not fit, has
 * generated ones, and its buffers are aligned exactly as promised and no better. Without a
 * reference the first verified variant is one. EUNSUPPORTED where the objective is energy and no
 * counter of it can be read. EDEVMEM before anything is allocated when it cannot
 * fit; ETEMPLATE when the reference differs from itself by more than the tolerance, or fails (it
 * may take the process along, as any kernel). */
gputune_status gt_measure_prepare(gt_measure *measure, const gt_measure_setup *setup,
                                  gt_prepared *out);
/* Loads a variant (replacing one of that id) and proves it as an application will use it: two
 * launches on every workload, outputs and scratch poisoned before the first, outputs poisoned
 * otherwise and inout restored before the second, scratch left as it is; shared memory littered
 * before each. EWRONG with place, value, expected, tolerance and the atol that would have accepted
 * it in the message: outputs beyond the tolerance or left unwritten (after either launch on the
 * awkward workload, after the second on the timed one), guard zones of 1 KB before and 4 KB behind
 * each buffer overwritten, inputs changed. An element that the reference leaves unwritten as well
 * is no part of the result; without a reference there is none such. A variant that is not right is
 * not kept. ECRASHED after a fatal CUDA error (this process is then lost: answer and exit); ECUDA
 * for a refused load or launch. pilot_ns is one launch by an event pair, with the cache as cold as
 * before a sample: above 50 us as good as a quick one, below 10 us mostly overhead. */
gputune_status gt_measure_verify(gt_measure *measure, const gt_verify_job *job, gt_verified *out);
/* The same on the timed workload with another seed (without a reference the same): the first launch
 * finds the scratch that earlier ones and samples left, the second new scratch; the results of both
 * are compared. */
gputune_status gt_measure_recheck(gt_measure *measure, const gt_recheck_job *job, gt_verified *out);
/* One sample of each variant in the job's order, NaN for one that is not loaded or whose launch is
 * refused; fails when none could be sampled, with EUNSUPPORTED where the objective cannot be
 * measured here. `current` is set to each variant before it is touched, so that a watcher can name
 * the culprit, and to GT_NO_VARIANT when all went well. out->values is the caller's to free.
 * Emulated devices answer with modelled times. */
gputune_status gt_measure_sample(gt_measure *measure, const gt_sample_job *job, gt_sampled *out,
                                 volatile uint64_t *current);
/* Takes a variant out; an unknown one is no error. Small ones are unloaded later. */
void gt_measure_drop(gt_measure *measure, uint64_t variant);

#endif
