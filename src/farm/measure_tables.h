/* Makes the tables of tasks that fill, reset, compare and check buffers. */
#pragma once

#include "farm/measure_state.h"

/* Makes all tables for the current workloads. The buffers must have been allocated. */
gputune_status gt_tables_plan(gt_measure *measure);
/* Sets the tolerances of all comparisons. Outputs that the reference does not write completely may
 * have unwritten elements. */
gputune_status gt_tables_judge(gt_measure *measure);
/* Makes the table `move` change one in every `sparse` elements slightly, chosen by `seed`. */
gputune_status gt_tables_move(gt_measure *measure, uint64_t seed, uint32_t sparse);
