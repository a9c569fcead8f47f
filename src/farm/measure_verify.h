/* Loads, launches, proves and keeps variants. The public functions are in measure.h. */
#pragma once

#include "farm/measure_state.h"

/* Returns the variant with this id, or NULL. */
gt_loaded *gt_loaded_find(gt_measure *measure, uint64_t id);
void gt_loaded_free_all(gt_measure *measure);
/* Queues a launch of a variant on this workspace. Buffers are not reset. */
gputune_status gt_loaded_launch(gt_measure *measure, gt_loaded *variant, uint32_t workspace);
/* Returns true if some pair of buffers may share memory (in_place()). */
bool gt_has_in_place(const gt_workload *workload);
/* Returns a buffer's index among the caller's arguments. */
uint32_t gt_argument_place(const gt_workload *workload, uint32_t buffer);
