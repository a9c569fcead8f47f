/* Judges a race after each round: which contestants leave, whether it is over, and which one
 * wins. */
#include "tuner/race_parts.h"

#include <stdlib.h>

/* A contestant leaves early, after n = 2, 3 or 4 shared rounds, if each of its log-ratios is above
 * a floor and, with epsilon added, above k standard deviations of one ratio. For a contestant that
 * would win by epsilon, n such ratios have the probability Q(k)^n <= 7e-5; n outliers in a row are
 * as rare. */
enum { EARLY_FIRST = 2, EARLY_LAST = 4 };
static const double early_floor[EARLY_LAST + 1] = {0, 0, 0.006, 0.004, 0.003};
static const double early_deviations[EARLY_LAST + 1] = {0, 0, 2.6, 1.8, 1.35};

/* --- leaving ---------------------------------------------------------------------------------- */

static void leave(gt_race *race, gt_runner *runner, gt_race_leave how)
{
    runner->left = how;
    runner->left_round = race->round.number;
    int64_t reserve = race->reserve;
    if (reserve < 0 || race->runners.items[reserve].left == GT_RACE_LEFT_FAILED ||
        runner->ratio < race->runners.items[reserve].ratio) {
        race->reserve = runner - race->runners.items;
    }
}

void gt_race_call_reserve(gt_race *race)
{
    if (race->reserve < 0 || race->runners.items[race->reserve].left == GT_RACE_LEFT_FAILED) {
        return;
    }
    for (size_t i = 0; i < race->runners.count; i++) {
        const gt_runner *r = &race->runners.items[i];
        if (gt_runner_is_in(r) && !r->is_default) {
            return;
        }
    }
    race->runners.items[race->reserve].left = GT_RACE_IN;
    race->runners.items[race->reserve].left_round = 0;
    race->reserve = -1;
}

/* Whether it took more than drop_ratio times the best in its first round. */
static void drop_first(gt_race *race)
{
    double best = INFINITY;
    if (race->options.exhaustive || race->options.drop_ratio < 1) {
        return;
    }
    for (uint32_t i = 0; i < race->round.count; i++) {
        double value = race->runners.items[race->order[i]].pending;
        best = value < best ? value : best; /* false for NaN */
    }
    for (uint32_t i = 0; i < race->round.count; i++) {
        gt_runner *r = &race->runners.items[race->order[i]];
        bool first = r->samples.count == 1 && isfinite(r->pending);
        if (first && gt_runner_is_in(r) && !r->is_default &&
            r->pending > race->options.drop_ratio * best) {
            r->ratio = r->pending / best;
            leave(race, r, GT_RACE_LEFT_FIRST);
        }
    }
}

static bool has_round(const gt_runner *runner, uint32_t round)
{
    for (size_t i = runner->samples.count; i-- > 0 && runner->samples.items[i].round >= round;) {
        if (runner->samples.items[i].round == round) {
            return true;
        }
    }
    return false;
}

/* The ratio to an earlier incumbent in the first round counts as well: the present incumbent is at
 * least as fast as that one was. */
static bool is_far_off(gt_race *race, const gt_runner *runner, const gt_runner *incumbent,
                       double deviation)
{
    size_t count = gt_race_ratios(race, runner, incumbent, GT_SHARED_ANY);
    double least =
        count ? race->scratch[0] : INFINITY; /* the least is above the floor only if all are */
    if (!isnan(runner->first) && !has_round(incumbent, runner->samples.items[0].round)) {
        least = runner->first < least ? runner->first : least;
        count++;
    }
    if (count < EARLY_FIRST) {
        return false;
    }
    size_t row = count > EARLY_LAST ? EARLY_LAST : count;
    double sure = early_deviations[row] * deviation - log1p(race->options.epsilon);
    return least > (sure > early_floor[row] ? sure : early_floor[row]);
}

/* Keeps the ratio to the incumbent of each contestant whose first round this was, if the incumbent
 * took part. */
static void note_first(gt_race *race)
{
    double best = race->runners.items[race->incumbent].pending;
    for (uint32_t i = 0; i < race->round.count; i++) {
        gt_runner *r = &race->runners.items[race->order[i]];
        if (r->samples.count == 1 && isnan(r->first)) {
            r->first = log(r->pending / best);
        }
    }
}

static void drop_early(gt_race *race, double deviation)
{
    const gt_runner *incumbent = &race->runners.items[race->incumbent];
    for (size_t i = 0; i < race->runners.count && deviation >= 0; i++) {
        gt_runner *r = &race->runners.items[i];
        if (r != incumbent && !r->is_default && gt_runner_is_in(r) &&
            r->paired.count < gt_race_level(race) && is_far_off(race, r, incumbent, deviation)) {
            leave(race, r, GT_RACE_LEFT_EARLY);
        }
    }
}

static void drop_slower(gt_race *race)
{
    for (size_t i = 0; i < race->runners.count; i++) {
        gt_runner *r = &race->runners.items[i];
        if ((int64_t)i != race->incumbent && !r->is_default && gt_runner_is_in(r) &&
            gt_runner_is_ready(race, r) && gt_race_bound(&race->drop, &r->paired, -1) > 0) {
            leave(race, r, GT_RACE_LEFT_SLOWER);
        }
    }
}

