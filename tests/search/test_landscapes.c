/* Tests the regret of each strategy on landscapes of known shapes. */
#include "search/landscape.h"

static double distance(const gt_point *point, uint32_t axes)
{
    double sum = 0;
    for (uint32_t i = 0; i < axes; i++) {
        sum += fabs(point->choice[i] - (double)(3 * (i + 1) % 8)) / 8;
    }
    return sum;
}

static double separable(const gt_point *point)
{
    return 0.8 * distance(point, 8);
}

/* Two axes interact, and each point has its own noise. */
static double rugged(const gt_point *point)
{
    double together = fabs(point->choice[0] + point->choice[1] - 9.0) / 14;
    double own = distance(point, 8) > 0 ? 0.15 * landscape_noise(point) : 0;
    return 0.6 * distance(point, 8) + 0.8 * together + own;
}

static double needle(const gt_point *point)
{
    bool there = point->choice[0] == 4 && point->choice[1] == 2 && point->choice[2] == 6;
    return there ? 0 : 0.7 + 0.01 * landscape_noise(point);
}

/* The best point is at the edge of a region in which configurations fail. The region is 30% of the
 * space, mostly at large values. */
static bool fails(const gt_point *point)
{
    return point->choice[0] + point->choice[1] + point->choice[2] > 12;
}

static double towards_failures(const gt_point *point)
{
    double near = fabs(point->choice[0] + point->choice[1] + point->choice[2] - 12.0) / 12;
    double rest = 0;
    for (uint32_t i = 3; i < 6; i++) {
        rest += fabs(point->choice[i] - 5.0) / 8;
    }
    return 1.2 * near + 0.6 * rest;
}

static double one_axis(const gt_point *point)
{
    static const double alone[] = {1.2, 0.9, 1.1, 0, 0.8, 1.0};
    double small = 0;
    for (uint32_t i = 0; i < 10; i++) {
        small += i == 3 ? 0 : 0.002 * point->choice[i] / 5;
    }
    return alone[point->choice[3]] + small;
}

static double forty_axes(const gt_point *point)
{
    double sum = 0;
    for (uint32_t i = 0; i < 40; i += 7) {
        sum += 0.25 * fabs(point->choice[i] - (double)(i % 4));
    }
    return sum;
}

/* Few axes with many values, most of which are almost equivalent. A descent spends all its results
 * near one local minimum. */
static double basins(const gt_point *point)
{
    static const double alone[] = {0, 0.5, 0.3, 0.6};
    double own = 0.3 * landscape_noise(point);
    return alone[point->choice[0] % 4] + alone[(point->choice[1] / 8 + point->choice[0]) % 4] + own;
}

static bool every_other(const gt_point *point)
{
    return (point->choice[0] + point->choice[1] + point->choice[2]) % 2 == 0;
}

/* The valid points are the words of a Hamming code. Any two of them differ in at least three binary
 * axes. */
static bool is_codeword(const gt_point *point)
{
    uint32_t syndrome = 0;
    for (uint32_t i = 0; i < 31; i++) {
        syndrome ^= point->choice[i] ? i + 1 : 0;
    }
    return syndrome == 0;
}

static double by_weights(const gt_point *point)
{
    double sum = 0;
    for (uint32_t i = 0; i < 31; i++) {
        sum += point->choice[i] ? 0.02 + 0.01 * (i % 5) : 0;
    }
    return sum;
}

enum { SEEDS = 2 };

/* The largest mean regret that a strategy may have after `results` results. */
typedef struct limit {
    gputune_strategy kind;
    uint32_t results, batch;
    double regret;
} limit;

static void check(landscape at, const limit *limits, size_t count)
{
    landscape_open(&at);
    for (size_t i = 0; i < count; i++) {
        const limit *limit = &limits[i];
        double regret = landscape_regret(limit->kind, &at, limit->results, limit->batch, SEEDS);
        if (!(regret <= limit->regret)) {
            fail_msg("%s: %.4f after %u results, %u at a time; expected at most %.4f",
                     gt_strategy_name(limit->kind), regret, limit->results, limit->batch,
                     limit->regret);
        }
    }
}

TEST(separable_landscape)
{
    static const limit limits[] = {{GPUTUNE_STRATEGY_AUTO, 100, 1, 0.10},
                                   {GPUTUNE_STRATEGY_MODEL, 160, 16, 0.10},
                                   {GPUTUNE_STRATEGY_LOCAL, 200, 1, 0.10},
                                   {GPUTUNE_STRATEGY_RANDOM, 200, 1, 2.00}};
    check((landscape){.axes = 8, .choices = 8, .log_time = separable}, limits, COUNT(limits));
}

TEST(rugged_landscape)
{
    static const limit limits[] = {{GPUTUNE_STRATEGY_AUTO, 100, 1, 0.25},
                                   {GPUTUNE_STRATEGY_MODEL, 160, 16, 0.25},
                                   {GPUTUNE_STRATEGY_LOCAL, 200, 1, 0.25},
                                   {GPUTUNE_STRATEGY_RANDOM, 200, 1, 2.00}};
    check((landscape){.axes = 8, .choices = 8, .log_time = rugged}, limits, COUNT(limits));
}

