/* Measures on one GPU: makes inputs, runs the reference, proves variants and takes samples. All of
 * this runs in the measure worker, because after an error of a variant its process may no longer be
 * able to use the GPU. All functions must be called from one thread. They are implemented in
 * measure.c, measure_verify.c and measure_sample.c.
 *
 * The proof. A variant is correct if it computes the same results as the reference, whatever the
 * memory contained before. Therefore all memory that the variant must write is filled with poison
 * before each launch, with different poison each time. Memory that it must not write is checked
 * after the launch: hashes show whether inputs have changed, and writes out of bounds are found by
 * guard zones around the buffers and by a large sweep buffer elsewhere in memory. Results are
 * compared within tolerances. See measure_verify.c for the steps.
 *
 * Invariants.
 * - After a failure, measure->damaged is true, and all buffers are filled again before they are
 *   used. If the expected results or data of the host have changed, the process is lost.
 * - A fatal CUDA error sets measure->lost. The process then sends its answer and exits, and the
 *   host starts another worker. Before the GPU is used for a variant, gt_current_set() reports the
 *   variant to the host, so the host knows which one is to blame. */
#pragma once

#include "farm/job.h"
#include "farm/worker.h"

typedef struct gt_measure gt_measure;

/* Loads the driver and finds a device. gt_measure_close() closes *out. */
gputune_status gt_measure_open(gt_measure **out, const char *driver, int ordinal);
/* Makes the primary context of the device current on this thread. All later calls must come from
 * this thread. EBUSY if another process uses the device exclusively; EDEVMEM if memory is full. */
gputune_status gt_measure_attach(gt_measure *measure);
void gt_measure_close(gt_measure *measure);
const gt_device *gt_measure_device(const gt_measure *measure);

/* Prepares a setup. The previous setup and its variants are freed. Makes the inputs and runs the
 * reference twice. If the template does not state tolerances, the reference also runs on slightly
 * changed inputs to determine them (kernel/bind/tolerance.h). Data of the host is used only for the
 * timed workload. The inputs of the odd-tail workload are generated, and its buffers have only the
 * alignment that was promised. EUNSUPPORTED if the objective is energy and there is no energy
 * counter. EDEVMEM, before anything is allocated, if the setup does not fit. ETEMPLATE if the
 * reference fails, or if the results of its two runs differ by more than the tolerance. */
gputune_status gt_measure_prepare(gt_measure *measure, const gt_measure_setup *setup,
                                  gt_prepared *out);
/* Prepares the data proof of a prepared setup. Sets out->try_ns, data_proof_ns and further_ns.
 * ECRASHED if an experiment made the GPU unusable. Another process can skip this experiment. */
gputune_status gt_measure_try(gt_measure *measure, const gt_measure_setup *setup, gt_prepared *out);
/* Sets the object through which the current work is reported to the host; NULL: do not report. */
void gt_measure_attend(gt_measure *measure, gt_current *current);
/* Sets the experiments that the next data proof must skip, because they crashed or hung before. */
void gt_measure_leave_out(gt_measure *measure, const gt_lost *lost);
/* Loads and proves a variant. A loaded variant with the same id is replaced. EWRONG if a result is
 * unwritten or differs by more than the tolerance, if an input has changed, or if a guard zone was
 * overwritten. The message then contains the location, both values, the tolerance, and a tolerance
 * that would accept the value. ECRASHED after a fatal CUDA error; ECUDA if CUDA refuses to load or
 * launch the variant. pilot_ns is the time of one launch with a cold cache, measured with events.
 * Above 50 us it is as accurate as a quick sample; below 10 us it is mostly overhead. */
gputune_status gt_measure_verify(gt_measure *measure, const gt_verify_job *job, gt_verified *out);
/* Proves a loaded variant again, on the timed workload and on the data sets of the data proof. If
 * there is a reference, the inputs of the timed workload are generated from job->seed. */
gputune_status gt_measure_recheck(gt_measure *measure, const gt_recheck_job *job, gt_verified *out);
/* Takes one sample of each variant, in the order of the job. Each variant is reported to the host
 * before its sample. The value is NaN if the variant is not loaded or cannot be launched. Fails if
 * no variant could be sampled; EUNSUPPORTED if the objective cannot be measured. The caller frees
 * out->values. On an emulated device, the times are modelled. */
gputune_status gt_measure_sample(gt_measure *measure, const gt_sample_job *job, gt_sampled *out);
/* Drops a variant; an unknown id is ignored. A small variant may stay loaded. */
void gt_measure_drop(gt_measure *measure, uint64_t variant);
