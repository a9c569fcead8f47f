/* The race (race.h): rounds, comparisons, elimination and decision. */
#include "tuner/race.h"

#include "base/number.h"
#include "base/random.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    GT_RACE_LEVEL = 5,             /* minimum number of shared rounds for confidence bounds */
    GT_RACE_LEVEL_EXHAUSTIVE = 10, /* minimum number of shared rounds in an exhaustive race */
    /* a contestant fails after this many consecutive rounds without a value */
    GT_RACE_MISSED_MAX = 3
};

/* One-sided error probabilities of the bounds that eliminate a contestant and that end the race. */
#define DROP_ERROR 0.003
#define STOP_ERROR 0.012

struct gt_race {
    gt_race_options options;
    gt_random random;
    gt_runner *first, *last; /* contestants in the order in which they joined; owned */
    uint32_t count;
    GT_ARRAY(gt_runner *) by_id; /* indexed by id; NULL for unused ids */
    uint64_t *ids;               /* contestants of the current round */
    size_t ids_capacity;
    gt_race_round round; /* current round; its `count` is 0 between rounds */
    uint32_t rounds, samples;
    gt_runner *standard;  /* the default, or NULL if it has not joined */
    gt_runner *incumbent; /* NULL: none */
    gt_runner *winner;    /* NULL until the race is decided */
    gt_runner *reserve;   /* best contestant that was eliminated, or NULL */
    bool tie, complete;
    bool is_tied;    /* true if the race waits for gt_race_break_tie() */
    uint32_t finals; /* number of final rounds so far */
    gt_race_end decided, end;
    double deviation; /* standard deviation of a log-ratio; negative: unknown */
    double *scratch;  /* memory for the log-ratios between two contestants */
    size_t scratch_capacity;
};

/* If at least PRIOR_FROM variances are known, moves each contestant's variance towards the median
 * of all. The median has as many degrees of freedom as there are known variances, but at most
 * PRIOR_WEIGHT. */
enum { PRIOR_WEIGHT = 8, PRIOR_FROM = 3 };

static bool runner_is_ready(const gt_race *race, const gt_runner *runner)
{
    return runner->paired.count >= race->options.level;
}

static bool runner_is_in(const gt_runner *runner)
{
    return runner->left == GT_RACE_IN;
}

/* --- pairs ------------------------------------------------------------------------------------ */

static bool is_kind(const gt_race_sample *sample, gt_race_kind kind)
{
    return kind == GT_RACE_ANY || sample->kind == kind;
}

/* Returns how many rounds `a` and `b` share. If `out` is not NULL, writes the log-ratio of `a` to
 * `b` in each of these rounds to it. If `doubt` is not NULL, subtracts the systematic error of
 * quick samples from their log-ratios. */
