/* The table of objectives. */
#include "base/objective.h"

#include <stddef.h>

#define DEVICE .limit_s = 10, .outclassed_ratio = 1.25, .sample_launches = 20
#define HOST   .limit_s = 10, .outclassed_ratio = 1.6, .by_host = true

static const gt_objective objectives[GPUTUNE_OBJECTIVE_COUNT] = {
    [GPUTUNE_OBJECTIVE_DEFAULT] = {.name = "default", .sampled = GPUTUNE_OBJECTIVE_KERNEL, DEVICE},
    [GPUTUNE_OBJECTIVE_KERNEL] = {.name = "kernel", .sampled = GPUTUNE_OBJECTIVE_KERNEL, DEVICE},
    [GPUTUNE_OBJECTIVE_LAUNCH] = {.name = "launch",
                                  .sampled = GPUTUNE_OBJECTIVE_LAUNCH,
                                  .sample_launches = 20,
                                  HOST},
    [GPUTUNE_OBJECTIVE_LATENCY] = {.name = "latency",
                                   .sampled = GPUTUNE_OBJECTIVE_LATENCY,
                                   .sample_launches = 200,
                                   HOST},
    [GPUTUNE_OBJECTIVE_ENERGY] = {.name = "energy",
                                  .sampled = GPUTUNE_OBJECTIVE_ENERGY,
                                  .limit_s = 30,
                                  .by_energy = true,
                                  .outclassed_ratio = 1.25,
                                  .sample_launches = 20},
    [GPUTUNE_OBJECTIVE_RATE] = {.name = "rate",
                                .sampled = GPUTUNE_OBJECTIVE_KERNEL,
                                .by_work = true,
                                DEVICE},
};

const gt_objective *gt_objective_facts(gputune_objective objective)
{
    size_t index = (size_t)objective;
    return &objectives[index < GPUTUNE_OBJECTIVE_COUNT ? index : GPUTUNE_OBJECTIVE_DEFAULT];
}
