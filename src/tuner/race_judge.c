/* Comparing contestants with the incumbent: who leaves, when it is over, who wins. */
#include "tuner/race_parts.h"

#include "stats/distribution.h"
#include "stats/summary.h"

#include <stdlib.h>

/* The whole field's spread counts for at most so many degrees of freedom beside one's own, and only
 * when so many contestants tell it. */
enum { PRIOR_WEIGHT = 8, PRIOR_FROM = 3 };

/* Early leaving: after n = 2, 3, 4 shared rounds, when every log-ratio is above both a floor and so
 * many standard deviations of one ratio. For a contestant that is in truth no slower, n ratios
 * above k deviations happen with probability Q(k)^n <= 2e-5; n outliers in a row are as rare. */
enum { EARLY_FIRST = 2, EARLY_LAST = 4 };
static const double early_floor[EARLY_LAST + 1] = {0, 0, 0.04, 0.025, 0.015};
static const double early_deviations[EARLY_LAST + 1] = {0, 0, 3, 2, 1.5};

uint32_t gt_race_level(const gt_race *race)
{
    return race->options.exact        ? 1
           : race->options.exhaustive ? GT_RACE_LEVEL_EXHAUSTIVE
                                      : GT_RACE_LEVEL;
}

bool gt_runner_is_in(const gt_runner *runner)
{
    return runner->left == GT_RACE_IN;
}

/* --- pairs --------------------------------------------------------------------------------------
 */

static bool is_kind(const gt_race_sample *sample, gt_shared kind)
{
    switch (kind) {
    case GT_SHARED_FULL:
        return !sample->quick && !sample->final;
    case GT_SHARED_FINAL:
        return sample->final;
    default:
        return true;
    }
}