/* --- a round ---------------------------------------------------------------------------------- */

void gt_race_judge(gt_race *race)
{
    drop_first(race);
    gt_race_choose_incumbent(race);
    if (race->incumbent < 0) {
        return;
    }
    note_first(race);
    gt_race_compare_all(race);
    GT_FREED double *variances = malloc(race->runners.count * sizeof *variances);
    if (!variances) {
        return; /* no contestant leaves after this round */
    }
    double deviation = race->options.exhaustive ? -1 : gt_race_field_deviation(race, variances);
    gt_race_moderate_all(race, variances);
    drop_early(race, deviation);
    drop_slower(race);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* The default is compared more closely, to epsilon, because it shall win if it is no slower. The
 * limit is on the interval's width and not on its place, so that stopping favours neither
 * outcome. */
static bool is_default_resolved(gt_race *race, const gt_runner *runner)
{
    double low = gt_race_bound(&race->drop, &runner->paired, -1);
    double high = gt_race_bound(&race->stop, &runner->paired, 1);
    return low > 0 || high - runner->paired.mean <= log1p(race->options.epsilon);
}

bool gt_race_is_done_with(gt_race *race, const gt_runner *runner, bool *at_limit)
{
    const gt_runner *incumbent = &race->runners.items[race->incumbent];
    *at_limit = false;
    if (runner == incumbent) {
        uint32_t count = gt_race_shared(runner, runner, GT_SHARED_FULL);
        return count >= gt_race_level(race) ||
               (count >= GT_RACE_CALM_FIRST && gt_race_active(race) > 1);
    }
    if (!gt_runner_is_ready(race, runner)) {
        return false;
    }
    if (gt_race_bound(&race->stop, &runner->paired, -1) > -log1p(race->options.epsilon) &&
        (!runner->is_default || is_default_resolved(race, runner))) {
        return true;
    }
    *at_limit = runner->paired.count >= race->options.max_rounds;
    return *at_limit;
}

bool gt_race_is_settled(gt_race *race, gt_race_end *end)
{
    bool at_limit = false, others = false;
    if (race->incumbent < 0) {
        *end = GT_RACE_NONE_LEFT;
        return gt_race_active(race) == 0;
    }
    for (size_t i = 0; i < race->runners.count; i++) {
        const gt_runner *r = &race->runners.items[i];
        if (!gt_runner_is_in(r)) {
            continue;
        }
        bool limit;
        if (!gt_race_is_done_with(race, r, &limit)) {
            return false;
        }
        bool slower = gt_race_bound(&race->drop, &r->paired, -1) > 0; /* the default stays */
        others = others || ((int64_t)i != race->incumbent && !slower);
        at_limit = at_limit || (limit && !slower);
    }
    *end = !others ? GT_RACE_ONE_LEFT : at_limit ? GT_RACE_ROUNDS : GT_RACE_NO_GAIN;
    return true;
}

/* Whether it is as good as the incumbent: not shown to be slower, and shown to be within epsilon
 * (the default: within one and a half epsilon). */
static bool is_equal(gt_race *race, const gt_runner *runner)
{
    double within = log1p((runner->is_default ? 1.5 : 1) * race->options.epsilon);
    return runner->paired.count >= (race->options.exact ? 1 : 3) &&
           gt_race_bound(&race->drop, &runner->paired, -1) <= 0 &&
           gt_race_bound(&race->stop, &runner->paired, 1) <= within;
}

/* Whether it may be as good as the incumbent: the estimate is within epsilon, and the interval
 * includes 0. */
static bool is_tied(gt_race *race, const gt_runner *runner)
{
    return runner->paired.count >= (race->options.exact ? 1 : 2) &&
           runner->paired.mean <= log1p(race->options.epsilon) &&
           gt_race_bound(&race->stop, &runner->paired, -1) <= 0;
}

/* Whether it is neither shown nor likely to be much slower. Among many equal contestants the
 * incumbent is one that was lucky, so that the estimates of the others lie above its own. */
static bool may_be_as_good(gt_race *race, const gt_runner *runner)
{
    return runner->paired.count >= (race->options.exact ? 1 : 3) &&
           gt_race_bound(&race->drop, &runner->paired, -1) <= 0 &&
           runner->paired.mean <= log1p(2 * race->options.epsilon);
}

bool gt_race_find_tied(gt_race *race)
{
    bool found = false;
    for (size_t i = 0; i < race->runners.count; i++) {
        gt_runner *r = &race->runners.items[i];
        r->tied = gt_runner_is_in(r) && ((int64_t)i == race->incumbent || may_be_as_good(race, r));
        found = found || (r->tied && (int64_t)i != race->winner);
    }
    return found;
}

void gt_race_choose(gt_race *race)
{
    race->winner = race->incumbent;
    race->tie = false;
    for (size_t i = 0; race->incumbent >= 0 && i < race->runners.count; i++) {
        const gt_runner *r = &race->runners.items[i];
        if (!gt_runner_is_in(r) || (int64_t)i == race->incumbent) {
            continue;
        }
        race->tie = race->tie || is_tied(race, r);
        if (is_equal(race, r) && r->rank < race->runners.items[race->winner].rank) {
            race->winner = (int64_t)i;
            race->tie = true;
        }
    }
}
