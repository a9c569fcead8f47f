/* Compares contestants in pairs, and decides who leaves the race and who has won. */
#include "tuner/race_parts.h"

#include "stats/distribution.h"
#include "stats/summary.h"

#include <stdlib.h>

/* The spread of all contestants counts for at most so many degrees of freedom beside a contestant's
 * own, and only if it comes from so many contestants. */
enum { PRIOR_WEIGHT = 8, PRIOR_FROM = 3 };

/* Three or four rounds are enough for a contestant whose ratios lie as close together as those of
 * all contestants, without an outlier. The error of its median then follows from the common
 * standard deviation, as the deviation of the median of three or four normal values. */
enum { CALM_LAST = GT_RACE_CALM_FIRST + 1 };
static const double calm_error[CALM_LAST + 1] = {0, 0, 0, 0.670, 0.546};
static const double calm_range = 4; /* standard deviations */

/* Shared rounds that a decision needs in this race. */
static uint32_t level_of(const gt_race *race)
{
    return race->options.exact        ? 1
           : race->options.exhaustive ? GT_RACE_LEVEL_EXHAUSTIVE
                                      : race->options.level;
}

bool gt_runner_is_ready(const gt_race *race, const gt_runner *runner)
{
    return runner->calm || runner->paired.count >= level_of(race);
}

bool gt_runner_is_in(const gt_runner *runner)
{
    return runner->left == GT_RACE_IN;
}

/* --- pairs ------------------------------------------------------------------------------------ */

static bool is_kind(const gt_race_sample *sample, gt_shared kind)
{
    return kind == GT_SHARED_ANY ||
           (kind == GT_SHARED_FINAL ? sample->final : !sample->quick && !sample->final);
}

/* Walks both lists, which are in the order of rounds. Writes log-ratios if `out` is given, those of
 * quick samples less the doubt that `doubt` says of them, if it is given. */
static size_t walk(double *out, const gt_runner *a, const gt_runner *b, gt_shared kind,
                   gt_race_doubt *doubt)
{
    size_t i = 0, j = 0, count = 0;
    while (i < a->samples.count && j < b->samples.count) {
        const gt_race_sample *x = &a->samples.items[i], *y = &b->samples.items[j];
        if (x->round == y->round) {
            if (is_kind(x, kind)) {
                if (out) {
                    out[count] =
                        log(x->value / y->value) - (doubt && x->quick ? doubt(x->value) : 0);
                }
                count++;
            }
            i++;
            j++;
        } else if (x->round < y->round) {
            i++;
        } else {
            j++;
        }
    }
    return count;
}

uint32_t gt_race_shared(const gt_runner *a, const gt_runner *b, gt_shared kind)
{
    return (uint32_t)walk(NULL, a, b, kind, NULL);
}

size_t gt_race_ratios(gt_race *race, const gt_runner *a, const gt_runner *b, gt_shared kind)
{
    size_t count = walk(race->scratch, a, b, kind, NULL);
    gt_sort(race->scratch, count);
    return count;
}

/* A bound on a log-ratio (sign -1: lower), with quantiles kept by whole degrees of freedom, rounded
 * down, which widens; infinite while nothing is known. */
static double bound_of(gt_quantiles *quantiles, const gt_paired *paired, int sign)
{
    if (!isfinite(paired->error) || paired->freedom < 1) {
        return sign < 0 ? -INFINITY : INFINITY;
    }
    int freedom =
        paired->freedom > GT_RACE_FREEDOM_MAX ? GT_RACE_FREEDOM_MAX : (int)paired->freedom;
    double *value = &quantiles->values[freedom];
    if (*value == 0) {
        *value = gt_student_quantile(1 - quantiles->error, freedom);
    }
    return paired->mean + sign * paired->error * *value;
}

/* --- the spread of all ratios ----------------------------------------------------------------- */

