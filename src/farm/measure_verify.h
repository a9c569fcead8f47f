/* The variants of a measure worker: loads, launches and proves them, and keeps them until they are
 * dropped. The public part is in measure.h. */
#pragma once

#include "farm/measure_state.h"

/* Returns the variant with this id, or NULL. */
gt_loaded *gt_loaded_find(gt_measure *measure, uint64_t id);
void gt_loaded_free_all(gt_measure *measure);
/* Queues a launch of a variant on the workspace with this index. Resets no buffer. */
gputune_status gt_loaded_launch(gt_measure *measure, gt_loaded *variant, uint32_t workspace);
/* Returns true if the workload has pairs of buffers that may be one buffer (in_place()). */
bool gt_has_in_place(const gt_workload *workload);
/* Returns the index of a buffer among the caller's arguments. */
uint32_t gt_argument_place(const gt_workload *workload, uint32_t buffer);
