/* Races again when the winner was wrong at the end, or when variants were right after all; and
 * chooses the race that counts if the new one cannot be finished. */
#include "tuner/tuning.h"

static void free_earlier(gt_tuning *tuning)
{
    gt_race_free(tuning->earlier.race);
    gt_race_free(tuning->earlier.by_time);
    tuning->earlier.race = tuning->earlier.by_time = NULL;
}

void gt_tuning_free_races(gt_tuning *tuning)
{
    gt_race_free(tuning->race);
    gt_race_free(tuning->tie_break);
    gt_race_free(tuning->by_time);
    tuning->race = tuning->tie_break = tuning->by_time = NULL;
    free_earlier(tuning);
}

gputune_status gt_tuning_race_again(gt_tuning *tuning)
{
    free_earlier(tuning);
    tuning->earlier.race = tuning->race;
    tuning->earlier.by_time = tuning->by_time;
    tuning->earlier.proved = tuning->proved;
    gt_race_free(tuning->tie_break);
    tuning->race = tuning->tie_break = tuning->by_time = NULL;
    tuning->proved = GT_NO_VARIANT;
    tuning->end = GT_RACE_RUNNING;
    GT_TRY(gt_tuning_open_race(tuning));
    return gt_field_reverify(&tuning->session.field);
}

void gt_tuning_restore(gt_tuning *tuning, gt_race *race)
{
    gt_race_free(tuning->race);
    tuning->race = race;
    for (uint32_t i = 0; i < gt_race_count(race); i++) {
        gt_race_contestant contestant;
        gt_race_contestant_at(race, i, &contestant);
        if (gt_tuning_variant(tuning, contestant.id)->failure != GPUTUNE_OK) {
            gt_race_fail(race, contestant.id);
        }
    }
}

static void restore_earlier(gt_tuning *tuning)
{
    gt_race_free(tuning->by_time);
    tuning->by_time = tuning->earlier.by_time;
    gt_tuning_restore(tuning, tuning->earlier.race);
    tuning->proved = tuning->earlier.proved;
    tuning->earlier.race = tuning->earlier.by_time = NULL;
    tuning->restored = tuning->race;
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

gputune_status gt_tuning_fall_back(gt_tuning *tuning)
{
    bool weighed;
    bool is_over = tuning->phase == GT_PHASE_PROVE_AGAIN || tuning->phase == GT_PHASE_RETRY;
    if (tuning->earlier.race && !is_over) {
        restore_earlier(tuning);
    }
    GT_TRY(has_samples(&weighed, tuning->race));
    if (tuning->by_time && !weighed) {
        gt_tuning_restore(tuning, tuning->by_time);
        tuning->by_time = NULL;
    }
    return GPUTUNE_OK;
}