/* Median over contestants of the variance of one ratio. Each variance is brought to a common scale
 * by the median of chi-square over its degrees of freedom (Wilson and Hilferty). 0 while too few
 * contestants have one. Reorders `values`. */
static double median_variance(double *values, size_t count)
{
    if (count < PRIOR_FROM) {
        return 0;
    }
    gt_sort(values, count);
    return gt_median_sorted(values, count);
}

static double unbiased(double variance, double freedom)
{
    double root = 1 - 2 / (9 * freedom);
    return variance / (root * root * root);
}

static void calm_down(gt_race *race, gt_runner *runner, double deviation)
{
    const gt_runner *incumbent = race->incumbent;
    size_t count = runner->paired.count;
    if (runner == incumbent || count < GT_RACE_CALM_FIRST || count > CALM_LAST) {
        return;
    }
    gt_race_ratios(race, runner, incumbent, GT_SHARED_FULL);
    if (race->scratch[count - 1] - race->scratch[0] <= calm_range * deviation) {
        runner->paired.mean = gt_median_sorted(race->scratch, count);
        runner->paired.error = calm_error[count] * deviation;
        runner->paired.freedom = PRIOR_WEIGHT;
        runner->calm = true;
    }
}

static void calm_all(gt_race *race, double deviation)
{
    for (gt_runner *r = race->first; r; r = r->next) {
        if (gt_runner_is_in(r)) {
            calm_down(race, r, deviation);
        }
    }
}

/* Makes every `paired` use the spread of all contestants as well. */
static void moderate_all(gt_race *race, double *variances)
{
    size_t count = 0;
    for (const gt_runner *r = race->first; r; r = r->next) {
        if (gt_runner_is_in(r) && r != race->incumbent && r->paired.freedom >= 1) {
            variances[count++] = unbiased(gt_paired_variance(&r->paired), r->paired.freedom);
        }
    }
    double prior = median_variance(variances, count);
    double weight = count < PRIOR_FROM ? 0 : count < PRIOR_WEIGHT ? (double)count : PRIOR_WEIGHT;
    for (gt_runner *r = race->first; r && prior > 0; r = r->next) {
        if (gt_runner_is_in(r) && r->paired.count > 1) {
            gt_paired_moderate(&r->paired, prior, weight);
        }
    }
    if (count >= PRIOR_WEIGHT && !race->options.exhaustive && !race->options.exact) {
        calm_all(race, sqrt(prior));
    }
}

/* --- the incumbent ---------------------------------------------------------------------------- */

/* Middle of the log-ratios to the incumbent: the trimmed mean of five or more, else the median.
 * Quick rounds count only if there are no full ones. NaN without any. */
static double estimate(gt_race *race, const gt_runner *runner, const gt_runner *incumbent)
{
    size_t count = gt_race_ratios(race, runner, incumbent, GT_SHARED_FULL);
    if (!count) {
        count = gt_race_ratios(race, runner, incumbent, GT_SHARED_ANY);
    }
    if (!count) {
        return NAN;
    }
    return count < GT_RACE_LEVEL ? gt_median_sorted(race->scratch, count)
                                 : gt_trimmed_mean(race->scratch, count, GT_PAIRED_TRIM);
}

/* Without an incumbent: the contestant with most samples; of several, the one with the least
 * median. */
static gt_runner *first_incumbent(const gt_race *race)
{
    gt_runner *best = NULL;
    double best_value = INFINITY;
    for (gt_runner *r = race->first; r; r = r->next) {
        if (!gt_runner_is_in(r) || !r->samples.count) {
            continue;
        }
        double value = r->samples.items[r->samples.count - 1].value;
        size_t most = best ? best->samples.count : 0;
        if (r->samples.count > most || (r->samples.count == most && value < best_value)) {
            best = r;
            best_value = value;
        }
    }
    return best;
}

