/* The strategies that learn nothing: every configuration in order, or any at random. */
#include "search/strategy_parts.h"

static gputune_status propose_next(gt_strategy *strategy, void *state, gt_point *out, bool *found)
{
    (void)state;
    *found = gt_strategy_walk(strategy, out);
    return GPUTUNE_OK;
}

static gputune_status propose_random(gt_strategy *strategy, void *state, gt_point *out, bool *found)
{
    (void)state;
    *found = gt_strategy_draw(strategy, out);
    return GPUTUNE_OK;
}

const gt_method gt_method_exhaustive = {.propose = propose_next};
const gt_method gt_method_random = {.propose = propose_random};
