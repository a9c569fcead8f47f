/* Tests reading recorded spaces, and replaying strategies on them with a virtual clock. */
#include "replay/replay.h"
#include "support/test.h"

static void add(gt_recorded *recorded, uint16_t x, gt_tried_outcome outcome, double time_ns,
                double compile_s, double measure_s)
{
    gt_recorded_entry entry = {.tried = {.point = {{x}},
                                         .outcome = outcome,
                                         .time_ns = time_ns,
                                         .compile_s = compile_s,
                                         .measure_s = measure_s},
                               .launch_s = measure_s / 2,
                               .worker_s = 1,
                               .line = 10 + x};
    ASSERT_OK(gt_array_push(&recorded->entries, entry));
}

/* Six configurations in shuffled order: 40, 30, a failure, 20, 10, 11 ns. */
static gt_recorded make(void)
{
    static const double values[] = {1, 2, 4, 8, 16, 32};
    gt_recorded recorded = {0};
    ASSERT_OK(gt_recorded_axis(&recorded, values, 6));
    add(&recorded, 4, GT_TRIED_OK, 10, 3, 2);
    add(&recorded, 0, GT_TRIED_OK, 40, 3, 2);
    add(&recorded, 2, GT_TRIED_FAILED, 0, 5, 0);
    add(&recorded, 1, GT_TRIED_OK, 30, 3, 2);
    add(&recorded, 3, GT_TRIED_OK, 20, 3, 2);
    add(&recorded, 5, GT_TRIED_OK, 11, 3, 2);
    return recorded;
}

TEST(entries_are_a_domain)
{
    GT_SCOPED(gt_recorded_free) gt_recorded recorded = make();
    ASSERT_OK(gt_recorded_finish(&recorded));
    assert_int_equal(recorded.ok, 5);
    assert_true(recorded.best_ns == 10 && recorded.worst_ns == 40);
    gt_domain domain = gt_recorded_domain(&recorded);
    gt_point point = {{0}};
    for (uint16_t i = 0; i < 6; i++) {
        assert_true(domain.next(domain.user, &point, i == 0));
        assert_int_equal(point.choice[0], i);
        assert_true(domain.is_valid(domain.user, &point));
    }
    assert_false(domain.next(domain.user, &point, false));
    point.choice[0] = 6;
    assert_false(domain.is_valid(domain.user, &point));
}

static gt_replay_result replay(const gt_recorded *recorded, uint32_t workers, double *best)
{
    gt_replay_settings settings = {.kind = GPUTUNE_STRATEGY_EXHAUSTIVE,
                                   .workers = workers,
                                   .evaluations = 6,
                                   .reach = {0.5, 0.0}};
    gt_replay_result result = {.best_ns = best};
    ASSERT_OK(gt_replay(&result, recorded, &settings));
    return result;
}

TEST(failures_count_as_tried)
{
    static const double expected[] = {40, 30, 30, 20, 10, 10};
    GT_SCOPED(gt_recorded_free) gt_recorded recorded = make();
    double best[6];
    ASSERT_OK(gt_recorded_finish(&recorded));
    gt_replay_result result = replay(&recorded, 0, best);
    assert_int_equal(result.results, 6);
    assert_memory_equal(best, expected, sizeof expected);
}

/* Each configuration takes 3 s to compile, 1 s of other work on the host, and two launches of 1 s
 * each. The configuration that fails takes 6 s in all. The fifth configuration is the fastest. */
TEST(clock_overlaps_compiling_and_launching)
{
    GT_SCOPED(gt_recorded_free) gt_recorded recorded = make();
    double best[6];
    ASSERT_OK(gt_recorded_finish(&recorded));
    /* with one worker, compiles end at 4, 8, 14, 18 and 22 s, and the best is measured by 24 s */
    assert_true(replay(&recorded, 1, best).reached_s[0] == 24);
    /* with two workers, compiles end at 4, 4, 10, 8 and 12 s, and the best is measured by 14 s */
    assert_true(replay(&recorded, 2, best).reached_s[0] == 14);
    assert_true(isinf(replay(&recorded, 1, best).reached_s[1]) == 0);
}

