/* Makes the tables of tasks for filling, resetting, comparing and checking buffers. */
#pragma once

#include "farm/measure_state.h"

/* Makes all tables for the current workloads, whose buffers must be allocated. */
gputune_status gt_tables_plan(gt_measure *measure);
/* Adds the slots' tolerances and gaps to the comparisons. */
gputune_status gt_tables_judge(gt_measure *measure);
/* Makes the task list `move`, which changes inputs slightly, change one in `sparse` elements, drawn
 * from `seed`. */
gputune_status gt_tables_move(gt_measure *measure, uint64_t seed, uint32_t sparse);