/* Median of a contestant's values in full rounds. */
static double usual(gt_race *race, const gt_runner *runner)
{
    size_t count = 0;
    for (size_t i = 0; i < runner->samples.count; i++) {
        if (is_kind(&runner->samples.items[i], GT_SHARED_FULL)) {
            race->scratch[count++] = runner->samples.items[i].value;
        }
    }
    gt_sort(race->scratch, count);
    return gt_median_sorted(race->scratch, count);
}

/* A contestant that has not shared every round with the incumbent replaces it only for a clear
 * gain, because the others would have to be sampled beside it again. After a stop this does not
 * matter; but if they shared fewer rounds than a decision needs, one slow sample of the incumbent
 * may be all of that gain, so that the contestant must be faster than the incumbent usually is. */
static bool may_take_over(gt_race *race, const gt_runner *runner, const gt_runner *incumbent,
                          double log_ratio)
{
    uint32_t all = gt_race_shared(incumbent, incumbent, GT_SHARED_FULL);
    uint32_t shared = gt_race_shared(runner, incumbent, GT_SHARED_FULL);
    if (shared >= all) {
        return log_ratio < 0;
    }
    if (!shared || log_ratio >= -race->options.epsilon / 2) {
        return false;
    }
    return shared >= level_of(race) ||
           (race->end != GT_RACE_RUNNING && usual(race, runner) < usual(race, incumbent));
}

/* Finds the incumbent from what is known now; NULL without samples. */
static void choose_incumbent(gt_race *race)
{
    if (!race->incumbent || !gt_runner_is_in(race->incumbent)) {
        race->incumbent = first_incumbent(race);
    }
    if (!race->incumbent) {
        return;
    }
    const gt_runner *incumbent = race->incumbent;
    double best = 0;
    gt_runner *next = race->incumbent;
    for (gt_runner *r = race->first; r; r = r->next) {
        if (r == incumbent || !gt_runner_is_in(r)) {
            continue;
        }
        double ratio = estimate(race, r, incumbent);
        if (ratio < best && may_take_over(race, r, incumbent, ratio)) {
            best = ratio;
            next = r;
        }
    }
    race->incumbent = next;
}

/* --- all comparisons -------------------------------------------------------------------------- */

/* Standard deviation of one ratio over all contestants, quick rounds included, from the last round
 * in which enough of them had one; negative if there was none. `variances` has room for one of
 * each. */
static double field_deviation(gt_race *race, double *variances)
{
    enum { TOLD_BY = 8 }; /* degrees of freedom, summed over all contestants */
    const gt_runner *incumbent = race->incumbent;
    double freedom = 0;
    size_t count = 0;
    for (const gt_runner *r = race->first; r; r = r->next) {
        if (r != incumbent && gt_runner_is_in(r)) {
            size_t pairs = gt_race_ratios(race, r, incumbent, GT_SHARED_ANY);
            gt_paired paired = pairs ? gt_paired_sorted(race->scratch, pairs) : (gt_paired){0};
            if (paired.freedom >= 1) {
                variances[count++] = unbiased(gt_paired_variance(&paired), paired.freedom);
                freedom += paired.freedom;
            }
        }
    }
    if (count >= PRIOR_FROM && freedom >= TOLD_BY) {
        race->deviation = sqrt(median_variance(variances, count));
    }
    return race->deviation;
}

/* Computes every contestant's `ratio` and `paired` to the incumbent. */
static void compare_all(gt_race *race)
{
    const gt_runner *incumbent = race->incumbent;
    for (gt_runner *r = race->first; r; r = r->next) {
        if (!gt_runner_is_in(r)) {
            continue;
        }
        r->calm = false;
        double ratio = r == incumbent ? 0 : estimate(race, r, incumbent);
        r->ratio = isnan(ratio) ? 0 : exp(ratio);
        size_t count = r == incumbent ? 0 : gt_race_ratios(race, r, incumbent, GT_SHARED_FULL);
        r->paired = count ? gt_paired_sorted(race->scratch, count) : (gt_paired){0};
        if (count && race->options.exact) {
            r->paired.error = 0;
            r->paired.freedom = 1;
        }
    }
}