/* Ten configurations. The first is followed by eight slower ones, and the last is the fastest.
 * Compiling takes no time, and ten launches of each configuration are recorded. */
TEST(losers_cost_one_launch)
{
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    GT_SCOPED(gt_recorded_free) gt_recorded recorded = {0};
    double best[10];
    ASSERT_OK(gt_recorded_axis(&recorded, values, 10));
    for (uint16_t i = 0; i < 10; i++) {
        gt_recorded_entry entry = {
            .tried = {.point = {{i}}, .time_ns = i == 9 ? 99 : 100 + 20 * i, .measure_s = 10},
            .launch_s = 1};
        ASSERT_OK(gt_array_push(&recorded.entries, entry));
    }
    ASSERT_OK(gt_recorded_finish(&recorded));
    gt_replay_settings settings = {
        .kind = GPUTUNE_STRATEGY_EXHAUSTIVE, .workers = 1, .evaluations = 10};
    gt_replay_result result = {.best_ns = best};
    ASSERT_OK(gt_replay(&result, &recorded, &settings));
    /* the first and the last configuration take 2 s each, because they are also verified */
    assert_true(result.reached_s[0] == 2 + 8 * 1 + 2);
}

enum { SIDE = 12, AXES = 4, TRIED = 300 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Four axes of twelve values. Points far from the middle are slower, and two axes interact.
 * Compiling takes 0.1 s, and a launch 4 to 60 ms. */
static gt_recorded make_slow_space(double *tenth)
{
    static double times[SIDE * SIDE * SIDE * SIDE];
    double values[SIDE];
    gt_recorded recorded = {0};
    uint32_t count = 0;
    for (int i = 0; i < SIDE; i++) {
        values[i] = i + 1;
    }
    for (int a = 0; a < AXES; a++) {
        ASSERT_OK(gt_recorded_axis(&recorded, values, SIDE));
    }
    for (uint16_t i = 0; i < SIDE * SIDE * SIDE * SIDE; i++) {
        const gt_point point = {{(uint16_t)(i % SIDE), (uint16_t)(i / SIDE % SIDE),
                                 (uint16_t)(i / SIDE / SIDE % SIDE),
                                 (uint16_t)(i / SIDE / SIDE / SIDE)}};
        double far = fabs(point.choice[0] - 7.0) + fabs(point.choice[1] - 3.0) +
                     fabs(point.choice[2] - point.choice[0] / 2.0) + fabs(point.choice[3] - 9.0);
        double time_ns = 4e6 * pow(1.09, far);
        const gt_recorded_entry entry = {.tried = {.point = point,
                                                   .time_ns = time_ns,
                                                   .compile_s = 0.1,
                                                   .measure_s = time_ns * 7e-9},
                                         .launch_s = time_ns * 1e-9};
        ASSERT_OK(gt_array_push(&recorded.entries, entry));
        times[count++] = time_ns;
    }
    qsort(times, count, sizeof *times, by_value);
    *tenth = times[count / 10];
    ASSERT_OK(gt_recorded_finish(&recorded));
    return recorded;
}

/* Returns which share of the later half of the results is in the fastest tenth of the space. */
static double late_share(const gt_recorded *recorded, uint32_t workers, double tenth)
{
    double best[TRIED], times[TRIED], share = 0;
    const gt_replay_settings settings = {
        .kind = GPUTUNE_STRATEGY_AUTO, .seed = 1, .workers = workers, .evaluations = TRIED};
    gt_replay_result result = {.best_ns = best, .time_ns = times};
    ASSERT_OK(gt_replay(&result, recorded, &settings));
    for (int i = TRIED / 2; i < TRIED; i++) {
        share += times[i] <= tenth;
    }
    return share / (TRIED - TRIED / 2);
}

TEST(many_workers_learn_like_few)
{
    double tenth;
    GT_SCOPED(gt_recorded_free) gt_recorded recorded = make_slow_space(&tenth);
    double few = late_share(&recorded, 3, tenth), many = late_share(&recorded, 16, tenth);
    assert_true(few > 0.5);
    assert_true(many > 0.8 * few);
}
