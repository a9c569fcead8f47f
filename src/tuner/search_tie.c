/* Ties by the host's clock. What the device does behind a launch that costs the host more does not
 * show in the time of a launch: on an H200, kernels of 1.0 and 1.8 us are both launched every 3.1
 * to 3.9 us, as the core at hand allows. It shows on a faster core, in a graph and to whoever
 * shares the device. So those that are in such a tie race by the device's time too, and the one
 * wins that takes both the least time together: the device decides, unless what it saves is less
 * than what the host seems to lose. */
#include "tuner/search.h"

#include <math.h>

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

/* What a ratio of 1 stands for in a race, in nanoseconds, and its best; infinite where nobody could
 * be sampled. */
static gputune_status unit_of(double *out, uint64_t *best, const gt_race *race)
{
    gt_race_contestant winner;
    gt_summary summary;
    *out = INFINITY;
    if (!gt_race_incumbent(race, best) || !gt_race_find(race, *best, &winner)) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_race_summary(race, *best, &summary));
    *out = summary.median / winner.ratio;
    return GPUTUNE_OK;
}

/* The least sum; the default where no sum is less by more than epsilon of the host's time; the
 * race's own winner where there are no sums. */
static gputune_status choose(uint64_t *out, const gt_search_state *state)
{
    double host_ns, device_ns, least = INFINITY, standard = INFINITY;
    uint64_t default_id = 0, ignored;
    GT_TRY(unit_of(&host_ns, out, state->race));
    GT_TRY(unit_of(&device_ns, &ignored, state->tie_break));
    for (uint32_t i = 0; i < gt_race_count(state->tie_break); i++) {
        gt_race_contestant by_host, by_device;
        gt_race_contestant_at(state->tie_break, i, &by_device);
        bool in = by_device.left != GT_RACE_LEFT_FAILED && by_device.ratio > 0 &&
                  gt_race_find(state->race, by_device.id, &by_host);
        double both = in ? host_ns * by_host.ratio + device_ns * by_device.ratio : INFINITY;
        if (both < least) {
            least = both;
            *out = by_device.id;
        }
        if (by_device.is_default) {
            standard = both;
            default_id = by_device.id;
        }
    }
    if (isfinite(standard) && standard <= least + state->request->options.epsilon * host_ns) {
        *out = default_id;
    }
    return GPUTUNE_OK;
}

gputune_status gt_search_close_tie_break(gt_search_state *state)
{
    uint64_t winner = 0;
    state->breaking = false;
    GT_TRY(choose(&winner, state));
    return gt_race_settle(state->race, winner, &state->end);
}

void gt_search_fail_contestant(gt_search_state *state, uint64_t id)
{
    gt_race_fail(state->race, id);
    if (state->breaking) {
        gt_race_fail(state->tie_break, id);
        state->breaking = gt_race_is_tied(state->race);
    }
}
