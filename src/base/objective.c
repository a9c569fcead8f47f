/* The table of objectives. */
#include "base/objective.h"

#include <stddef.h>

static const gt_objective objectives[GPUTUNE_OBJECTIVE_COUNT] = {
    [GPUTUNE_OBJECTIVE_DEFAULT] = {"default", 10, false, false, 1.25, 20},
    [GPUTUNE_OBJECTIVE_KERNEL] = {"kernel", 10, false, false, 1.25, 20},
    [GPUTUNE_OBJECTIVE_LAUNCH] = {"launch", 10, true, false, 1.6, 20},
    [GPUTUNE_OBJECTIVE_LATENCY] = {"latency", 10, true, false, 1.6, 200},
    [GPUTUNE_OBJECTIVE_ENERGY] = {"energy", 30, false, true, 1.25, 20},
};

const gt_objective *gt_objective_facts(gputune_objective objective)
{
    size_t index = (size_t)objective;
    return &objectives[index < GPUTUNE_OBJECTIVE_COUNT ? index : GPUTUNE_OBJECTIVE_DEFAULT];
}
