/* Measures on one GPU: makes inputs, runs the reference, proves variants and takes samples. Runs in
 * the measure worker, because a bad variant may leave its process unable to use the GPU. All calls
 * come from one thread. The functions are in measure.c, measure_verify.c and measure_sample.c.
 *
 * The proof. A variant is correct if it computes what the reference computes, whatever the memory
 * contained before. Therefore memory that it must write is poisoned before each launch, each time
 * with different poison. Memory that it must not write is checked afterwards: inputs by hashes,
 * guard zones around buffers, and a sweep buffer far away. Results are compared within tolerances.
 * measure_verify.c describes the steps.
 *
 * Invariants.
 * - After a failure, measure->damage names the buffers that may have been overwritten. They are
 *   filled again before the next use.
 * - A fatal CUDA error sets measure->lost. Then the process answers and exits, and the host starts
 *   another worker. The host knows the culprit, because each variant is reported by
 *   gt_current_set() before the GPU is used for it. */
#pragma once

#include "farm/job.h"
#include "farm/worker.h"

typedef struct gt_measure gt_measure;

/* Starts the driver and finds a device. gt_measure_close() frees *out. ENODRIVER. */
gputune_status gt_measure_open(gt_measure **out, const char *driver, int ordinal);
/* Makes the device's primary context current on this thread, which must make all later calls. EBUSY
 * if another process uses the device exclusively; EDEVMEM. */
gputune_status gt_measure_attach(gt_measure *measure);
void gt_measure_close(gt_measure *measure);
const gt_device *gt_measure_device(const gt_measure *measure);

/* Prepares a setup, which replaces the last setup and its variants. Makes the inputs and runs the
 * reference twice. If the template states no tolerance, also runs the reference with slightly
 * changed inputs (kernel/bind/tolerance.h). Only the timed workload has data from the host. The
 * inputs of the odd-tail workload are generated, and its buffers are aligned only as far as
 * promised. EUNSUPPORTED for the objective energy without an energy counter. EDEVMEM, before any
 * allocation, if the setup does not fit. ETEMPLATE if the reference fails, or if its runs differ by
 * more than the tolerance. */
gputune_status gt_measure_prepare(gt_measure *measure, const gt_measure_setup *setup,
                                  gt_prepared *out);
/* Prepares the data proof of a prepared setup, and sets out->try_ns, data_proof_ns and further_ns.
 * ECRASHED if an experiment made the GPU unusable; another process can skip that experiment. */
gputune_status gt_measure_try(gt_measure *measure, const gt_measure_setup *setup, gt_prepared *out);
/* Sets the object that reports the current work to the host; NULL: there is no host. */
void gt_measure_attend(gt_measure *measure, gt_current *current);
/* Sets the experiments that the next data proof skips, because they ended workers. */
void gt_measure_leave_out(gt_measure *measure, const gt_lost *lost);
/* Loads and proves a variant, replacing an earlier variant with this id. EWRONG if results are
 * unwritten or beyond the tolerance, inputs have changed, or guard zones are overwritten. The
 * message then contains the place, both values, the tolerance, and a tolerance that would accept
 * the value. ECRASHED after a fatal CUDA error, ECUDA if CUDA refuses to load or launch. pilot_ns
 * is the time between events around one launch with a cold cache. Above 50 us it is as good as a
 * quick sample, below 10 us it is mostly overhead. */
gputune_status gt_measure_verify(gt_measure *measure, const gt_verify_job *job, gt_verified *out);
/* Proves a loaded variant again on the timed workload and on the data sets of the data proof. If
 * there is a reference, the timed workload has inputs from job->seed. */
gputune_status gt_measure_recheck(gt_measure *measure, const gt_recheck_job *job, gt_verified *out);
/* Takes one sample of each variant, in the job's order. Each variant is reported to the host before
 * its sample. A value is NaN if the variant is not loaded or cannot be launched. Fails if no
 * variant could be sampled; EUNSUPPORTED if the objective cannot be measured. The caller frees
 * out->values. Times of emulated devices are modelled. */
gputune_status gt_measure_sample(gt_measure *measure, const gt_sample_job *job, gt_sampled *out);
/* Forgets a variant; an unknown id is ignored. A small variant may stay loaded. */
void gt_measure_drop(gt_measure *measure, uint64_t variant);
