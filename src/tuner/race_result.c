/* Reports on a race: contestants, summaries, outcome, and reasons as text. */
#include "tuner/race_parts.h"

#include "base/number.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

const char *gt_race_end_text(gt_race_end end)
{
    static const char *const texts[] = {
        [GT_RACE_RUNNING] = "",
        [GT_RACE_ONE_LEFT] = "every other variant is slower",
        [GT_RACE_NO_GAIN] = "no variant left can win by more than epsilon",
        [GT_RACE_ROUNDS] = "the most rounds were sampled",
        [GT_RACE_BUDGET] = "the time was up",
        [GT_RACE_CANCELED] = "stopped on request",
        [GT_RACE_NONE_LEFT] = "no variant is left",
    };
    return texts[end];
}

uint32_t gt_race_active(const gt_race *race)
{
    uint32_t count = 0;
    for (size_t i = 0; i < race->runners.count; i++) {
        count += gt_runner_is_in(&race->runners.items[i]);
    }
    return count;
}

uint32_t gt_race_count(const gt_race *race)
{
    return (uint32_t)race->runners.count;
}

static int64_t best_of(const gt_race *race)
{
    int64_t best = race->winner >= 0 ? race->winner : race->incumbent;
    return best >= 0 && gt_runner_is_in(&race->runners.items[best]) ? best : -1;
}

bool gt_race_incumbent(const gt_race *race, uint64_t *id)
{
    int64_t best = best_of(race);
    if (best >= 0) {
        *id = race->runners.items[best].id;
    }
    return best >= 0;
}

void gt_race_contestant_at(const gt_race *race, uint32_t index, gt_race_contestant *out)
{
    const gt_runner *r = &race->runners.items[index];
    *out = (gt_race_contestant){.id = r->id,
                                .rank = r->rank,
                                .is_default = r->is_default,
                                .left = r->left,
                                .left_round = r->left_round,
                                .reserve = (int64_t)index == race->reserve,
                                .tied = race->is_tied && r->tied && gt_runner_is_in(r),
                                .ratio = r->ratio,
                                .sample_count = (uint32_t)r->samples.count,
                                .samples = r->samples.items};
}

bool gt_race_find(const gt_race *race, uint64_t id, gt_race_contestant *out)
{
    int64_t index = gt_race_index(race, id);
    if (index >= 0) {
        gt_race_contestant_at(race, (uint32_t)index, out);
    }
    return index >= 0;
}

typedef enum sample_kind { FINAL, FULL, QUICK } sample_kind;

static size_t copy_samples(double *out, const gt_runner *runner, sample_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < runner->samples.count; i++) {
        const gt_race_sample *s = &runner->samples.items[i];
        if (kind == FINAL ? s->final : s->quick == (kind == QUICK)) {
            out[count++] = s->value;
        }
    }
    return count;
}

enum { ENOUGH_FINAL = 5 };

gputune_status gt_race_summary(const gt_race *race, uint64_t id, gt_summary *out)
{
    int64_t index = gt_race_index(race, id);
    if (index < 0 || !race->runners.items[index].samples.count) {
        *out = (gt_summary){0};
        return GPUTUNE_OK;
    }
    const gt_runner *runner = &race->runners.items[index];
    GT_FREED double *values = malloc(runner->samples.count * sizeof *values);
    GT_TRY(gt_allocated(values));
    size_t count = copy_samples(values, runner, FINAL);
    if (count < ENOUGH_FINAL) {
        count = copy_samples(values, runner, FULL);
    }
    if (!count) {
        count = copy_samples(values, runner, QUICK);
    }
    return gt_summarise(out, values, count);
}

/* --- the outcome ------------------------------------------------------------------------------ */

/* Of a race that was stopped before both met in a round. */
static gputune_status compare_medians(gt_race_result *out, const gt_race *race,
                                      const gt_runner *winner, const gt_runner *standard)
{
    gt_summary fast, slow;
    GT_TRY(gt_race_summary(race, winner->id, &fast));
    GT_TRY(gt_race_summary(race, standard->id, &slow));
    out->verdict.speedup = fast.count && slow.count ? slow.median / fast.median : 0;
    return GPUTUNE_OK;
}

static gputune_status compare_default(gt_race_result *out, const gt_race *race,
                                      const gt_runner *winner, const gt_runner *standard)
{
    gt_race *scratch_of = (gt_race *)race; /* the scratch memory is no part of the race's state */
    GT_TRY(gt_race_reserve_scratch(scratch_of));
    size_t count = gt_race_ratios(scratch_of, standard, winner, GT_SHARED_FINAL);
    if (count < 3) {
        count = gt_race_ratios(scratch_of, standard, winner, GT_SHARED_FULL);
    }
    if (!count) {
        count = gt_race_ratios(scratch_of, standard, winner, GT_SHARED_ANY);
    }
    if (!count) {
        return compare_medians(out, race, winner, standard);
    }
    gt_paired paired;
    GT_TRY(gt_paired_interval(&paired, race->scratch, count, 0.95));
    double speedup = exp(paired.mean), alone = race->options.exact ? speedup : 0;
    out->verdict.speedup = speedup;
    out->verdict.speedup_low = count > 1 ? exp(paired.low) : alone;
    out->verdict.speedup_high = count > 1 ? exp(paired.high) : alone;
    return GPUTUNE_OK;
}

gputune_status gt_race_result_get(const gt_race *race, gt_race_result *out)
{
    int64_t best = best_of(race);
    if (best < 0) {
        return gt_fail(GPUTUNE_ENOVARIANT, "no variant is left in the race");
    }
    const gt_runner *winner = &race->runners.items[best], *standard = NULL;
    gt_race_result result = {.end = race->end,
                             .verdict.tie = race->tie,
                             .winner = winner->id,
                             .rounds = race->rounds,
                             .samples = race->samples};
    for (size_t i = 0; i < race->runners.count; i++) {
        standard = race->runners.items[i].is_default ? &race->runners.items[i] : standard;
    }
    result.has_default = standard && standard->samples.count;
    if (standard == winner) {
        result.verdict.speedup = result.verdict.speedup_low = result.verdict.speedup_high = 1;
    } else if (result.has_default) {
        GT_TRY(compare_default(&result, race, winner, standard));
    }
    *out = result;
    return GPUTUNE_OK;
}

const char *gt_race_leave_text(char *out, size_t bytes, const gt_race_contestant *contestant)
{
    double slower = 100 * (contestant->ratio - 1);
    switch (contestant->left) {
    case GT_RACE_LEFT_FIRST:
        gt_snprintf(out, bytes, "%.2fx the best in its first round", contestant->ratio);
        break;
    case GT_RACE_LEFT_EARLY:
    case GT_RACE_LEFT_SLOWER:
        gt_snprintf(out, bytes, "%.1f%% slower after %u sample%s", slower, contestant->sample_count,
                    gt_plural(contestant->sample_count));
        break;
    case GT_RACE_LEFT_FAILED:
        snprintf(out, bytes, "failed");
        break;
    default:
        snprintf(out, bytes, "%s", "");
    }
    return out;
}
