/* Racing again: a winner that turned out wrong at the end, or variants that were right after all.
 * And what is fallen back on where that cannot be finished. */
#include "tuner/search.h"

static void free_earlier(gt_search_state *state)
{
    gt_race_free(state->earlier.race);
    gt_race_free(state->earlier.heats);
    state->earlier.race = state->earlier.heats = NULL;
}

void gt_search_free_races(gt_search_state *state)
{
    gt_race_free(state->race);
    gt_race_free(state->tie_break);
    gt_race_free(state->heats);
    state->race = state->tie_break = state->heats = NULL;
    free_earlier(state);
}

gputune_status gt_search_race_again(gt_search_state *state)
{
    free_earlier(state);
    state->earlier.race = state->race;
    state->earlier.heats = state->heats;
    state->earlier.rechecked = state->rechecked;
    gt_race_free(state->tie_break);
    state->race = state->tie_break = state->heats = NULL;
    state->complete = state->breaking = state->rechecked = false;
    state->end = GT_RACE_RUNNING;
    GT_TRY(gt_search_open_race(state));
    return gt_field_reverify(&state->field);
}

void gt_search_return_to(gt_search_state *state, gt_race *race)
{
    gt_race_free(state->race);
    state->race = race;
    for (uint32_t i = 0; i < gt_race_count(race); i++) {
        gt_race_contestant contestant;
        gt_race_contestant_at(race, i, &contestant);
        if (state->field.variants.items[contestant.id].failure != GPUTUNE_OK) {
            gt_race_fail(race, contestant.id);
        }
    }
}

static void return_to_earlier(gt_search_state *state)
{
    uint64_t checked = GT_NO_VARIANT, best = GT_NO_VARIANT;
    gt_race_free(state->heats);
    state->heats = state->earlier.heats;
    (void)gt_race_incumbent(state->earlier.race, &checked);
    gt_search_return_to(state, state->earlier.race);
    (void)gt_race_incumbent(state->race, &best);
    state->rechecked = state->earlier.rechecked && best == checked;
    state->earlier.race = state->earlier.heats = NULL;
    state->fell_back = true;
}

static gputune_status has_samples(bool *out, const gt_race *race)
{
    gt_summary summary = {0};
    uint64_t best;
    if (gt_race_incumbent(race, &best)) {
        GT_TRY(gt_race_summary(race, best, &summary));
    }
    *out = summary.count > 0;
    return GPUTUNE_OK;
}

gputune_status gt_search_fall_back(gt_search_state *state)
{
    bool weighed;
    bool is_over = state->end != GT_RACE_RUNNING && !gt_search_wants_energy_race(state);
    if (state->earlier.race && !is_over) {
        return_to_earlier(state);
    }
    GT_TRY(has_samples(&weighed, state->race));
    if (state->heats && !weighed) {
        gt_search_return_to(state, state->heats);
        state->heats = NULL;
    }
    return GPUTUNE_OK;
}
