/* Makes the tables of tasks for filling, resetting, comparing and checking buffers. */
#pragma once

#include "farm/measure_state.h"

/* Makes all tables for the current workloads, whose buffers must be allocated. */
gputune_status gt_tables_plan(gt_measure *measure);
/* Sets the tolerances of all comparisons, and which outputs may have unwritten elements. */
gputune_status gt_tables_judge(gt_measure *measure);
/* Makes the task list `move` change one in `sparse` elements slightly, at random from `seed`. */
gputune_status gt_tables_move(gt_measure *measure, uint64_t seed, uint32_t sparse);
