/* Runs the service kernels (fill, reset, check, sweep, ...) on tables of tasks. All functions
 * except gt_service_load() queue work and do not wait for it. */
#pragma once

#include "farm/measure_state.h"

/* Appends a task to a table, and divides it into tiles. `slot` is the buffer of the task, or NULL
 * if it is for other memory. A task that has no elements is not added. May return ENOMEM. */
gputune_status gt_tasks_add(gt_tasks *table, gt_buffer_slot *slot, const gt_service_task *task);
/* Returns the number of tasks in a table or, if `timed_only` is true, of those for the timed
 * workload. */
size_t gt_tasks_count(const gt_tasks *table, bool timed_only);
/* Marks all tasks that are now in the table as tasks of the timed workload. */
void gt_tasks_mark_timed(gt_tasks *table);
/* Removes all tasks, but does not free the table's memory. */
void gt_tasks_reset(gt_tasks *table);
/* Frees the host memory of a table. Its device memory is freed by gt_memory_free(). */
void gt_tasks_free(gt_tasks *table);
gputune_status gt_tasks_upload(gt_measure *measure, gt_tasks *table);

gputune_status gt_service_load(gt_measure *measure, const gt_image *image);
void gt_service_free(gt_measure *measure);
/* Runs all tasks of a table or, if `timed_only` is true, those for the timed workload. */
gputune_status gt_service_run(gt_measure *measure, gt_service service, const gt_tasks *table,
                              bool timed_only);
/* Runs a table that resets buffers before a launch. Does nothing if gt_service_reset_ahead() has
 * queued this table already. A launch must follow. */
gputune_status gt_service_reset(gt_measure *measure, const gt_tasks *table, bool timed_only);
/* Queues the reset for the next launch in advance, so the device is busy while the host reads
 * results. Does nothing on an emulated device. */
gputune_status gt_service_reset_ahead(gt_measure *measure, const gt_tasks *table);
/* Runs the check kernel on a table. The findings arrive in `into`, which is measure->findings or
 * measure->first. */
gputune_status gt_service_check(gt_measure *measure, const gt_tasks *table, bool timed_only,
                                gt_findings *into);
/* Fills the shared memory of every multiprocessor with mixed poison. Does nothing on an emulated
 * device, because the emulator itself fills shared memory with poison. */
gputune_status gt_service_poison_shared(gt_measure *measure, uint32_t poison);
/* Evicts all other buffers from L2 by reading the sweep buffer, if there is one. */
gputune_status gt_service_sweep(gt_measure *measure);
/* Queues another sweep, to find out whether a launch has written to the sweep buffer. Does nothing
 * on an emulated device, because the emulator reports such writes itself. */
gputune_status gt_service_look_for_stray(gt_measure *measure);
/* Returns EWRONG if a launch has written to the sweep buffer. The buffer is then zeroed again. */
gputune_status gt_service_judge_stray(gt_measure *measure);
/* Keeps the stream busy for a number of nanoseconds. Does nothing on an emulated device. */
gputune_status gt_service_delay(gt_measure *measure, uint64_t nanoseconds);
