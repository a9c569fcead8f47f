/* Compares contestants: pairs, the spread of all contestants, the incumbent. */
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

uint32_t gt_race_level(const gt_race *race)
{
    return race->options.exact        ? 1
           : race->options.exhaustive ? GT_RACE_LEVEL_EXHAUSTIVE
                                      : race->options.level;
}

bool gt_runner_is_ready(const gt_race *race, const gt_runner *runner)
{
    return runner->calm || runner->paired.count >= gt_race_level(race);
}

bool gt_runner_is_in(const gt_runner *runner)
{
    return runner->left == GT_RACE_IN;
}

/* --- pairs ------------------------------------------------------------------------------------ */

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

/* Walks both lists, which are in the order of rounds. Writes log-ratios if `out` is given. */
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
    GT_TRY(gt_allocated(grown));
    race->scratch = grown;
    race->scratch_capacity = 2 * needed;
    return GPUTUNE_OK;
}

double gt_race_bound(gt_quantiles *quantiles, const gt_paired *paired, int sign)
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
    const gt_runner *incumbent = &race->runners.items[race->incumbent];
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
    for (size_t i = 0; i < race->runners.count; i++) {
        if (gt_runner_is_in(&race->runners.items[i])) {
            calm_down(race, &race->runners.items[i], deviation);
        }
    }
}

void gt_race_moderate_all(gt_race *race, double *variances)
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

/* A contestant that has not shared every round with the incumbent replaces it only for a clear
 * gain, because the others would have to be sampled beside it again. After a stop this does not
 * matter. */
static bool may_take_over(const gt_race *race, const gt_runner *runner, const gt_runner *incumbent,
                          double log_ratio)
{
    uint32_t all = gt_race_shared(incumbent, incumbent, GT_SHARED_FULL);
    uint32_t shared = gt_race_shared(runner, incumbent, GT_SHARED_FULL);
    if (shared >= all) {
        return log_ratio < 0;
    }
    uint32_t enough = race->end == GT_RACE_RUNNING ? gt_race_level(race) : 1;
    return shared >= enough && log_ratio < -race->options.epsilon / 2;
}

void gt_race_choose_incumbent(gt_race *race)
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

/* --- all comparisons -------------------------------------------------------------------------- */

double gt_race_field_deviation(gt_race *race, double *variances)
{
    enum { TOLD_BY = 8 }; /* degrees of freedom, summed over all contestants */
    const gt_runner *incumbent = &race->runners.items[race->incumbent];
    double freedom = 0;
    size_t count = 0;
    for (size_t i = 0; i < race->runners.count; i++) {
        const gt_runner *r = &race->runners.items[i];
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

void gt_race_compare_all(gt_race *race)
{
    const gt_runner *incumbent = &race->runners.items[race->incumbent];
    for (size_t i = 0; i < race->runners.count; i++) {
        gt_runner *r = &race->runners.items[i];
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
