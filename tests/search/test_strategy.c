/* Tests properties that every strategy must have. */
#include "base/array.h"
#include "search/landscape.h"

static double valley(const gt_point *point)
{
    double sum = 0;
    for (uint32_t i = 0; i < 5; i++) {
        sum += 0.3 * fabs(point->choice[i] - 2.0);
    }
    return sum + 0.05 * landscape_noise(point);
}

static bool some_fail(const gt_point *point)
{
    return point->choice[0] == 5 && point->choice[1] > 3;
}

static landscape make(uint32_t axes, uint32_t choices)
{
    return (landscape){.axes = axes, .choices = choices, .log_time = valley, .fails = some_fail};
}

static gt_strategy *open(gputune_strategy kind, const landscape *at, uint64_t seed)
{
    gt_strategy *strategy;
    gt_search_settings settings = {.seed = seed, .workers = 4};
    ASSERT_OK(gt_strategy_open(&strategy, kind, &at->domain, &settings));
    return strategy;
}

typedef GT_ARRAY(gt_point) points;

static bool has(const points *seen, const gt_point *point)
{
    bool any = false;
    for (size_t i = 0; i < seen->count; i++) {
        any |= gt_point_equal(&seen->items[i], point);
    }
    return any;
}

/* Requests four configurations at a time, and reports their results three rounds late. Records the
 * results. */
static void run_late(gt_strategy *strategy, const landscape *at, points *seen, int rounds)
{
    enum { BATCH = 4, LATE = 3 };
    gt_point rounds_ago[LATE][BATCH];
    size_t counts[LATE] = {0};
    for (int round = 0; round < rounds + LATE; round++) {
        gt_point *slot = rounds_ago[round % LATE];
        for (size_t i = 0; i < counts[round % LATE]; i++) {
            gt_tried tried = landscape_try(at, &slot[i]);
            ASSERT_OK(gt_strategy_report(strategy, &tried));
        }
        counts[round % LATE] = 0;
        if (round >= rounds) {
            continue;
        }
        assert_int_equal(gt_strategy_propose(strategy, slot, BATCH, &counts[round % LATE]), 0);
        for (size_t i = 0; i < counts[round % LATE]; i++) {
            assert_false(has(seen, &slot[i]));
            ASSERT_OK(gt_array_push(seen, slot[i]));
        }
    }
}

/* A canceled compile gives no time, and the configuration is not proposed again. */
TEST(a_compile_that_was_given_up_is_not_a_result)
{
    landscape at = make(2, 6);
    landscape_open(&at);
    GT_SCOPED(strategy_end) gt_strategy *strategy = open(GPUTUNE_STRATEGY_MODEL, &at, 1);
    gt_point points[36];
    size_t given;
    ASSERT_OK(gt_strategy_propose(strategy, points, 18, &given));
    for (size_t i = 0; i < given; i++) {
        gt_tried tried = landscape_try(&at, &points[i]);
        tried.outcome = i % 2 ? GT_TRIED_GIVEN_UP : tried.outcome;
        tried.compile_s = 5;
        ASSERT_OK(gt_strategy_report(strategy, &tried));
    }
    gt_outlook outlook;
    gt_strategy_outlook(&outlook, strategy);
    assert_int_equal(outlook.tried, 9);
    assert_true(outlook.remaining == 18);
    ASSERT_OK(gt_strategy_propose(strategy, points, 36, &given));
    assert_int_equal(given, 18);
}

TEST(nothing_is_proposed_twice_until_all_is_tried)
{
    for (int kind = 0; kind < GPUTUNE_STRATEGY_COUNT; kind++) {
        landscape at = make(3, 6);
        landscape_open(&at);
        gt_strategy *strategy = open((gputune_strategy)kind, &at, 1);
        points seen = {0};
        run_late(strategy, &at, &seen, 216 / 4 + 2);
        assert_int_equal(seen.count, 216);
        gt_outlook outlook;
        gt_strategy_outlook(&outlook, strategy);
        assert_true(outlook.exhausted && outlook.done);
        assert_int_equal(outlook.tried, 216);
        gt_array_free(&seen);
        gt_strategy_free(strategy);
    }
}

