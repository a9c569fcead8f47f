/* Measures on one GPU in this process: makes inputs, runs the reference, proves variants and takes
 * samples. This code runs in the measure worker, because a bad variant may leave its process unable
 * to use the GPU. All calls come from one thread. Defined in measure.c and measure_*.c; the loop of
 * measure_worker.c is declared in worker.h.
 *
 * The proof. A variant is right if it computes what the reference computes, whatever the memory
 * held before. So what it must write is poisoned before each launch, with another poison each time,
 * and what it must not write is compared afterwards: inputs by hashes, guard zones around buffers,
 * and a sweep buffer far away. Results are compared with the reference's by tolerances.
 *   before the race  two launches on the odd-tail workload and one on the timed one; one on other
 *                    data (measure_trial.c)
 *   after the race   two launches on the timed workload, with inputs of another seed that cannot be
 *                    written; many launches in a row, and further data
 * All of one proof is queued at once, and judged in order after one wait.
 *
 * Invariants.
 * - After a failure measure->damage names what may have been overwritten. It is filled again before
 *   the buffers are used again.
 * - A fatal CUDA error sets measure->lost: the process answers and exits, and the host starts
 *   another worker. The host knows which variant was at fault from gt_current_set(), which is
 *   called before the GPU is used for it. */
#pragma once

#include "farm/job.h"
#include "farm/worker.h"

typedef struct gt_measure gt_measure;

/* Starts the driver and finds the device with this number among the visible ones. ENODRIVER. *out
 * is the caller's, for gt_measure_close(). */
gputune_status gt_measure_open(gt_measure **out, const char *driver, int ordinal);
/* Makes the device's primary context current on this thread. Every later call must come from the
 * same thread. EBUSY if another process has the device for itself (exclusive mode), EDEVMEM. */
gputune_status gt_measure_attach(gt_measure *measure);
void gt_measure_close(gt_measure *measure);
const gt_device *gt_measure_device(const gt_measure *measure);

/* Prepares for a setup, which replaces an earlier setup and its variants. Makes inputs and pristine
 * copies, runs the reference twice, and keeps its results on the device. If the template states no
 * tolerance, the reference also runs a few times with moved inputs (kernel/bind/tolerance.h). The
 * caller's inputs serve the timed workload only. The odd-tail workload has generated inputs, and
 * its buffers are aligned exactly as promised. Without a reference, the first verified variant
 * takes its place. EUNSUPPORTED if the objective is energy and no energy counter can be read.
 * EDEVMEM if the setup does not fit, before anything is allocated. ETEMPLATE if the reference
 * fails, or differs from itself by more than the tolerance; like any kernel it may end the
 * process's use of the GPU.
 */
gputune_status gt_measure_prepare(gt_measure *measure, const gt_measure_setup *setup,
                                  gt_prepared *out);
/* Makes the trial of a setup that was prepared: another data set, on which variants are proved as
 * well (measure_trial.c). out->trial_ns is the time that it takes for a winner, 0 if there is none.
 * ECRASHED if an experiment has lost the GPU: another process can leave it out. */
gputune_status gt_measure_try(gt_measure *measure, const gt_measure_setup *setup, gt_prepared *out);
/* Sets the state of the request that is carried out from now on. It is reported to the host before
 * an experiment runs, which may lose the GPU or hang. */
void gt_measure_attend(gt_measure *measure, gt_current *current);
/* Notes which experiments the next trial leaves out: they have ended earlier workers. */
void gt_measure_leave_out(gt_measure *measure, const gt_lost *lost);
/* Loads a variant, in place of an earlier one of that id, and proves it: by two launches in a row
 * on the odd-tail workload, and by one on the timed workload; the second one there is left to
 * gt_measure_recheck(). Without an odd-tail workload both are on the timed one. Before the first
 * launch, outputs and scratch are poisoned. Before the second, outputs get another poison, inout
 * buffers are restored, and scratch stays as it is. Shared memory is poisoned before both. A
 * variant that is wrong is not kept.
 *
 * EWRONG if outputs are unwritten or beyond the tolerance after a launch, if inputs have changed,
 * or if the guard zones of 1 KB before and 4 KB behind a buffer are overwritten. Elements that the
 * reference leaves unwritten too are ignored. The message has place, value, expected value,
 * tolerance, and the atol that would have accepted the value. ECRASHED after a fatal CUDA error:
 * this process must answer and exit. ECUDA if loading or launching is refused.
 *
 * pilot_ns is the time of one launch between two events, with the cache as cold as before a sample.
 * Above 50 us it is as good as a quick sample; below 10 us it is mostly overhead. */
gputune_status gt_measure_verify(gt_measure *measure, const gt_verify_job *job, gt_verified *out);
/* Proves a loaded variant once more on the timed workload, with inputs of job->seed (without a
 * reference, with the inputs as they are). The first launch finds the scratch that the samples
 * left, the second one poisoned scratch. The results of both launches are compared. Then the
 * variant is proved further on the trial, if there is one. */
gputune_status gt_measure_recheck(gt_measure *measure, const gt_recheck_job *job, gt_verified *out);
/* Takes one sample of each variant in the job's order: NaN for a variant that is not loaded or
 * whose launch is refused. Fails if no variant could be sampled: EUNSUPPORTED if the objective
 * cannot be measured here. Reports each variant before it is launched: the host knows which one
 * hangs. out->values is the caller's. Emulated devices answer with modelled times. */
gputune_status gt_measure_sample(gt_measure *measure, const gt_sample_job *job, gt_sampled *out,
                                 gt_current *current);
/* Forgets a variant. Does nothing if the id is unknown. A small variant may stay loaded for a
 * while. */
void gt_measure_drop(gt_measure *measure, uint64_t variant);