/* A contestant leaves early, after n = 2, 3 or 4 shared rounds, if each of its log-ratios is above
 * a floor and, with epsilon added, above k standard deviations of one ratio. For a contestant that
 * would win by epsilon, n such ratios have the probability Q(k)^n <= 7e-5; n outliers in a row are
 * as rare. */
enum { EARLY_FIRST = 2, EARLY_LAST = 4 };
static const double early_floor[EARLY_LAST + 1] = {0, 0, 0.006, 0.004, 0.003};
static const double early_deviations[EARLY_LAST + 1] = {0, 0, 2.6, 1.8, 1.35};

/* The bound that all of `count` log-ratios must exceed for an early decision; infinite if they are
 * too few for one. */
static double early_least(const gt_race *race, size_t count, double deviation)
{
    if (count < EARLY_FIRST || deviation < 0) {
        return INFINITY;
    }
    size_t row = count > EARLY_LAST ? EARLY_LAST : count;
    double sure = early_deviations[row] * deviation - log1p(race->options.epsilon);
    return sure > early_floor[row] ? sure : early_floor[row];
}

/* Whether each sample of a contestant is below what the incumbent usually takes. If two samples of
 * the incumbent were disturbed, every contestant of their rounds seems to be ahead of it. */
static bool is_below_usual(gt_race *race, const gt_runner *runner, const gt_runner *incumbent)
{
    if (!gt_race_shared(incumbent, incumbent, GT_SHARED_FULL)) {
        return false;
    }
    double most = usual(race, incumbent);
    for (size_t i = 0; i < runner->samples.count; i++) {
        if (runner->samples.items[i].value >= most) {
            return false;
        }
    }
    return true;
}

/* A contestant that is as surely ahead of the incumbent as one that leaves early is behind it takes
 * its place at once. So slower contestants that came in the same round leave early, too. Beside a
 * slow incumbent that was there before, they would stay for full rounds. */
static bool take_over_early(gt_race *race, double deviation)
{
    gt_runner *incumbent = race->incumbent, *next = incumbent;
    for (gt_runner *r = race->first; r; r = r->next) {
        if (r == incumbent || !gt_runner_is_in(r)) {
            continue;
        }
        size_t count = gt_race_ratios(race, r, incumbent, GT_SHARED_ANY);
        double least = early_least(race, count, deviation);
        bool is_ahead = isfinite(least) && race->scratch[count - 1] < -least;
        if (is_ahead && is_below_usual(race, r, incumbent) &&
            (next == incumbent || r->ratio < next->ratio)) {
            next = r;
        }
    }
    race->incumbent = next;
    return next != incumbent;
}

/* --- leaving ---------------------------------------------------------------------------------- */

static void leave(gt_race *race, gt_runner *runner, gt_race_leave how)
{
    runner->left = how;
    runner->left_round = race->round.number;
    if (!race->reserve || race->reserve->left == GT_RACE_LEFT_FAILED ||
        runner->ratio < race->reserve->ratio) {
        race->reserve = runner;
    }
}

void gt_race_call_reserve(gt_race *race)
{
    if (!race->reserve || race->reserve->left == GT_RACE_LEFT_FAILED) {
        return;
    }
    for (const gt_runner *r = race->first; r; r = r->next) {
        if (gt_runner_is_in(r) && !r->is_default) {
            return;
        }
    }
    race->reserve->left = GT_RACE_IN;
    race->reserve->left_round = 0;
    race->reserve = NULL;
}