TEST(same_seed_and_results_give_the_same_proposals)
{
    for (int kind = 0; kind < GPUTUNE_STRATEGY_COUNT; kind++) {
        landscape at = make(5, 6);
        landscape_open(&at);
        points seen[3] = {{0}};
        for (int i = 0; i < 3; i++) {
            gt_strategy *strategy = open((gputune_strategy)kind, &at, i < 2 ? 7 : 8);
            run_late(strategy, &at, &seen[i], 15);
            gt_strategy_free(strategy);
        }
        size_t bytes = seen[0].count * sizeof(gt_point);
        assert_int_equal(seen[0].count, 60);
        assert_memory_equal(seen[0].items, seen[1].items, bytes);
        if (kind != GPUTUNE_STRATEGY_EXHAUSTIVE) {
            assert_true(memcmp(seen[0].items, seen[2].items, bytes) != 0);
        }
        for (int i = 0; i < 3; i++) {
            gt_array_free(&seen[i]);
        }
    }
}

TEST(default_comes_first)
{
    static const gputune_strategy kinds[] = {GPUTUNE_STRATEGY_AUTO, GPUTUNE_STRATEGY_MODEL,
                                             GPUTUNE_STRATEGY_LOCAL};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        landscape at = make(5, 6);
        landscape_open(&at);
        gt_point fallback = {{3, 1, 4, 1, 5}}, first;
        at.domain.fallback = &fallback;
        gt_strategy *strategy = open(kinds[i], &at, 1);
        size_t given;
        ASSERT_OK(gt_strategy_propose(strategy, &first, 1, &given));
        assert_true(gt_point_equal(&first, &fallback));
        gt_strategy_free(strategy);
    }
}

TEST(bad_time_is_refused)
{
    landscape at = make(5, 6);
    landscape_open(&at);
    gt_strategy *strategy = open(GPUTUNE_STRATEGY_MODEL, &at, 1);
    gt_tried tried = {.outcome = GT_TRIED_OK, .time_ns = 0};
    assert_int_equal(gt_strategy_report(strategy, &tried), GPUTUNE_EINVAL);
    tried.time_ns = (double)NAN;
    assert_int_equal(gt_strategy_report(strategy, &tried), GPUTUNE_EINVAL);
    gt_strategy_free(strategy);
}

/* A search that resumes with half of the results of an earlier run must find as good a point as one
 * uninterrupted search. */
TEST(resuming_is_as_good_as_one_run)
{
    double resumed = 0, whole = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        landscape at = make(5, 6);
        landscape_open(&at);
        gt_strategy *before = open(GPUTUNE_STRATEGY_AUTO, &at, seed);
        gt_strategy *after = open(GPUTUNE_STRATEGY_AUTO, &at, seed + 100);
        for (int i = 0; i < 40; i++) {
            gt_point point;
            size_t given;
            ASSERT_OK(gt_strategy_propose(before, &point, 1, &given));
            gt_tried tried = landscape_try(&at, &point);
            ASSERT_OK(gt_strategy_report(before, &tried));
            ASSERT_OK(gt_strategy_report(after, &tried));
        }
        resumed += landscape_search(after, &at, 40, 1) / 4;
        whole += landscape_search(before, &at, 40, 1) / 4;
        gt_strategy_free(before);
        gt_strategy_free(after);
    }
    assert_true(fabs(resumed - whole) < 0.03);
}

/* The landscape at twice the size. Its best point is one step away from the best point of
 * valley(). */
static double elsewhere(const gt_point *point)
{
    double sum = 1;
    for (uint32_t i = 0; i < 5; i++) {
        sum += 0.3 * fabs(point->choice[i] - (i == 1 ? 3.0 : 2.0));
    }
    return sum;
}

enum { DRAWN = 200 };

static void draw_hints(gt_tried hints[DRAWN], landscape *other, uint64_t seed)
{
    gt_random random = {seed};
    for (int i = 0; i < DRAWN; i++) {
        gt_point point;
        landscape_draw(other, &random, &point);
        hints[i] = landscape_try(other, &point);
    }
}

