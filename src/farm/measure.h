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

/* Starts the driver and finds the visible device with this index. The caller closes *out with
 * gt_measure_close(). ENODRIVER. */
gputune_status gt_measure_open(gt_measure **out, const char *driver, int ordinal);
/* Makes the device's primary context current on this thread. All later calls must be made on this
 * thread. EBUSY if another process uses the device exclusively; EDEVMEM. */
gputune_status gt_measure_attach(gt_measure *measure);
void gt_measure_close(gt_measure *measure);
const gt_device *gt_measure_device(const gt_measure *measure);

/* Prepares a setup, which replaces the last one and its variants. Makes the inputs and runs the
 * reference twice. If the template states no tolerance, runs the reference a few more times with
 * moved inputs (kernel/bind/tolerance.h). Data from the host are used only for the timed workload;
 * the odd-tail workload has generated inputs, in buffers aligned exactly as promised. Returns
 * EUNSUPPORTED if the objective is energy and there is no energy counter; EDEVMEM if the setup does
 * not fit, before anything is allocated; ETEMPLATE if the reference fails, or if its runs differ by
 * more than the tolerance. */
gputune_status gt_measure_prepare(gt_measure *measure, const gt_measure_setup *setup,
                                  gt_prepared *out);
/* Prepares the data proof of a prepared setup. Sets out->try_ns, out->data_proof_ns and
 * out->further_ns. ECRASHED if an experiment lost the GPU; another process can then leave that
 * experiment out. */
gputune_status gt_measure_try(gt_measure *measure, const gt_measure_setup *setup, gt_prepared *out);
/* Sets `current`, through which reports are sent to the host. NULL: there is no host. */
void gt_measure_attend(gt_measure *measure, gt_current *current);
/* Sets the experiments that the next data proof leaves out, because they ended workers. */
void gt_measure_leave_out(gt_measure *measure, const gt_lost *lost);
/* Loads and proves a variant, replacing an earlier one with this id. Returns EWRONG if outputs are
 * unwritten or beyond the tolerance, inputs have changed, or guard zones are overwritten. The
 * message then contains the place, both values, the tolerance, and a tolerance that would accept
 * the value. Returns ECRASHED after a fatal CUDA error, ECUDA if CUDA refuses to load or launch.
 *
 * Sets pilot_ns to the time between two events around one launch with a cold cache. Above 50 us it
 * is as good as a quick sample; below 10 us it is mostly overhead. */
gputune_status gt_measure_verify(gt_measure *measure, const gt_verify_job *job, gt_verified *out);
/* Proves a loaded variant again on the timed workload, with inputs of job->seed if there is a
 * reference, and then on the data sets of the data proof. */
gputune_status gt_measure_recheck(gt_measure *measure, const gt_recheck_job *job, gt_verified *out);
/* Takes one sample of each variant, in the job's order. The value is NaN if a variant is not loaded
 * or its launch is refused. Each variant is reported to the host before its sample. Fails if no
 * variant could be sampled; EUNSUPPORTED if the objective cannot be measured here. The caller frees
 * out->values. Emulated devices return modelled times. */
gputune_status gt_measure_sample(gt_measure *measure, const gt_sample_job *job, gt_sampled *out);
/* Forgets a variant. Does nothing if the id is unknown. A small variant may stay loaded. */
void gt_measure_drop(gt_measure *measure, uint64_t variant);