/* Drops a contestant that took more than drop_ratio times the best in its first round. */
static void drop_first(gt_race *race)
{
    double best = INFINITY;
    if (!race->round.count || race->options.exhaustive || race->options.drop_ratio < 1) {
        return;
    }
    for (const gt_runner *r = race->first; r; r = r->next) {
        best = r->pending < best ? r->pending : best; /* false for NaN */
    }
    for (gt_runner *r = race->first; r; r = r->next) {
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

/* The least of the log-ratios that gt_race_ratios() or walk() has written and sorted. */
static double least_of(const gt_race *race, size_t count)
{
    return count ? race->scratch[0] : INFINITY;
}

/* The ratio to an earlier incumbent in the first round counts as well: the present incumbent is at
 * least as fast as that one was. Full samples decide alone once there are enough of them, because
 * quick ones are doubted. */
static bool is_far_off(gt_race *race, const gt_runner *runner, const gt_runner *incumbent,
                       double deviation)
{
    gt_race_doubt *doubt = race->options.quick_doubt;
    const gt_race_sample *first = &runner->samples.items[0];
    size_t count = gt_race_ratios(race, runner, incumbent, GT_SHARED_FULL);
    if (least_of(race, count) > early_least(race, count, deviation)) {
        return true; /* the least is above the floor only if all are */
    }
    count = walk(race->scratch, runner, incumbent, GT_SHARED_ANY, doubt);
    gt_sort(race->scratch, count);
    double least = least_of(race, count);
    if (!isnan(runner->first) && !has_round(incumbent, first->round)) {
        least = fmin(least, runner->first - (doubt && first->quick ? doubt(first->value) : 0));
        count++;
    }
    return least > early_least(race, count, deviation);
}

/* Keeps the ratio to the incumbent of each contestant whose first round this was, if the incumbent
 * took part. */
static void note_first(gt_race *race)
{
    double best = race->incumbent->pending;
    for (gt_runner *r = race->first; r && race->round.count; r = r->next) {
        if (r->samples.count == 1 && isnan(r->first)) {
            r->first = log(r->pending / best);
        }
    }
}

static void drop_early(gt_race *race, double deviation)
{
    const gt_runner *incumbent = race->incumbent;
    for (gt_runner *r = race->first; r; r = r->next) {
        if (r != incumbent && !r->is_default && gt_runner_is_in(r) &&
            r->paired.count < level_of(race) && is_far_off(race, r, incumbent, deviation)) {
            leave(race, r, GT_RACE_LEFT_EARLY);
        }
    }
}

static void drop_slower(gt_race *race)
{
    for (gt_runner *r = race->first; r; r = r->next) {
        if (r != race->incumbent && !r->is_default && gt_runner_is_in(r) &&
            gt_runner_is_ready(race, r) && bound_of(&race->drop, &r->paired, -1) > 0) {
            leave(race, r, GT_RACE_LEFT_SLOWER);
        }
    }
}

/* --- a round ---------------------------------------------------------------------------------- */

void gt_race_judge(gt_race *race)
{
    if (race->options.fixed) {
        return;
    }
    drop_first(race);
    choose_incumbent(race);
    if (!race->incumbent) {
        return;
    }
    note_first(race);
    compare_all(race);
    GT_FREED double *variances = malloc(race->count * sizeof *variances);
    if (!variances) {
        return; /* no contestant leaves after this round */
    }
    double deviation = race->options.exhaustive ? -1 : field_deviation(race, variances);
    if (take_over_early(race, deviation)) {
        compare_all(race);
        deviation = field_deviation(race, variances);
    }
    moderate_all(race, variances);
    drop_early(race, deviation);
    drop_slower(race);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* The default is compared more closely, to epsilon, because it shall win if it is no slower. The
 * limit is on the interval's width and not on its place, so that stopping favours neither
 * outcome. */
static bool is_default_resolved(gt_race *race, const gt_runner *runner)
{
    double low = bound_of(&race->drop, &runner->paired, -1);
    double high = bound_of(&race->stop, &runner->paired, 1);
    return low > 0 || high - runner->paired.mean <= log1p(race->options.epsilon);
}

bool gt_race_is_done_with(gt_race *race, const gt_runner *runner, bool *at_limit)
{
    const gt_runner *incumbent = race->incumbent;
    *at_limit = false;
    if (runner == incumbent) {
        uint32_t count = gt_race_shared(runner, runner, GT_SHARED_FULL);
        return count >= level_of(race) || (count >= GT_RACE_CALM_FIRST && gt_race_active(race) > 1);
    }
    if (!gt_runner_is_ready(race, runner)) {
        return false;
    }
    if (bound_of(&race->stop, &runner->paired, -1) > -log1p(race->options.epsilon) &&
        (!runner->is_default || is_default_resolved(race, runner))) {
        return true;
    }
    *at_limit = runner->paired.count >= race->options.max_rounds;
    return *at_limit;
}

bool gt_race_is_settled(gt_race *race, gt_race_end *end)
{
    bool at_limit = false, others = false;
    if (!race->incumbent) {
        *end = GT_RACE_NONE_LEFT;
        return gt_race_active(race) == 0;
    }
    for (const gt_runner *r = race->first; r; r = r->next) {
        if (!gt_runner_is_in(r)) {
            continue;
        }
        bool limit;
        if (!gt_race_is_done_with(race, r, &limit)) {
            return false;
        }
        bool slower = bound_of(&race->drop, &r->paired, -1) > 0; /* the default stays */
        others = others || (r != race->incumbent && !slower);
        at_limit = at_limit || (limit && !slower);
    }
    *end = !others ? GT_RACE_ONE_LEFT : at_limit ? GT_RACE_ROUNDS : GT_RACE_NO_GAIN;
    return true;
}

/* Whether a contestant is as good as the incumbent: not shown to be slower, and shown to be within
 * epsilon (the default: within one and a half epsilon). */
static bool is_equal(gt_race *race, const gt_runner *runner)
{
    double within = log1p((runner->is_default ? 1.5 : 1) * race->options.epsilon);
    return runner->paired.count >= (race->options.exact ? 1 : 3) &&
           bound_of(&race->drop, &runner->paired, -1) <= 0 &&
           bound_of(&race->stop, &runner->paired, 1) <= within;
}

/* Whether a contestant may be as good as the incumbent: the estimate is within epsilon, and the
 * interval includes 0. */
static bool is_tied(gt_race *race, const gt_runner *runner)
{
    return runner->paired.count >= (race->options.exact ? 1 : 2) &&
           runner->paired.mean <= log1p(race->options.epsilon) &&
           bound_of(&race->stop, &runner->paired, -1) <= 0;
}

/* Whether a contestant is neither shown nor likely to be much slower than the incumbent. Among many
 * equal contestants the incumbent is one that was lucky, so that the estimates of the others lie
 * above its own. */
static bool may_be_as_good(gt_race *race, const gt_runner *runner)
{
    return runner->paired.count >= (race->options.exact ? 1 : 3) &&
           bound_of(&race->drop, &runner->paired, -1) <= 0 &&
           runner->paired.mean <= log1p(2 * race->options.epsilon);
}

bool gt_race_find_tied(gt_race *race)
{
    bool found = false;
    for (gt_runner *r = race->first; r; r = r->next) {
        bool equal = (race->options.tie_break == GT_TIE_WITHIN ? is_tied : may_be_as_good)(race, r);
        r->tied = gt_runner_is_in(r) && (r == race->incumbent || r == race->winner || equal);
        found = found || (r->tied && r != race->winner);
    }
    return found;
}

void gt_race_choose(gt_race *race)
{
    race->winner = race->incumbent;
    race->tie = false;
    for (gt_runner *r = race->incumbent ? race->first : NULL; r; r = r->next) {
        if (!gt_runner_is_in(r) || r == race->incumbent) {
            continue;
        }
        race->tie = race->tie || is_tied(race, r);
        if (is_equal(race, r) && r->rank < race->winner->rank) {
            race->winner = r;
            race->tie = true;
        }
    }
}