TEST(constrained_landscape)
{
    static const limit limits[] = {{GPUTUNE_STRATEGY_AUTO, 100, 1, 0.25},
                                   {GPUTUNE_STRATEGY_LOCAL, 200, 1, 0.50}};
    check((landscape){.axes = 8, .choices = 8, .log_time = separable, .allows = every_other},
          limits, COUNT(limits));
}

/* No other point shows where the best point is, but a strategy that tries the whole space must find
 * it. */
TEST(needle_in_a_haystack)
{
    static const limit limits[] = {{GPUTUNE_STRATEGY_AUTO, 512, 1, 0},
                                   {GPUTUNE_STRATEGY_EXHAUSTIVE, 512, 1, 0},
                                   {GPUTUNE_STRATEGY_RANDOM, 512, 1, 0},
                                   {GPUTUNE_STRATEGY_MODEL, 512, 16, 0},
                                   {GPUTUNE_STRATEGY_LOCAL, 512, 16, 0}};
    check((landscape){.axes = 3, .choices = 8, .log_time = needle}, limits, COUNT(limits));
}

TEST(failures_around_the_best)
{
    static const limit limits[] = {{GPUTUNE_STRATEGY_AUTO, 100, 1, 0.10},
                                   {GPUTUNE_STRATEGY_MODEL, 160, 16, 0.10},
                                   {GPUTUNE_STRATEGY_LOCAL, 200, 1, 0.20},
                                   {GPUTUNE_STRATEGY_RANDOM, 200, 1, 0.40}};
    check((landscape){.axes = 6, .choices = 8, .log_time = towards_failures, .fails = fails},
          limits, COUNT(limits));
}

TEST(one_axis_decides)
{
    static const limit limits[] = {{GPUTUNE_STRATEGY_AUTO, 60, 1, 0.01},
                                   {GPUTUNE_STRATEGY_MODEL, 64, 16, 0.01},
                                   {GPUTUNE_STRATEGY_LOCAL, 150, 1, 0.02},
                                   {GPUTUNE_STRATEGY_RANDOM, 100, 1, 0.02}};
    check((landscape){.axes = 10, .choices = 6, .log_time = one_axis}, limits, COUNT(limits));
}

TEST(local_is_no_worse_than_random_among_basins)
{
    enum { MANY = 40 };
    landscape at = {.axes = 3, .choices = 32, .log_time = basins};
    landscape_open(&at);
    for (uint32_t results = 50; results <= 200; results *= 2) {
        double local = landscape_regret(GPUTUNE_STRATEGY_LOCAL, &at, results, 1, MANY);
        double random = landscape_regret(GPUTUNE_STRATEGY_RANDOM, &at, results, 1, MANY);
        assert_true(local < random);
    }
}

TEST(forty_axes_landscape)
{
    static const limit limits[] = {{GPUTUNE_STRATEGY_AUTO, 80, 1, 0.60},
                                   {GPUTUNE_STRATEGY_MODEL, 128, 16, 0.40},
                                   {GPUTUNE_STRATEGY_LOCAL, 200, 1, 1.00}};
    check((landscape){.axes = 40, .choices = 4, .log_time = forty_axes}, limits, COUNT(limits));
}

/* Even if no change of one or two axes leads to a valid point, points near the best are tried. */
TEST(three_axes_are_bound_together)
{
    static const limit limits[] = {{GPUTUNE_STRATEGY_MODEL, 160, 16, 0.10}};
    check((landscape){.axes = 31, .choices = 2, .log_time = by_weights, .allows = is_codeword},
          limits, COUNT(limits));
}

/* A feature that varies as irregularly as the number of resident blocks. The strategy can compute
 * it before it tries a point. */
static double load_of(const gt_point *point)
{
    return (37 * point->choice[0] + 59 * point->choice[1] + 83 * point->choice[2] +
            29 * point->choice[3]) %
           211;
}

static double by_load(const gt_point *point)
{
    return 0.05 * fabs(load_of(point) - 100);
}

static void note_load(void *user, const gt_point *point, double out[GT_SEARCH_FEATURES])
{
    out[0] = load_of(point);
}

TEST(features_known_before_a_try_lead_the_model)
{
    enum { RESULTS = 40, MANY = 4 };
    landscape at = {.axes = 4, .choices = 8, .log_time = by_load};
    landscape_open(&at);
    double blind = landscape_regret(GPUTUNE_STRATEGY_AUTO, &at, RESULTS, 1, MANY);
    at.domain.features = note_load;
    at.domain.feature_count = 1;
    double seeing = landscape_regret(GPUTUNE_STRATEGY_AUTO, &at, RESULTS, 1, MANY);
    assert_true(seeing < 0.03 && seeing < blind / 3);
}