/* Walks both lists, which are in the order of rounds; writes log-ratios where `out` is given. */
static size_t walk(double *out, const gt_runner *a, const gt_runner *b, gt_shared kind)
{
    size_t i = 0, j = 0, count = 0;
    while (i < a->samples.count && j < b->samples.count) {
        const gt_race_sample *x = &a->samples.items[i], *y = &b->samples.items[j];
        if (x->round == y->round) {
            if (is_kind(x, kind)) {
                if (out) {
                    out[count] = log(x->value / y->value);
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
    return (uint32_t)walk(NULL, a, b, kind);
}

size_t gt_race_ratios(gt_race *race, const gt_runner *a, const gt_runner *b, gt_shared kind)
{
    size_t count = walk(race->scratch, a, b, kind);
    gt_sort(race->scratch, count);
    return count;
}

gputune_status gt_race_reserve_scratch(gt_race *race)
{
    size_t needed = race->rounds + 2;
    if (needed <= race->scratch_capacity) {
        return GPUTUNE_OK;
    }
    double *grown = realloc(race->scratch, 2 * needed * sizeof *grown);
    if (!grown) {
        return gt_fail_memory();
    }
    race->scratch = grown;
    race->scratch_capacity = 2 * needed;
    return GPUTUNE_OK;
}

/* A bound on a log-ratio, with quantiles kept by whole degrees of freedom (rounded down, which
 * widens). */
static double bound(gt_quantiles *quantiles, const gt_paired *paired, int sign)
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

/* --- the spread of the field --------------------------------------------------------------------
 */

/* Median over contestants of the variance of one ratio, each brought to a common scale by the
 * median of chi-square over its degrees of freedom (Wilson and Hilferty). 0 while too few tell it.
 * Moves what is in `values`. */
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

static void moderate_all(gt_race *race, double *variances)
{
    size_t count = 0;
    for (size_t i = 0; i < race->runners.count; i++) {
        const gt_runner *r = &race->runners.items[i];
        if (gt_runner_is_in(r) && (int64_t)i != race->incumbent && r->paired.freedom >= 1) {
            variances[count++] = unbiased(gt_paired_variance(&r->paired), r->paired.freedom);
        }
    }
    double prior = median_variance(variances, count);
    double weight = count < PRIOR_FROM ? 0 : count < PRIOR_WEIGHT ? (double)count : PRIOR_WEIGHT;
    for (size_t i = 0; i < race->runners.count && prior > 0; i++) {
        gt_runner *r = &race->runners.items[i];
        if (gt_runner_is_in(r) && r->paired.count > 1) {
            gt_paired_moderate(&r->paired, prior, weight);
        }
    }
}

/* --- the incumbent ------------------------------------------------------------------------------
 */

/* Middle of the log-ratios to the incumbent: trimmed from the fifth on, else the median; of quick
 * rounds only where there are no full ones. NaN without any. */
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

/* The one with most samples, the fastest by its median of these: where there is no incumbent. */
static int64_t first_incumbent(const gt_race *race)
{
    int64_t best = -1;
    double best_value = INFINITY;
    for (size_t i = 0; i < race->runners.count; i++) {
        const gt_runner *r = &race->runners.items[i];
        if (!gt_runner_is_in(r) || !r->samples.count) {
            continue;
        }
        double value = r->samples.items[r->samples.count - 1].value;
        size_t most = best < 0 ? 0 : race->runners.items[best].samples.count;
        if (r->samples.count > most || (r->samples.count == most && value < best_value)) {
            best = (int64_t)i;
            best_value = value;
        }
    }
    return best;
}

/* One that has not shared every round with the incumbent takes over only for a clear gain: the
 * others would have to be sampled beside it anew. */
static bool may_take_over(const gt_race *race, const gt_runner *runner, const gt_runner *incumbent,
                          double log_ratio)
{
    uint32_t all = gt_race_shared(incumbent, incumbent, GT_SHARED_FULL);
    uint32_t shared = gt_race_shared(runner, incumbent, GT_SHARED_FULL);
    if (shared >= all) {
        return log_ratio < 0;
    }
    return shared >= gt_race_level(race) && log_ratio < -race->options.epsilon / 2;
}

static void choose_incumbent(gt_race *race)
{
    if (race->incumbent < 0 || !gt_runner_is_in(&race->runners.items[race->incumbent])) {
        race->incumbent = first_incumbent(race);
    }
    if (race->incumbent < 0) {
        return;
    }
    const gt_runner *incumbent = &race->runners.items[race->incumbent];
    double best = 0;
    int64_t next = race->incumbent;
    for (size_t i = 0; i < race->runners.count; i++) {
        const gt_runner *r = &race->runners.items[i];
        if (r == incumbent || !gt_runner_is_in(r)) {
            continue;
        }
        double ratio = estimate(race, r, incumbent);
        if (ratio < best && may_take_over(race, r, incumbent, ratio)) {
            best = ratio;
            next = (int64_t)i;
        }
    }
    race->incumbent = next;
}

/* --- leaving ------------------------------------------------------------------------------------
 */

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

/* Beyond drop_ratio times the best of its first round. */
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

static bool is_far_off(gt_race *race, const gt_runner *runner, const gt_runner *incumbent,
                       double deviation)
{
    size_t count = gt_race_ratios(race, runner, incumbent, GT_SHARED_ANY);
    if (count < EARLY_FIRST) {
        return false;
    }
    size_t row = count > EARLY_LAST ? EARLY_LAST : count;
    double floor = early_deviations[row] * deviation;
    floor = floor > early_floor[row] ? floor : early_floor[row];
    return race->scratch[0] > floor; /* the least of them: all agree */
}

/* Standard deviation of one ratio, quick rounds in; negative while too few tell it. */
static double field_deviation(gt_race *race, double *variances)
{
    const gt_runner *incumbent = &race->runners.items[race->incumbent];
    size_t count = 0;
    for (size_t i = 0; i < race->runners.count; i++) {
        const gt_runner *r = &race->runners.items[i];
        if (r != incumbent && gt_runner_is_in(r)) {
            size_t pairs = gt_race_ratios(race, r, incumbent, GT_SHARED_ANY);
            gt_paired paired = pairs ? gt_paired_sorted(race->scratch, pairs) : (gt_paired){0};
            if (paired.freedom >= 1) {
                variances[count++] = unbiased(gt_paired_variance(&paired), paired.freedom);
            }
        }
    }
    double variance = median_variance(variances, count);
    return variance < 0 ? -1 : sqrt(variance);
}

static void drop_early(gt_race *race, double deviation)
{
    const gt_runner *incumbent = &race->runners.items[race->incumbent];
    for (size_t i = 0; i < race->runners.count && deviation >= 0; i++) {
        gt_runner *r = &race->runners.items[i];
        if (r != incumbent && !r->is_default && gt_runner_is_in(r) &&
            r->paired.count < GT_RACE_LEVEL && is_far_off(race, r, incumbent, deviation)) {
            leave(race, r, GT_RACE_LEFT_EARLY);
        }
    }
}

static void drop_slower(gt_race *race)
{
    for (size_t i = 0; i < race->runners.count; i++) {
        gt_runner *r = &race->runners.items[i];
        if ((int64_t)i != race->incumbent && !r->is_default && gt_runner_is_in(r) &&
            r->paired.count >= gt_race_level(race) && bound(&race->drop, &r->paired, -1) > 0) {
            leave(race, r, GT_RACE_LEFT_SLOWER);
        }
    }
}

/* --- the whole ----------------------------------------------------------------------------------
 */

static void compare_all(gt_race *race)
{
    const gt_runner *incumbent = &race->runners.items[race->incumbent];
    for (size_t i = 0; i < race->runners.count; i++) {
        gt_runner *r = &race->runners.items[i];
        if (!gt_runner_is_in(r)) {
            continue;
        }
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

void gt_race_judge(gt_race *race)
{
    drop_first(race);
    choose_incumbent(race);
    if (race->incumbent < 0) {
        return;
    }
    compare_all(race);
    double *variances = malloc(race->runners.count * sizeof *variances);
    if (!variances) {
        return; /* nobody leaves this time */
    }
    double deviation = race->options.exhaustive ? -1 : field_deviation(race, variances);
    moderate_all(race, variances);
    free(variances);
    drop_early(race, deviation);
    drop_slower(race);
}

/* --- the end ------------------------------------------------------------------------------------
 */

/* The default is told apart further, to epsilon: where it is no slower it shall win. A limit on the
 * interval's width, not on where it lies, so that stopping favours neither outcome. */
static bool is_default_resolved(gt_race *race, const gt_runner *runner)
{
    double low = bound(&race->drop, &runner->paired, -1);
    double high = bound(&race->stop, &runner->paired, 1);
    return low > 0 || high - runner->paired.mean <= log1p(race->options.epsilon);
}

bool gt_race_is_done_with(gt_race *race, const gt_runner *runner, bool *at_limit)
{
    const gt_runner *incumbent = &race->runners.items[race->incumbent];
    *at_limit = false;
    if (runner == incumbent) {
        return gt_race_shared(runner, runner, GT_SHARED_FULL) >= gt_race_level(race);
    }
    if (runner->paired.count < gt_race_level(race)) {
        return false;
    }
    if (bound(&race->stop, &runner->paired, -1) > -log1p(race->options.epsilon) &&
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
        *end = GT_RACE_NOBODY;
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
        bool slower = bound(&race->drop, &r->paired, -1) > 0; /* the default stays when it is */
        others = others || ((int64_t)i != race->incumbent && !slower);
        at_limit = at_limit || (limit && !slower);
    }
    *end = !others ? GT_RACE_ONE_LEFT : at_limit ? GT_RACE_ROUNDS : GT_RACE_NO_GAIN;
    return true;
}

/* As good as the incumbent: not shown to be slower, and shown to be within epsilon (the default:
 * within one and a half). */
static bool is_equal(gt_race *race, const gt_runner *runner)
{
    double within = log1p((runner->is_default ? 1.5 : 1) * race->options.epsilon);
    return runner->paired.count >= (race->options.exact ? 1 : 3) &&
           bound(&race->drop, &runner->paired, -1) <= 0 &&
           bound(&race->stop, &runner->paired, 1) <= within;
}

/* Could well be as good: the estimate is within epsilon and 0 not excluded. */
static bool is_tied(gt_race *race, const gt_runner *runner)
{
    return runner->paired.count >= (race->options.exact ? 1 : 2) &&
           runner->paired.mean <= log1p(race->options.epsilon) &&
           bound(&race->stop, &runner->paired, -1) <= 0;
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
