/* Ties by the host's clock. What the device does behind a launch that costs the host more does not
 * show in the time of a launch: on an H200, kernels of 1.0 and 1.8 us are both launched every 3.1
 * to 3.9 us, as the core at hand allows. It shows on a faster core, in a graph and to whoever
 * shares the device, so that such a tie is broken by the device's time. */
#include "tuner/search.h"

gt_race *gt_search_current_race(const gt_search_state *state)
{
    return state->breaking ? state->tie_break : state->race;
}

static gputune_status add_tied(gt_search_state *state)
{
    for (uint32_t i = 0; i < gt_race_count(state->race); i++) {
        gt_race_contestant one;
        gt_race_contestant_at(state->race, i, &one);
        if (one.tied) {
            GT_TRY(gt_race_add(state->tie_break, one.id, one.rank, one.is_default));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_search_open_tie_break(gt_search_state *state)
{
    const gputune_options *o = &state->request->options;
    const gt_race_options options = {.seed = o->seed,
                                     .epsilon = o->epsilon,
                                     .final_rounds = 1, /* no figure of it is stored */
                                     .exact = state->request->device->emulated};
    gt_race_free(state->tie_break);
    state->tie_break = NULL;
    GT_TRY(gt_race_new(&state->tie_break, &options));
    GT_TRY(add_tied(state));
    gt_race_complete(state->tie_break);
    state->breaking = true;
    return GPUTUNE_OK;
}

gputune_status gt_search_close_tie_break(gt_search_state *state)
{
    gt_race_result result;
    state->breaking = false;
    GT_TRY(gt_race_result_get(state->tie_break, &result));
    return gt_race_settle(state->race, result.winner, &state->end);
}

void gt_search_fail_contestant(gt_search_state *state, uint64_t id)
{
    gt_race_fail(state->race, id);
    if (state->breaking) {
        gt_race_fail(state->tie_break, id);
        state->breaking = gt_race_is_tied(state->race);
    }
}
