/* The objective energy. A sample takes a second, so the variants race by time first, and only the
 * fastest race by energy. */
#include "tuner/tuning.h"

#include "base/objective.h"

enum {
    FINALISTS = 4,
    LEVEL = 3,      /* rounds that a decision needs: samples spread by 0.1 to 1% on an H200 */
    ROUNDS_MAX = 5, /* most rounds; with the final ones they take less than half a minute */
    FINAL_ROUNDS = 3
};

bool gt_tuning_is_before_weighing(const gt_tuning *tuning)
{
    gputune_objective objective = tuning->session.request->options.objective;
    return gt_objective_facts(objective)->by_energy && !tuning->by_time;
}

/* Orders the variants that have not left: the default first, then the fastest. */
static uint32_t find_finalists(const gt_race *race, gt_race_contestant *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < gt_race_count(race); i++) {
        gt_race_contestant next;
        gt_race_contestant_at(race, i, &next);
        uint32_t at = count < FINALISTS ? count : FINALISTS;
        if (next.left != GT_RACE_IN) {
            continue;
        }
        for (; at > 0 && (next.is_default || next.ratio < out[at - 1].ratio) &&
               !out[at - 1].is_default;
             at--) {
            if (at < FINALISTS) {
                out[at] = out[at - 1];
            }
        }
        if (at < FINALISTS) {
            out[at] = next;
            count += count < FINALISTS;
        }
    }
    return count;
}

gputune_status gt_tuning_open_weighing(gt_tuning *tuning)
{
    gt_race_contestant finalists[FINALISTS];
    const gputune_options *o = &tuning->session.request->options;
    uint32_t count = find_finalists(tuning->race, finalists);
    const gt_race_options options = {.seed = o->seed,
                                     .epsilon = o->epsilon,
                                     .drop_ratio = 0.5,
                                     .level = LEVEL,
                                     .max_rounds = ROUNDS_MAX,
                                     .final_rounds = FINAL_ROUNDS,
                                     .quick_from = FINALISTS + 1};
    gt_race *race;
    GT_TRY(gt_race_new(&race, &options));
    tuning->by_time = tuning->race;
    tuning->race = race;
    tuning->end = GT_RACE_RUNNING;
    for (uint32_t i = 0; i < count; i++) {
        GT_TRY(gt_race_add(race, finalists[i].id, finalists[i].rank, finalists[i].is_default));
    }
    gt_race_complete(race);
    return GPUTUNE_OK;
}

gputune_status gt_tuning_close_weighing(gt_tuning *tuning)
{
    gt_tuning_restore(tuning, tuning->by_time);
    tuning->by_time = NULL;
    return gt_race_end_round(tuning->race, &tuning->end);
}
