/* The objective energy. A sample of it takes a second, so that the field races by time first, and
 * the fastest of it race by energy. */
#include "tuner/search.h"

enum {
    FINALISTS = 4,
    LEVEL = 3,      /* rounds that a decision needs: on an H200 samples spread by 0.1 to 1% */
    ROUNDS_MAX = 5, /* at most; with the final ones within half a minute */
    FINAL_ROUNDS = 3
};

bool gt_search_is_by_time(const gt_search_state *state)
{
    return state->request->options.objective == GPUTUNE_OBJECTIVE_ENERGY && !state->heats;
}

/* Of those that are still in: the default first, then the fastest. */
static uint32_t find_finalists(const gt_race *race, gt_race_contestant *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < gt_race_count(race); i++) {
        gt_race_contestant fresh;
        gt_race_contestant_at(race, i, &fresh);
        uint32_t at = count < FINALISTS ? count : FINALISTS;
        if (fresh.left != GT_RACE_IN) {
            continue;
        }
        for (; at > 0 && (fresh.is_default || fresh.ratio < out[at - 1].ratio) &&
               !out[at - 1].is_default;
             at--) {
            if (at < FINALISTS) {
                out[at] = out[at - 1];
            }
        }
        if (at < FINALISTS) {
            out[at] = fresh;
            count += count < FINALISTS;
        }
    }
    return count;
}

bool gt_search_wants_energy_race(const gt_search_state *state)
{
    bool nobody = state->end == GT_RACE_NOBODY; /* of the finalists; of all, where it was by time */
    bool by_energy = state->request->options.objective == GPUTUNE_OBJECTIVE_ENERGY;
    return by_energy && !state->stopped && !state->rechecking && nobody == (state->heats != NULL);
}

gputune_status gt_search_open_energy_race(gt_search_state *state)
{
    gt_race_contestant finalists[FINALISTS];
    if (state->heats) {
        gt_search_return_to(state, state->heats);
        state->heats = NULL;
        return gt_race_end_round(state->race, &state->end);
    }
    uint32_t count = find_finalists(state->race, finalists);
    const gt_race_options options = {.seed = state->request->options.seed,
                                     .epsilon = state->request->options.epsilon,
                                     .drop_ratio = 0.5,
                                     .level = LEVEL,
                                     .max_rounds = ROUNDS_MAX,
                                     .final_rounds = FINAL_ROUNDS,
                                     .quick_from = FINALISTS + 1};
    gt_race *race;
    GT_TRY(gt_race_new(&race, &options));
    state->heats = state->race;
    state->race = race;
    state->end = GT_RACE_RUNNING;
    for (uint32_t i = 0; i < count; i++) {
        GT_TRY(gt_race_add(race, finalists[i].id, finalists[i].rank, finalists[i].is_default));
    }
    gt_race_complete(race);
    return GPUTUNE_OK;
}