static size_t collect_ratios(double *out, const gt_runner *a, const gt_runner *b, gt_race_kind kind,
                             gt_race_doubt *doubt)
{
    size_t i = 0, j = 0, count = 0;
    while (i < a->samples.count && j < b->samples.count) {
        const gt_race_sample *x = &a->samples.items[i], *y = &b->samples.items[j];
        if (x->round == y->round) {
            if (is_kind(x, kind)) {
                if (out) {
                    out[count] = log(x->value / y->value) -
                                 (doubt && x->kind == GT_RACE_QUICK ? doubt(x->value) : 0);
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

static uint32_t race_shared(const gt_runner *a, const gt_runner *b, gt_race_kind kind)
{
    return (uint32_t)collect_ratios(NULL, a, b, kind, NULL);
}

/* Writes the log-ratios of `a` to `b` to the scratch memory, sorted, and returns their number. */
static size_t race_ratios(gt_race *race, const gt_runner *a, const gt_runner *b, gt_race_kind kind)
{
    size_t count = collect_ratios(race->scratch, a, b, kind, NULL);
    gt_sort(race->scratch, count);
    return count;
}

/* --- spread of all ratios --------------------------------------------------------------------- */

/* Sorts `values` and returns their median; 0 if there are too few. */
static double median_variance(double *values, size_t count)
{
    if (count < PRIOR_FROM) {
        return 0;
    }
    gt_sort(values, count);
    return gt_median_sorted(values, count);
}

static double unbiased(double variance, uint32_t freedom)
{
    double root = 1 - 2 / (9.0 * freedom);
    return variance / (root * root * root);
}

static void moderate_all(gt_race *race, double *variances)
{
    size_t count = 0;
    for (const gt_runner *r = race->first; r; r = r->next) {
        if (runner_is_in(r) && r != race->incumbent && r->paired.freedom) {
            variances[count++] = unbiased(gt_paired_variance(&r->paired), r->paired.freedom);
        }
    }
    double prior = median_variance(variances, count);
    uint32_t weight = count < PRIOR_WEIGHT ? (uint32_t)count : PRIOR_WEIGHT;
    for (gt_runner *r = race->first; r && prior > 0; r = r->next) {
        if (runner_is_in(r) && r->paired.count > 1) {
            gt_paired_moderate(&r->paired, prior, weight);
        }
    }
}

/* --- the incumbent ---------------------------------------------------------------------------- */

/* Returns the middle of a contestant's log-ratios to another contestant: the trimmed mean or, if
 * there are fewer than five, the median. If the two share no full round, uses quick rounds; NaN if
 * they share no round at all. */
static double middle_ratio(gt_race *race, const gt_runner *runner, const gt_runner *other)
{
    size_t count = race_ratios(race, runner, other, GT_RACE_FULL);
    if (!count) {
        count = race_ratios(race, runner, other, GT_RACE_ANY);
    }
    if (!count) {
        return NAN;
    }
    return count < GT_RACE_LEVEL ? gt_median_sorted(race->scratch, count)
                                 : gt_trimmed_mean(race->scratch, count, GT_PAIRED_TRIM);
}

/* Returns the contestant with the most samples and, among equals, the smallest last value. */
static gt_runner *first_incumbent(const gt_race *race)
{
    gt_runner *best = NULL;
    double best_value = INFINITY;
    for (gt_runner *r = race->first; r; r = r->next) {
        if (!runner_is_in(r) || !r->samples.count) {
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

static double median_time(gt_race *race, const gt_runner *runner)
{
    size_t count = 0;
    for (size_t i = 0; i < runner->samples.count; i++) {
        if (is_kind(&runner->samples.items[i], GT_RACE_FULL)) {
            race->scratch[count++] = runner->samples.items[i].value;
        }
    }
    gt_sort(race->scratch, count);
    return gt_median_sorted(race->scratch, count);
}

/* Returns true if a faster contestant may replace the incumbent. All others must then be sampled
 * again, so a contestant that missed rounds of the incumbent must be clearly faster. If values are
 * exact, one shared round is enough. After a stop, the contestant's median must be smaller, too,
 * because a single slow sample may have caused the difference. */
static bool may_take_over(gt_race *race, const gt_runner *runner, const gt_runner *incumbent,
                          double log_ratio)
{
    uint32_t all = race_shared(incumbent, incumbent, GT_RACE_FULL);
    uint32_t shared = race_shared(runner, incumbent, GT_RACE_FULL);
    if (shared >= all || (shared && race->options.exact)) {
        return log_ratio < 0;
    }
    if (!shared || log_ratio >= -race->options.epsilon / 2) {
        return false;
    }
    return shared >= race->options.level ||
           (race->end != GT_RACE_RUNNING &&
            median_time(race, runner) < median_time(race, incumbent));
}

static void choose_incumbent(gt_race *race)
{
    if (!race->incumbent || !runner_is_in(race->incumbent)) {
        race->incumbent = first_incumbent(race);
    }
    if (!race->incumbent) {
        return;
    }
    const gt_runner *incumbent = race->incumbent;
    double best = 0;
    gt_runner *next = race->incumbent;
    for (gt_runner *r = race->first; r; r = r->next) {
        if (r == incumbent || !runner_is_in(r)) {
            continue;
        }
        double ratio = middle_ratio(race, r, incumbent);
        if (ratio < best && may_take_over(race, r, incumbent, ratio)) {
            best = ratio;
            next = r;
        }
    }
    race->incumbent = next;
}

/* Estimates the standard deviation of the log-ratios of all contestants, including quick rounds. If
 * there are too few ratios, keeps the previous value. `variances` is memory for one value per
 * contestant. */
static void note_deviation(gt_race *race, double *variances)
{
    enum { KNOWN_AFTER = 8 }; /* degrees of freedom that make the estimate reliable */
    const gt_runner *incumbent = race->incumbent;
    uint32_t freedom = 0;
    size_t count = 0;
    for (const gt_runner *r = race->first; r; r = r->next) {
        if (r != incumbent && runner_is_in(r)) {
            size_t pairs = race_ratios(race, r, incumbent, GT_RACE_ANY);
            gt_paired paired = pairs ? gt_paired_sorted(race->scratch, pairs) : (gt_paired){0};
            if (paired.freedom) {
                variances[count++] = unbiased(gt_paired_variance(&paired), paired.freedom);
                freedom += paired.freedom;
            }
        }
    }
    if (count >= PRIOR_FROM && freedom >= KNOWN_AFTER) {
        race->deviation = sqrt(median_variance(variances, count));
    }
}

static void compare_all(gt_race *race)
{
    const gt_runner *incumbent = race->incumbent;
    for (gt_runner *r = race->first; r; r = r->next) {
        if (!runner_is_in(r)) {
            continue;
        }
        double ratio = r == incumbent ? 0 : middle_ratio(race, r, incumbent);
        r->ratio = isnan(ratio) ? 0 : exp(ratio);
        size_t count = r == incumbent ? 0 : race_ratios(race, r, incumbent, GT_RACE_FULL);
        r->paired = count ? gt_paired_sorted(race->scratch, count) : (gt_paired){0};
        if (count && race->options.exact) {
            r->paired.error = 0;
            r->paired.freedom = 1;
        }
    }
}

/* A contestant leaves early, after n = 2, 3 or 4 shared rounds, if each of its log-ratios exceeds
 * both a floor and k standard deviations minus epsilon. If the contestant were faster by epsilon,
 * the probability of n such ratios would be Q(k)^n <= 7e-5. */
enum { EARLY_FIRST = 2, EARLY_LAST = 4 };
static const double early_floor[EARLY_LAST + 1] = {0, 0, 0.006, 0.004, 0.003};
static const double early_deviations[EARLY_LAST + 1] = {0, 0, 2.6, 1.8, 1.35};

/* Returns the bound that `count` log-ratios must exceed to decide early; INFINITY for too few. */
static double early_least(const gt_race *race, size_t count)
{
    if (count < EARLY_FIRST || race->deviation < 0 || race->options.exhaustive) {
        return INFINITY;
    }
    size_t row = count > EARLY_LAST ? EARLY_LAST : count;
    double sure = early_deviations[row] * race->deviation - log1p(race->options.epsilon);
    return sure > early_floor[row] ? sure : early_floor[row];
}

/* Returns true if every sample of a contestant is below the incumbent's median. Without this
 * condition, two disturbed samples of the incumbent could make a contestant look faster. */
static bool is_below_usual(gt_race *race, const gt_runner *runner, const gt_runner *incumbent)
{
    if (!race_shared(incumbent, incumbent, GT_RACE_FULL)) {
        return false;
    }
    double most = median_time(race, incumbent);
    for (size_t i = 0; i < runner->samples.count; i++) {
        if (runner->samples.items[i].value >= most) {
            return false;
        }
    }
    return true;
}

/* If a contestant is clearly faster than the incumbent, replaces the incumbent. A slow incumbent
 * would keep slow contestants in the race. */
static bool take_over_early(gt_race *race)
{
    gt_runner *incumbent = race->incumbent, *next = incumbent;
    for (gt_runner *r = race->first; r; r = r->next) {
        if (r == incumbent || !runner_is_in(r)) {
            continue;
        }
        size_t count = race_ratios(race, r, incumbent, GT_RACE_ANY);
        double least = early_least(race, count);
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

/* Returns true if an eliminated contestant is faster than the reserve. Does not compare their
 * `ratio` members, because they may refer to different incumbents. */
static bool is_better_reserve(gt_race *race, const gt_runner *runner)
{
    const gt_runner *reserve = race->reserve;
    double ratio = middle_ratio(race, runner, reserve);
    return isnan(ratio) ? runner->samples.items[runner->samples.count - 1].value <
                              reserve->samples.items[reserve->samples.count - 1].value
                        : ratio < 0;
}

static void leave_race(gt_race *race, gt_runner *runner, gt_race_leave how)
{
    runner->left = how;
    runner->left_round = race->round.number;
    if (!race->reserve || race->reserve->left == GT_RACE_LEFT_FAILED ||
        is_better_reserve(race, runner)) {
        race->reserve = runner;
    }
}

/* If the best contestant has failed, or if only the default is left, returns the best eliminated
 * contestant to the race. */
static void race_call_reserve(gt_race *race, bool best_failed)
{
    if (!race->reserve || race->reserve->left == GT_RACE_LEFT_FAILED) {
        return;
    }
    for (const gt_runner *r = race->first; r && !best_failed; r = r->next) {
        if (runner_is_in(r) && !r->is_default) {
            return;
        }
    }
    race->reserve->left = GT_RACE_IN;
    race->reserve->left_round = 0;
    race->reserve = NULL;
}

/* Eliminates contestants whose first time exceeds drop_ratio times the best time of the round. */
static void drop_first(gt_race *race)
{
    double best = INFINITY;
    if (!race->round.count || race->options.drop_ratio < 1) {
        return;
    }
    for (const gt_runner *r = race->first; r; r = r->next) {
        best = r->pending < best ? r->pending : best; /* never true if `pending` is NaN */
    }
    for (gt_runner *r = race->first; r; r = r->next) {
        bool first = r->samples.count == 1 && isfinite(r->pending);
        if (first && runner_is_in(r) && !r->is_default &&
            r->pending > race->options.drop_ratio * best) {
            r->ratio = r->pending / best;
            leave_race(race, r, GT_RACE_LEFT_FIRST);
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

static double least_of(const gt_race *race, size_t count)
{
    return count ? race->scratch[0] : INFINITY;
}

/* Returns true if a contestant was far slower in every round that it shared with the incumbent.
 * Compares full samples first, because quick samples are less certain. Also counts its ratio to the
 * incumbent of its first round: the current incumbent is at least as fast as that one. */
static bool is_far_off(gt_race *race, const gt_runner *runner, const gt_runner *incumbent)
{
    gt_race_doubt *doubt = race->options.quick_doubt;
    const gt_race_sample *first = &runner->samples.items[0];
    size_t count = race_ratios(race, runner, incumbent, GT_RACE_FULL);
    if (least_of(race, count) > early_least(race, count)) {
        return true; /* even the smallest ratio is above the bound */
    }
    count = collect_ratios(race->scratch, runner, incumbent, GT_RACE_ANY, doubt);
    gt_sort(race->scratch, count);
    double least = least_of(race, count);
    if (!isnan(runner->first) && !has_round(incumbent, first->round)) {
        least = fmin(least, runner->first -
                                (doubt && first->kind == GT_RACE_QUICK ? doubt(first->value) : 0));
        count++;
    }
    return least > early_least(race, count);
}

/* Records the first log-ratio of each new contestant, if the incumbent was in the same round. */
static void note_first(gt_race *race)
{
    double best = race->incumbent->pending;
    for (gt_runner *r = race->first; r && race->round.count; r = r->next) {
        if (r->samples.count == 1 && isnan(r->first)) {
            r->first = log(r->pending / best);
        }
    }
}

static void drop_early(gt_race *race)
{
    const gt_runner *incumbent = race->incumbent;
    for (gt_runner *r = race->first; r; r = r->next) {
        if (r != incumbent && !r->is_default && runner_is_in(r) &&
            r->paired.count < race->options.level && is_far_off(race, r, incumbent)) {
            leave_race(race, r, GT_RACE_LEFT_EARLY);
        }
    }
}

static void race_judge(gt_race *race)
{
    drop_first(race);
    if (race->options.fixed) {
        return;
    }
    choose_incumbent(race);
    if (!race->incumbent) {
        return;
    }
    note_first(race);
    compare_all(race);
    GT_FREED double *variances = malloc(race->count * sizeof *variances);
    if (!variances) {
        return; /* without memory for the variances, no contestant is eliminated in this round */
    }
    note_deviation(race, variances);
    if (take_over_early(race)) {
        compare_all(race);
        note_deviation(race, variances);
    }
    moderate_all(race, variances);
    drop_early(race);
    for (gt_runner *r = race->first; r; r = r->next) {
        if (r != race->incumbent && !r->is_default && runner_is_in(r) && runner_is_ready(race, r) &&
            gt_paired_bound(&r->paired, -1, DROP_ERROR) > 0) {
            leave_race(race, r, GT_RACE_LEFT_SLOWER);
        }
    }
}

/* --- ending a race ---------------------------------------------------------------------------- */

/* Returns true if the default is known to be slower than the incumbent, or if their ratio is known
 * to within epsilon, whatever its value is. */
static bool is_default_resolved(gt_race *race, const gt_runner *runner)
{
    double low = gt_paired_bound(&runner->paired, -1, DROP_ERROR);
    double high = gt_paired_bound(&runner->paired, 1, STOP_ERROR);
    return low > 0 || high - runner->paired.mean <= log1p(race->options.epsilon);
}

/* Returns true if more samples of a contestant would not change the result. Also returns true, and
 * sets *at_limit, if the contestant has reached max_rounds. */
static bool race_is_done_with(gt_race *race, const gt_runner *runner, bool *at_limit)
{
    const gt_runner *incumbent = race->incumbent;
    *at_limit = false;
    if (runner == incumbent) {
        return race_shared(runner, runner, GT_RACE_FULL) >= race->options.level;
    }
    if (!runner_is_ready(race, runner)) {
        return false;
    }
    if (gt_paired_bound(&runner->paired, -1, STOP_ERROR) > -log1p(race->options.epsilon) &&
        (!runner->is_default || is_default_resolved(race, runner))) {
        return true;
    }
    *at_limit = runner->paired.count >= race->options.max_rounds;
    return *at_limit;
}

static bool race_is_settled(gt_race *race, gt_race_end *end)
{
    bool at_limit = false, others = false;
    if (!race->incumbent) {
        *end = GT_RACE_NONE_LEFT;
        return gt_race_active(race) == 0;
    }
    for (const gt_runner *r = race->first; r; r = r->next) {
        if (!runner_is_in(r)) {
            continue;
        }
        bool limit;
        if (!race_is_done_with(race, r, &limit)) {
            return false;
        }
        bool slower =
            /* only the default can be slower: others would have left the race */
            gt_paired_bound(&r->paired, -1, DROP_ERROR) > 0;
        others = others || (r != race->incumbent && !slower);
        at_limit = at_limit || (limit && !slower);
    }
    *end = !others ? GT_RACE_ONE_LEFT : at_limit ? GT_RACE_ROUNDS : GT_RACE_NO_GAIN;
    return true;
}

/* Returns true if a contestant is as good as the incumbent: it is not known to be slower, and it is
 * within epsilon (for the default, 1.5 epsilon). */
static bool is_equal(gt_race *race, const gt_runner *runner)
{
    double within = log1p((runner->is_default ? 1.5 : 1) * race->options.epsilon);
    return runner->paired.count >= (race->options.exact ? 1 : 3) &&
           gt_paired_bound(&runner->paired, -1, DROP_ERROR) <= 0 &&
           gt_paired_bound(&runner->paired, 1, STOP_ERROR) <= within;
}

/* Returns true if the mean of a contestant is within epsilon, and its interval contains 0. */
static bool is_tied(gt_race *race, const gt_runner *runner)
{
    return runner->paired.count >= (race->options.exact ? 1 : 2) &&
           runner->paired.mean <= log1p(race->options.epsilon) &&
           gt_paired_bound(&runner->paired, -1, STOP_ERROR) <= 0;
}

/* Returns true if a contestant may be as good as the incumbent: it is not known to be slower, and
 * is probably not much slower. The limit is 2 epsilon, because the incumbent may be the luckiest of
 * many equal contestants. */
static bool may_be_as_good(gt_race *race, const gt_runner *runner)
{
    return runner->paired.count >= (race->options.exact ? 1 : 3) &&
           gt_paired_bound(&runner->paired, -1, DROP_ERROR) <= 0 &&
           runner->paired.mean <= log1p(2 * race->options.epsilon);
}

/* Marks the contestants that are tied. Returns false if only the winner is marked. */
static bool race_find_tied(gt_race *race)
{
    bool found = false;
    for (gt_runner *r = race->first; r; r = r->next) {
        bool equal = (race->options.tie_break == GT_TIE_WITHIN ? is_tied : may_be_as_good)(race, r);
        r->tied = runner_is_in(r) && (r == race->incumbent || r == race->winner || equal);
        found = found || (r->tied && r != race->winner);
    }
    return found;
}

bool gt_race_precedes(const gt_race *race, uint64_t a, uint64_t b)
{
    const gt_race_options *o = &race->options;
    return o->precedes ? o->precedes(o->user, a, b) : a < b;
}

static void race_choose(gt_race *race)
{
    race->winner = race->incumbent;
    race->tie = false;
    for (gt_runner *r = race->incumbent ? race->first : NULL; r; r = r->next) {
        if (!runner_is_in(r) || r == race->incumbent) {
            continue;
        }
        race->tie = race->tie || is_tied(race, r);
        if (is_equal(race, r) && gt_race_precedes(race, r->id, race->winner->id)) {
            race->winner = r;
            race->tie = true;
        }
    }
}

gputune_status gt_race_new(gt_race **out, const gt_race_options *options)
{
    gt_race *race = calloc(1, sizeof *race);
    GT_TRY(gt_allocated(race));
    gt_race_options o = options ? *options : (gt_race_options){0};
    o.epsilon = o.epsilon > 0 ? o.epsilon : 0.005;
    o.drop_ratio = o.exhaustive ? 0.5 : o.drop_ratio > 0 ? o.drop_ratio : 2;
    o.level = o.level ? o.level : GT_RACE_LEVEL;
    o.level = o.exact ? 1 : o.exhaustive ? GT_RACE_LEVEL_EXHAUSTIVE : o.level;
    o.max_rounds = o.max_rounds ? o.max_rounds : 60;
    o.final_rounds = o.exact ? 1 : o.final_rounds ? o.final_rounds : 8;
    o.quick_from = o.exact || o.exhaustive ? UINT32_MAX : o.quick_from ? o.quick_from : 5;
    race->options = o;
    race->random.state = race->options.seed;
    race->deviation = -1;
    *out = race;
    return GPUTUNE_OK;
}

void gt_race_free(gt_race *race)
{
    if (!race) {
        return;
    }
    for (gt_runner *r = race->first, *next; r; r = next) {
        next = r->next;
        gt_array_free(&r->samples);
        free(r);
    }
    gt_array_free(&race->by_id);
    free(race->ids);
    free(race->scratch);
    free(race);
}

/* --- contestants ------------------------------------------------------------------------------ */

static gt_runner *find_runner(const gt_race *race, uint64_t id)
{
    return id < race->by_id.count ? race->by_id.items[id] : NULL;
}

gputune_status gt_race_add(gt_race *race, uint64_t id, bool is_default)
{
    gt_runner *old = find_runner(race, id);
    GT_REFUSE(old && runner_is_in(old), GPUTUNE_EINVAL, "contestant %llu is in the race already",
              (unsigned long long)id);
    race->decided = race->end = GT_RACE_RUNNING;
    race->complete = race->is_tied = false;
    race->winner = NULL;
    if (old) {
        old->left = GT_RACE_IN;
        old->left_round = old->missed = 0;
        race->reserve = old == race->reserve ? NULL : race->reserve;
        return GPUTUNE_OK;
    }
    while (race->by_id.count <= id) {
        GT_TRY(gt_array_push(&race->by_id, NULL));
    }
    GT_TRY(gt_array_grow((void **)&race->ids, &race->ids_capacity, race->count, sizeof *race->ids));
    gt_runner *runner = calloc(1, sizeof *runner);
    GT_TRY(gt_allocated(runner));
    *runner = (gt_runner){.id = id, .is_default = is_default, .first = NAN, .pending = NAN};
    *(race->last ? &race->last->next : &race->first) = runner;
    race->last = race->by_id.items[id] = runner;
    race->standard = is_default ? runner : race->standard;
    race->count++;
    return GPUTUNE_OK;
}

void gt_race_complete(gt_race *race)
{
    race->complete = true;
}

/* --- rounds ----------------------------------------------------------------------------------- */

static void abandon_round(gt_race *race)
{
    for (gt_runner *r = race->first; r; r = r->next) {
        r->in_round = false;
        r->pending = NAN;
    }
    race->round.count = 0;
}

static void enter_race(gt_race *race, gt_runner *runner)
{
    runner->in_round = true;
    race->ids[race->round.count++] = runner->id;
}

/* Returns true if a contestant may join quick rounds: it has no sample, or one quick sample. */
static bool is_new_contestant(const gt_runner *runner)
{
    enum { LOOKS = 2 };
    size_t count = runner->samples.count;
    return runner_is_in(runner) &&
           (count == 0 ||
            (count < LOOKS && runner->samples.items[count - 1].kind == GT_RACE_QUICK));
}

static bool only_default_is_open(gt_race *race)
{
    bool ignored;
    for (const gt_runner *r = race->first; r; r = r->next) {
        if (!r->is_default && runner_is_in(r) && !race_is_done_with(race, r, &ignored)) {
            return false;
        }
    }
    return race->standard && runner_is_in(race->standard);
}

/* Chooses the contestants of a full round: those with too few rounds. If all have enough, chooses
 * the default if only it is undecided, and otherwise all contestants. */
static void enter_racing(gt_race *race)
{
    for (gt_runner *r = race->first; r; r = r->next) {
        if (runner_is_in(r) && r != race->incumbent && !runner_is_ready(race, r)) {
            enter_race(race, r);
        }
    }
    if (race->round.count) {
        return;
    }
    bool alone = race->incumbent && only_default_is_open(race);
    for (gt_runner *r = race->first; r; r = r->next) {
        if (runner_is_in(r) && r != race->incumbent && (!alone || r->is_default)) {
            enter_race(race, r);
        }
    }
}

static uint32_t count_new_contestants(const gt_race *race)
{
    uint32_t count = 0;
    for (const gt_runner *r = race->first; r; r = r->next) {
        count += is_new_contestant(r);
    }
    return count;
}

bool gt_race_wants_round(gt_race *race)
{
    gt_race_end ignored;
    if (race->end != GT_RACE_RUNNING || race->is_tied || !gt_race_active(race)) {
        return false;
    }
    return race->decided != GT_RACE_RUNNING || !race->rounds || count_new_contestants(race) ||
           !race_is_settled(race, &ignored);
}

static void fill_round(gt_race *race)
{
    uint32_t pending = count_new_contestants(race);
    gt_race_end ignored;
    for (gt_runner *r = race->first; r && race->options.fixed; r = r->next) {
        if (runner_is_in(r)) {
            enter_race(race, r);
        }
    }
    if (race->options.fixed || race->is_tied) {
        return;
    }
    if (race->decided != GT_RACE_RUNNING) {
        race->round.kind = GT_RACE_FINAL;
        enter_race(race, race->winner);
        enter_race(race, race->standard);
        return;
    }
    if (!pending && race->rounds && race_is_settled(race, &ignored)) {
        return; /* nothing to sample until the race is decided or contestants join */
    }
    bool quick = pending >= race->options.quick_from;
    race->round.kind = quick ? GT_RACE_QUICK : GT_RACE_FULL;
    for (gt_runner *r = race->first; r && quick; r = r->next) {
        if (is_new_contestant(r)) {
            enter_race(race, r);
        }
    }
    if (!quick) {
        enter_racing(race);
    }
    if (race->incumbent && runner_is_in(race->incumbent) && !race->incumbent->in_round) {
        enter_race(race, race->incumbent);
    }
}

gputune_status gt_race_next_round(gt_race *race, gt_race_round *out)
{
    abandon_round(race);
    race->round =
        (gt_race_round){.number = race->rounds + 1, .ids = race->ids, .kind = GT_RACE_FULL};
    if (race->end == GT_RACE_RUNNING) {
        fill_round(race);
    }
    gt_random_shuffle(&race->random, race->ids, race->round.count);
    *out = race->round;
    out->kind = race->options.exact ? GT_RACE_QUICK : race->round.kind;
    return GPUTUNE_OK;
}

gputune_status gt_race_record(gt_race *race, uint64_t id, double value)
{
    gt_runner *runner = find_runner(race, id);
    GT_REFUSE(!runner || !runner->in_round, GPUTUNE_EINVAL, "contestant %llu is not in this round",
              (unsigned long long)id);
    if (isfinite(value) && value > 0) {
        runner->pending = value;
    }
    return GPUTUNE_OK;
}

static gputune_status keep_samples(gt_race *race)
{
    for (gt_runner *r = race->first; r; r = r->next) {
        if (isfinite(r->pending)) {
            const gt_race_sample sample = {
                .value = r->pending, .round = race->round.number, .kind = race->round.kind};
            GT_TRY(gt_array_push(&r->samples, sample));
            race->samples++;
            r->missed = 0;
        } else if (r->in_round && runner_is_in(r) && ++r->missed >= GT_RACE_MISSED_MAX) {
            gt_race_fail(race, r->id);
        }
    }
    return GPUTUNE_OK;
}

/* Returns true if final rounds of the winner and the default are needed, because the interval of
 * the speed-up must not be computed from the samples that decided who wins. If values are exact,
 * one shared round is enough instead. */
static bool wants_finals(const gt_race *race)
{
    const gt_runner *winner = race->winner, *standard = race->standard;
    bool has_shared = race->options.exact && standard && race_shared(standard, winner, GT_RACE_ANY);
    return standard && standard != winner && runner_is_in(standard) && !has_shared;
}

static void decide_race(gt_race *race)
{
    gt_race_end reason;
    if (race->end != GT_RACE_RUNNING || race->decided != GT_RACE_RUNNING || !race->complete ||
        count_new_contestants(race) || !race_is_settled(race, &reason)) {
        return;
    }
    race_choose(race);
    race->finals = 0;
    race->is_tied = race->options.tie_break && race->winner && race_find_tied(race);
    if (race->is_tied || (race->winner && wants_finals(race))) {
        race->decided = reason;
    } else {
        race->end = reason;
    }
}

bool gt_race_is_tied(const gt_race *race)
{
    return race->is_tied;
}

gputune_status gt_race_break_tie(gt_race *race, uint64_t id, gt_race_end *end)
{
    gt_runner *runner = find_runner(race, id);
    bool is_tied = race->is_tied && runner && runner->tied && runner_is_in(runner);
    GT_REFUSE(!is_tied, GPUTUNE_EINVAL, "contestant %llu is not in a tie", (unsigned long long)id);
    race->winner = runner;
    race->tie = true;
    race->is_tied = false;
    if (!wants_finals(race)) {
        race->end = race->decided;
    }
    *end = race->end;
    return GPUTUNE_OK;
}

gputune_status gt_race_end_round(gt_race *race, gt_race_end *end)
{
    if (race->round.count) {
        GT_TRY(gt_array_grow((void **)&race->scratch, &race->scratch_capacity, race->round.number,
                             sizeof *race->scratch));
        race->rounds = race->round.number;
        GT_TRY(keep_samples(race));
        if (race->round.kind != GT_RACE_FINAL) {
            race_judge(race);
        } else if (++race->finals >= race->options.final_rounds) {
            race->end = race->decided;
        }
        abandon_round(race);
    }
    decide_race(race);
    *end = race->end;
    return GPUTUNE_OK;
}

void gt_race_fail(gt_race *race, uint64_t id)
{
    gt_runner *runner = find_runner(race, id);
    if (!runner || runner->left == GT_RACE_LEFT_FAILED) {
        return;
    }
    bool was_winner = runner == race->winner;
    bool was_best = runner == (race->winner ? race->winner : race->incumbent);
    bool reopen = was_winner || (runner->is_default && race->decided != GT_RACE_RUNNING);
    runner->left = GT_RACE_LEFT_FAILED;
    runner->left_round = race->round.number;
    runner->pending = NAN;
    if (reopen && race->end != GT_RACE_BUDGET && race->end != GT_RACE_CANCELED) {
        race->decided = race->end = GT_RACE_RUNNING;
        race->is_tied = false;
    }
    if (was_winner) {
        race->winner = NULL;
    }
    race_call_reserve(race, was_best);
    if (race->rounds) {
        gt_race_round round = race->round;
        race->round.count = 0; /* ignore the unfinished round */
        race_judge(race);
        race->round = round;
    }
}

void gt_race_stop(gt_race *race, gt_race_end reason)
{
    abandon_round(race);
    if (race->end != GT_RACE_RUNNING) {
        return;
    }
    race->end = reason;
    race->is_tied = false;
    if (race->decided == GT_RACE_RUNNING) {
        if (race->rounds) {
            race_judge(race); /* a stopped race is judged by other rules, so judge it again */
        }
        race_choose(race);
    }
}

const char *gt_race_end_text(gt_race_end end)
{
    static const char *const texts[] = {
        [GT_RACE_RUNNING] = "",
        [GT_RACE_ONE_LEFT] = "no other variant is as fast",
        [GT_RACE_NO_GAIN] = "no remaining variant is faster by more than epsilon",
        [GT_RACE_ROUNDS] = "the limit of rounds was reached",
        [GT_RACE_BUDGET] = "the time limit was reached",
        [GT_RACE_CANCELED] = "stopped on request",
        [GT_RACE_NONE_LEFT] = "every variant failed",
    };
    return texts[end];
}

uint32_t gt_race_active(const gt_race *race)
{
    uint32_t count = 0;
    for (const gt_runner *r = race->first; r; r = r->next) {
        count += runner_is_in(r);
    }
    return count;
}

uint32_t gt_race_count(const gt_race *race)
{
    return race->count;
}

const gt_runner *gt_race_incumbent(const gt_race *race)
{
    const gt_runner *best = race->winner ? race->winner : race->incumbent;
    return best && runner_is_in(best) ? best : NULL;
}

const gt_runner *gt_race_first(const gt_race *race)
{
    return race->first;
}

const gt_runner *gt_race_find(const gt_race *race, uint64_t id)
{
    return find_runner(race, id);
}

bool gt_race_has_lost(const gt_race *race, const gt_runner *runner)
{
    return !runner_is_in(runner) && runner != race->reserve;
}

/* Copies a contestant's values of one kind. Final samples count as full samples, too. */
static size_t copy_samples(double *out, const gt_runner *runner, gt_race_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < runner->samples.count; i++) {
        const gt_race_sample *s = &runner->samples.items[i];
        if (s->kind == kind || (s->kind == GT_RACE_FINAL && kind == GT_RACE_FULL)) {
            out[count++] = s->value;
        }
    }
    return count;
}

enum { ENOUGH_FINAL = 5 };

gputune_status gt_race_summary(const gt_race *race, uint64_t id, gt_summary *out)
{
    const gt_runner *runner = find_runner(race, id);
    if (!runner || !runner->samples.count) {
        *out = (gt_summary){0};
        return GPUTUNE_OK;
    }
    GT_FREED double *values = malloc(runner->samples.count * sizeof *values);
    GT_TRY(gt_allocated(values));
    size_t count = copy_samples(values, runner, GT_RACE_FINAL);
    if (count < ENOUGH_FINAL) {
        count = copy_samples(values, runner, GT_RACE_FULL);
    }
    if (!count) {
        count = copy_samples(values, runner, GT_RACE_QUICK);
    }
    return gt_summarise(out, values, count);
}

/* --- results of the race ---------------------------------------------------------------------- */

gputune_status gt_race_compare(gt_verdict *out, const gt_race *race, uint64_t id, uint64_t other)
{
    gt_race *scratch_of = (gt_race *)race; /* the cast is safe: only scratch memory is modified */
    const gt_runner *fast = find_runner(race, id), *slow = find_runner(race, other);
    size_t count = race_ratios(scratch_of, slow, fast, GT_RACE_FINAL);
    if (count < 3) {
        count = race_ratios(scratch_of, slow, fast, GT_RACE_FULL);
    }
    if (!count) {
        count = race_ratios(scratch_of, slow, fast, GT_RACE_ANY);
    }
    if (!count) {
        gt_summary fast, slow; /* the two share no round, so compare their medians */
        GT_TRY(gt_race_summary(race, id, &fast));
        GT_TRY(gt_race_summary(race, other, &slow));
        out->speedup = fast.count && slow.count ? slow.median / fast.median : 0;
        return GPUTUNE_OK;
    }
    const gt_paired paired = gt_paired_sorted(race->scratch, count);
    double speedup = exp(paired.mean), alone = race->options.exact ? speedup : 0;
    out->speedup = speedup;
    out->speedup_low = count > 1 ? exp(gt_paired_bound(&paired, -1, 0.025)) : alone;
    out->speedup_high = count > 1 ? exp(gt_paired_bound(&paired, 1, 0.025)) : alone;
    return GPUTUNE_OK;
}

gputune_status gt_race_result_get(const gt_race *race, gt_race_result *out)
{
    const gt_runner *winner = gt_race_incumbent(race), *standard = race->standard;
    GT_REFUSE(!winner, GPUTUNE_ENOVARIANT, "no variant is left in the race");
    gt_race_result result = {.end = race->end,
                             .verdict.tie = race->tie,
                             .winner = winner->id,
                             .rounds = race->rounds,
                             .samples = race->samples};
    result.has_default = standard && standard->samples.count;
    if (standard == winner) {
        result.verdict.speedup = result.verdict.speedup_low = result.verdict.speedup_high = 1;
    } else if (result.has_default) {
        GT_TRY(gt_race_compare(&result.verdict, race, winner->id, standard->id));
    }
    *out = result;
    return GPUTUNE_OK;
}

const char *gt_race_leave_text(char *out, size_t bytes, const gt_runner *runner)
{
    uint32_t count = (uint32_t)runner->samples.count;
    if (runner->left == GT_RACE_LEFT_FIRST) {
        gt_snprintf(out, bytes, "took %.2fx the best time in its first round", runner->ratio);
    } else if (runner->left == GT_RACE_LEFT_EARLY || runner->left == GT_RACE_LEFT_SLOWER) {
        gt_snprintf(out, bytes, "%.1f%% slower after %u sample%s", 100 * (runner->ratio - 1), count,
                    gt_plural(count));
    } else {
        snprintf(out, bytes, "%s", runner->left == GT_RACE_LEFT_FAILED ? "failed" : "");
    }
    return out;
}
