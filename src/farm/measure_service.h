/* Runs the service kernels (fill, reset, check, sweep, ...) on tables of tasks. All functions
 * except gt_service_load() only queue their work. */
#pragma once

#include "farm/measure_state.h"

/* Appends a task, divided into tiles. `slot` is its buffer, or NULL for other memory. A task
 * without elements is ignored. ENOMEM. */
gputune_status gt_tasks_add(gt_tasks *table, gt_buffer_slot *slot, const gt_service_task *task);
/* Returns the number of tasks, or of the timed workload's tasks. */
size_t gt_tasks_count(const gt_tasks *table, bool timed_only);
/* Marks all tasks so far as tasks of the timed workload. */
void gt_tasks_mark_timed(gt_tasks *table);
/* Empties the table but keeps its memory. */
void gt_tasks_reset(gt_tasks *table);
/* Frees the table's host memory. gt_memory_free() frees the device memory. */
void gt_tasks_free(gt_tasks *table);
gputune_status gt_tasks_upload(gt_measure *measure, gt_tasks *table);

gputune_status gt_service_load(gt_measure *measure, const gt_image *image);
void gt_service_free(gt_measure *measure);
/* Runs all tasks of a table, or only the timed workload's tasks. */
gputune_status gt_service_run(gt_measure *measure, gt_service service, const gt_tasks *table,
                              bool timed_only);
/* Runs a table that prepares buffers for a launch, unless gt_service_reset_ahead() has already
 * queued it. A launch must follow. */
gputune_status gt_service_reset(gt_measure *measure, const gt_tasks *table, bool timed_only);
/* Queues the reset for the next launch early, so the device works while the host reads results.
 * Does nothing on an emulated device. */
gputune_status gt_service_reset_ahead(gt_measure *measure, const gt_tasks *table);
/* Runs the check kernel on a table. `into` must be measure->findings or measure->first. */
gputune_status gt_service_check(gt_measure *measure, const gt_tasks *table, bool timed_only,
                                gt_findings *into);
/* Fills every multiprocessor's shared memory with mixed poison. Does nothing on an emulated device,
 * which poisons shared memory itself. */
gputune_status gt_service_poison_shared(gt_measure *measure, uint32_t poison);
/* Evicts the buffers from L2 by reading the sweep buffer, if there is one. */
gputune_status gt_service_sweep(gt_measure *measure);
/* Queues another sweep, which shows if a launch wrote to the sweep buffer. Does nothing on an
 * emulated device, which detects such writes itself. */
gputune_status gt_service_look_for_stray(gt_measure *measure);
/* Returns EWRONG if a launch wrote to the sweep buffer, after zeroing the buffer again. */
gputune_status gt_service_judge_stray(gt_measure *measure);
/* Keeps the stream busy for `nanoseconds`. Does nothing on an emulated device. */
gputune_status gt_service_delay(gt_measure *measure, uint64_t nanoseconds);
