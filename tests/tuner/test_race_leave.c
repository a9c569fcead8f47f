/* Tests which contestants leave a race: losers, and those that fail. */
#include "simulated_race.h"

TEST(losers_leave_with_a_reason)
{
    machine m = equal_machine(9, 8);
    char text[96];
    const gt_runner *c;
    m.times[0] = 300; /* the default stays in the race to the end */
    m.times[1] = 250;
    m.times[2] = 125;
    m.times[3] = 70;
    GT_SCOPED(race_end) gt_race *race = run_race(&m, NULL);
    assert_non_null(c = gt_race_find(race, 1));
    assert_int_equal(c->left, GT_RACE_LEFT_FIRST);
    assert_int_equal(c->samples.count, 1);
    assert_non_null(strstr(gt_race_leave_text(text, sizeof text, c), "first round"));
    assert_non_null(c = gt_race_find(race, 2));
    assert_int_equal(c->left, GT_RACE_LEFT_EARLY);
    assert_true(c->left_round > 0);
    assert_non_null(strstr(gt_race_leave_text(text, sizeof text, c), "% slower after"));
    assert_non_null(c = gt_race_find(race, 0));
    assert_int_equal(c->left, GT_RACE_IN);
    assert_true(c->samples.count > 8);
    assert_null(gt_race_find(race, 99));
}

static double doubt_of_four(double value)
{
    return 4 / value;
}

/* The fastest contestant's first launches take longer than those of a slower one. */
TEST(quick_samples_that_are_doubted_do_not_cost_the_fastest_its_place)
{
    const gt_race_options options = {.seed = 1, .quick_doubt = doubt_of_four};
    for (uint64_t seed = 0; seed < 20; seed++) {
        machine m = make_machine(seed, 9);
        const gt_runner *c;
        m.noise = m.drift = 0.003;
        m.outliers = 0;
        for (uint32_t id = 0; id < m.count; id++) {
            m.times[id] = 60 + id;
            m.firsts[id] = 2;
        }
        m.times[3] = 48.5;
        m.times[5] = 46.4;
        m.firsts[5] = 4.9;
        GT_SCOPED(race_end) gt_race *race = run_race(&m, &options);
        assert_int_equal(race_result(race).winner, 5);
        assert_non_null(c = gt_race_find(race, 8));
        assert_int_equal(c->samples.count, 2);
    }
}

TEST(exhaustive_race_samples_everyone)
{
    machine m = equal_machine(9, 8);
    const gt_race_options options = {.seed = 1, .exhaustive = true};
    const gt_runner *c;
    m.times[1] = 500;
    m.times[3] = 70;
    GT_SCOPED(race_end) gt_race *race = run_race(&m, &options);
    for (uint64_t id = 0; id < m.count; id++) {
        assert_non_null(c = gt_race_find(race, id));
        assert_true(c->samples.count >= 10);
    }
}

TEST(next_best_replaces_a_winner_that_fails)
{
    machine m = equal_machine(2, 4);
    m.times[2] = 80;
    m.times[1] = 90;
    GT_SCOPED(race_end) gt_race *race = run_race(&m, NULL);
    const gt_runner *c;
    assert_non_null(c = gt_race_find(race, 1));
    assert_true(c->left != GT_RACE_IN && !gt_race_has_lost(race, c));
    gt_race_fail(race, 2);
    finish_race(race, &m);
    gt_race_result result = race_result(race);
    assert_int_equal(result.winner, 1);
    assert_true(result.verdict.speedup_low > 1);
    gt_race_fail(race, 1);
    finish_race(race, &m);
    assert_int_equal(race_result(race).winner, 0);
}

/* When the best contestant (3) fails, contestant 4 is the next best, and returns to the race.
 * Contestant 5 is still in the race, but is slower. Contestant 1 was closer to the best one when it
 * left. */
TEST(next_best_returns_although_others_are_left)
{
    machine m = {.count = 6, .times = {100, 90, 80, 50, 60, 95}};
    GT_SCOPED(race_end) gt_race *race = start_race(3, NULL);
    gt_race_end end;
    for (int i = 0; i < 16; i++) {
        for (uint32_t id = 3; i == 8 && id < 5; id++) {
            ASSERT_OK(gt_race_add(race, id, false));
        }
        take_round(race, &m, &end);
    }
    assert_true(gt_race_find(race, 4)->left != GT_RACE_IN);
    ASSERT_OK(gt_race_add(race, 5, false));
    gt_race_fail(race, 3);
    gt_race_complete(race);
    finish_race(race, &m);
    assert_int_equal(race_result(race).winner, 4);
}

TEST(next_best_replaces_a_default_that_fails)
{
    machine m = equal_machine(2, 4);
    m.times[0] = 80;
    m.times[1] = 90;
    GT_SCOPED(race_end) gt_race *race = run_race(&m, NULL);
    gt_race_fail(race, 0);
    finish_race(race, &m);
    assert_int_equal(race_result(race).winner, 1);
}

TEST(default_may_fail)
{
    machine m = equal_machine(2, 4);
    GT_SCOPED(race_end) gt_race *race = start_race(m.count, NULL);
    m.times[3] = 80;
    gt_race_fail(race, 0);
    gt_race_complete(race);
    finish_race(race, &m);
    gt_race_result result = race_result(race);
    assert_int_equal(result.winner, 3);
    assert_false(result.has_default);
    assert_true(result.verdict.speedup == 0);
}

TEST(all_failing_is_no_variant)
{
    GT_SCOPED(race_end) gt_race *race = NULL;
    gt_race_round round;
    gt_race_end end;
    gt_race_result result;
    ASSERT_OK(gt_race_new(&race, NULL));
    ASSERT_OK(gt_race_add(race, 1, true));
    assert_int_equal(gt_race_add(race, 1, true), GPUTUNE_EINVAL);
    gt_race_complete(race);
    ASSERT_OK(gt_race_next_round(race, &round));
    gt_race_fail(race, 1);
    ASSERT_OK(gt_race_end_round(race, &end));
    assert_int_equal(end, GT_RACE_NONE_LEFT);
    assert_int_equal(gt_race_result_get(race, &result), GPUTUNE_ENOVARIANT);
}

TEST(one_that_never_gives_a_value_fails)
{
    machine m = {.count = 2, .times = {100, NAN}};
    GT_SCOPED(race_end) gt_race *race = start_race(2, NULL);
    gt_race_complete(race);
    finish_race(race, &m);
    assert_int_equal(race_result(race).winner, 0);
}

TEST(one_missed_round_is_forgiven)
{
    machine m = {.count = 2, .times = {100, 80}}, missed = {.count = 2, .times = {NAN, NAN}};
    GT_SCOPED(race_end) gt_race *race = start_race(2, NULL);
    gt_race_end end;
    gt_race_complete(race);
    take_round(race, &m, &end);
    take_round(race, &missed, &end);
    finish_race(race, &m);
    assert_int_equal(race_result(race).winner, 1);
}
