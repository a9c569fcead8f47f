/* Loads, launches and proves variants, and keeps the correct ones. measure.h has public
 * functions. */
#pragma once

#include "farm/measure_state.h"

/* Returns the loaded variant with this id, or NULL. */
gt_loaded *gt_loaded_find(gt_measure *measure, uint64_t id);
void gt_loaded_free_all(gt_measure *measure);
/* Queues a launch of a variant on a workspace, without resetting buffers. */
gputune_status gt_loaded_launch(gt_measure *measure, gt_loaded *variant, uint32_t workspace);
/* Returns true if in_place() allows one buffer as both input and output. */
bool gt_has_in_place(const gt_workload *workload);
/* Returns the index of a buffer among the arguments of the caller. */
uint32_t gt_argument_place(const gt_workload *workload, uint32_t buffer);