TEST(hints_lead_to_the_best_sooner)
{
    enum { RESULTS = 10 };
    double with = 0, without = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        landscape at = make(5, 6), other = {.axes = 5, .choices = 6, .log_time = elsewhere};
        landscape_open(&at);
        landscape_open(&other);
        gt_tried hints[DRAWN];
        draw_hints(hints, &other, seed);
        gt_strategy *hinted = open(GPUTUNE_STRATEGY_MODEL, &at, seed);
        gt_strategy *plain = open(GPUTUNE_STRATEGY_MODEL, &at, seed);
        ASSERT_OK(gt_strategy_hint(hinted, hints, DRAWN));
        with += landscape_search(hinted, &at, RESULTS, 1) / 4;
        without += landscape_search(plain, &at, RESULTS, 1) / 4;
        gt_strategy_free(hinted);
        gt_strategy_free(plain);
    }
    assert_true(with < 0.32);
    assert_true(with < without / 2);
}

static double distance(const gt_point *point, uint16_t to)
{
    double sum = 0;
    for (uint32_t i = 0; i < 5; i++) {
        sum += fabs(point->choice[i] - (double)to);
    }
    return sum;
}

/* Two valleys: here() is deepest at 4, and there(), which gives the hints, is deepest at 1. */
static double here(const gt_point *point)
{
    return fmin(0.2 * distance(point, 4), 0.4 + 0.2 * distance(point, 1)) +
           0.05 * landscape_noise(point);
}

static double there(const gt_point *point)
{
    return fmin(0.2 * distance(point, 1), 2 + 0.2 * distance(point, 4));
}

TEST(hints_that_lead_nowhere_are_doubted)
{
    enum { RESULTS = 100, SEEDS = 6 };
    int found = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        landscape at = {.axes = 5, .choices = 6, .log_time = here};
        landscape other = {.axes = 5, .choices = 6, .log_time = there};
        landscape_open(&at);
        landscape_open(&other);
        gt_tried hints[DRAWN];
        draw_hints(hints, &other, seed);
        gt_strategy *hinted = open(GPUTUNE_STRATEGY_MODEL, &at, seed);
        ASSERT_OK(gt_strategy_hint(hinted, hints, DRAWN));
        double best = landscape_search(hinted, &at, RESULTS, 2);
        found += best < 0.35;
        gt_strategy_free(hinted);
    }
    assert_true(found >= SEEDS - 1);
}

TEST(hints_are_tried_in_their_order_before_the_first_result)
{
    enum { BATCH = 16, HINTS = 40 };
    landscape at = make(5, 6);
    landscape_open(&at);
    gt_point fallback = {{3, 1, 4, 1, 5}}, points[BATCH];
    at.domain.fallback = &fallback;
    gt_tried hints[HINTS];
    for (int i = 0; i < HINTS; i++) {
        uint16_t rank = (uint16_t)(HINTS - 1 - i);
        gt_point point = {{0, 1, 2, rank / 6, rank % 6}};
        hints[i] = (gt_tried){.point = rank == 5 ? fallback : point, .time_ns = 1 + rank};
    }
    GT_SCOPED(strategy_end) gt_strategy *strategy = open(GPUTUNE_STRATEGY_AUTO, &at, 1);
    ASSERT_OK(gt_strategy_hint(strategy, hints, HINTS));
    size_t given;
    ASSERT_OK(gt_strategy_propose(strategy, points, BATCH, &given));
    assert_int_equal(given, BATCH);
    assert_true(gt_point_equal(&points[0], &fallback));
    for (int i = 1, rank = 0; i < BATCH; i++) {
        if (i == 2 || i == 4) {
            continue; /* these are drawn at random, to find out how reliable the hints are */
        }
        rank += rank == 5; /* this hint is the default, which is points[0] */
        assert_true(gt_point_equal(&points[i], &hints[HINTS - 1 - rank].point));
        rank++;
    }
}

/* Hints come first even if the whole space is tried, because a limit may end the search. */
TEST(hints_come_first_in_a_small_space)
{
    enum { HINTS = 5, ALL = 64 };
    landscape at = make(3, 4);
    landscape_open(&at);
    gt_tried hints[HINTS];
    for (uint16_t i = 0; i < HINTS; i++) {
        gt_point point = {{3, i < 4 ? 3 : 2, i % 4}};
        hints[i] = (gt_tried){.point = point, .time_ns = HINTS - i};
    }
    GT_SCOPED(strategy_end) gt_strategy *strategy = open(GPUTUNE_STRATEGY_AUTO, &at, 1);
    ASSERT_OK(gt_strategy_hint(strategy, hints, HINTS));
    gt_point points[ALL + 1];
    size_t given;
    ASSERT_OK(gt_strategy_propose(strategy, points, ALL + 1, &given));
    assert_int_equal(given, ALL);
    for (int i = 0; i < HINTS; i++) {
        assert_true(gt_point_equal(&points[i], &hints[HINTS - 1 - i].point));
    }
}

/* The search must end early, but not before it has found a point that is close to the best one. */
TEST(stop_rule_keeps_its_word)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        landscape at = {.axes = 5, .choices = 6, .log_time = valley};
        landscape_open(&at);
        gt_strategy *strategy;
        gt_search_settings settings = {.seed = seed, .epsilon = 0.05, .workers = 4};
        assert_int_equal(gt_strategy_open(&strategy, GPUTUNE_STRATEGY_MODEL, &at.domain, &settings),
                         0);
        double best = INFINITY;
        gt_outlook outlook = {0};
        while (!outlook.done && outlook.tried < 1000) {
            best = fmin(best, landscape_search(strategy, &at, 8, 8));
            gt_strategy_outlook(&outlook, strategy);
        }
        assert_true(outlook.tried < 800); /* the space has 7776 points */
        assert_true(best < 0.05 + 0.05);  /* the landscape's noise is at most 0.05 */
        gt_strategy_free(strategy);
    }
}

TEST(slow_compile_of_little_promise_is_given_up)
{
    landscape at = make(5, 6);
    at.compile_s = 1;
    landscape_open(&at);
    GT_SCOPED(strategy_end) gt_strategy *strategy = open(GPUTUNE_STRATEGY_MODEL, &at, 1);
    gt_point bad = {{5, 0, 5, 5, 5}};
    assert_false(gt_strategy_gives_up(strategy, &bad, 1000));
    landscape_search(strategy, &at, 40, 1);
    assert_false(gt_strategy_gives_up(strategy, &bad, 2));
    assert_true(gt_strategy_gives_up(strategy, &bad, 30));
}

/* If a result is reported again with more samples, its cost must not be counted again. Time on the
 * GPU counts as much as compile time. */
TEST(auto_counts_the_cost_of_each_try_once)
{
    static const struct {
        double measure_s;
        bool all;
    } cases[] = {{0.5, true}, {2, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        landscape at = make(4, 6); /* 1296 configurations; the limit is 1500 s */
        at.compile_s = 1;
        landscape_open(&at);
        gt_strategy *strategy;
        gt_search_settings settings = {.seed = 1, .workers = 1, .limit_s = 1500};
        ASSERT_OK(gt_strategy_open(&strategy, GPUTUNE_STRATEGY_AUTO, &at.domain, &settings));
        for (int k = 0; k < 40; k++) {
            gt_point point;
            size_t given;
            ASSERT_OK(gt_strategy_propose(strategy, &point, 1, &given));
            gt_tried tried = landscape_try(&at, &point);
            tried.measure_s = cases[i].measure_s;
            for (int again = 0; again < 3; again++) {
                ASSERT_OK(gt_strategy_report(strategy, &tried));
            }
        }
        gt_outlook outlook;
        gt_strategy_outlook(&outlook, strategy);
        assert_int_equal(outlook.learns, !cases[i].all);
        gt_strategy_free(strategy);
    }
}

/* The strategy `auto` tries all points in order only if there is enough time. */
TEST(auto_tries_all_points_if_there_is_time)
{
    static const double limits[] = {1e6, 200};
    for (size_t i = 0; i < COUNT(limits); i++) {
        landscape at = make(4, 6);
        at.compile_s = 1;
        landscape_open(&at);
        gt_strategy *strategy;
        gt_search_settings settings = {.seed = 1, .workers = 1, .limit_s = limits[i]};
        assert_int_equal(gt_strategy_open(&strategy, GPUTUNE_STRATEGY_AUTO, &at.domain, &settings),
                         0);
        landscape_search(strategy, &at, 40, 1);
        gt_point points[3] = {{{0}}};
        size_t given;
        ASSERT_OK(gt_strategy_propose(strategy, points, 3, &given));
        bool in_order = points[1].choice[0] == 0 && points[1].choice[1] == 0 &&
                        memcmp(&points[1], &points[2], sizeof *points) != 0 &&
                        points[2].choice[0] == 0 && points[2].choice[1] == 0;
        assert_int_equal(in_order, i == 0);
        gt_strategy_free(strategy);
    }
}
