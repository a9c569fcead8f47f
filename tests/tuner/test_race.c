/* Tests the rules of the race. */
#include "simulated_race.h"

TEST(last_one_to_come_wins)
{
    machine m = equal_machine(3, 20);
    m.batch = 1;
    m.times[19] = 90;
    GT_SCOPED(race_end) gt_race *race = run_race(&m, NULL);
    gt_race_result result = race_result(race);
    assert_int_equal(result.winner, 19);
    assert_int_equal(result.end, GT_RACE_ONE_LEFT);
    assert_false(result.verdict.tie);
    assert_true(result.verdict.speedup_low > 1.08 && result.verdict.speedup_high < 1.14);
}

TEST(many_variants_cost_few_samples)
{
    machine m = make_machine(5, 120);
    m.noise = 0.002;
    for (uint32_t i = 0; i < m.count; i++) {
        m.times[i] = 100 + 2 * i;
    }
    m.times[77] = 99;
    GT_SCOPED(race_end) gt_race *race = run_race(&m, NULL);
    gt_race_result result = race_result(race);
    assert_int_equal(result.winner, 77);
    assert_true(result.samples < 3 * 120);
}

TEST(winning_default_has_speedup_one)
{
    machine m = equal_machine(1, 4);
    m.times[0] = 50;
    GT_SCOPED(race_end) gt_race *race = run_race(&m, NULL);
    gt_race_result result = race_result(race);
    assert_int_equal(result.winner, 0);
    assert_true(result.verdict.speedup == 1 && result.verdict.speedup_low == 1 &&
                result.verdict.speedup_high == 1);
}

/* The new contestant was sampled with the incumbent, but not with the default. */
TEST(no_shared_round_gives_the_ratio_of_medians)
{
    machine m = {.count = 3, .times = {100, 60, 50}};
    GT_SCOPED(race_end) gt_race *race = start_race(2, NULL);
    gt_race_end end;
    for (int i = 0; i < 6; i++) {
        take_round(race, &m, &end);
    }
    ASSERT_OK(gt_race_add(race, 2, false));
    take_round(race, &m, &end);
    gt_race_stop(race, GT_RACE_BUDGET);
    gt_race_result result = race_result(race);
    assert_int_equal(result.winner, 2);
    assert_true(result.verdict.speedup == 2 && result.verdict.speedup_low == 0);
}

/* A slow sample of the incumbent must not make it lose to a contestant that was sampled only in the
 * same round. */
TEST(stopped_race_is_not_lost_by_one_outlier)
{
    machine m = {.count = 3, .times = {800, 100, 106}};
    GT_SCOPED(race_end) gt_race *race = start_race(2, NULL);
    gt_race_end end;
    for (int i = 0; i < 8; i++) {
        if (i == 6) {
            ASSERT_OK(gt_race_add(race, 2, false));
        }
        m.times[1] = i == 7 ? 180 : 100;
        take_round(race, &m, &end);
    }
    gt_race_stop(race, GT_RACE_BUDGET);
    assert_int_equal(race_result(race).winner, 1);
}

/* Other work slows the best contestant down during the first two rounds of new contestants. */
TEST(disturbed_twice_the_best_keeps_its_lead)
{
    enum { NEW_CONTESTANTS = 12, ROUNDS = 6 };
    GT_SCOPED(race_end) gt_race *race = start_race(2, NULL);
    gt_race_round round;
    gt_race_end end;
    for (uint32_t i = 0; i < ROUNDS + 2; i++) {
        for (uint32_t k = 2; i == ROUNDS && k < 2 + NEW_CONTESTANTS; k++) {
            ASSERT_OK(gt_race_add(race, k, false));
        }
        ASSERT_OK(gt_race_next_round(race, &round));
        assert_true(i < ROUNDS || round.count > NEW_CONTESTANTS);
        for (uint32_t k = 0; k < round.count; k++) {
            double best_ns = i < ROUNDS ? 100 : 150;
            double time_ns = round.ids[k] == 0 ? 800 : round.ids[k] == 1 ? best_ns : 125;
            gt_race_record(race, round.ids[k], time_ns * (1 + 0.001 * ((k + i) % 3)));
        }
        ASSERT_OK(gt_race_end_round(race, &end));
    }
    gt_race_stop(race, GT_RACE_BUDGET);
    assert_int_equal(race_result(race).winner, 1);
}

/* Samples rounds until the race is tied or has ended. */
static void race_on(gt_race *race, machine *m, gt_race_end *end)
{
    for (int turns = 0; *end == GT_RACE_RUNNING && !gt_race_is_tied(race); turns++) {
        assert_true(turns < 1000);
        take_round(race, m, end);
    }
}

/* Races four equal and two slower contestants until they are tied. */
static gt_race *race_to_a_tie(machine *m)
{
    const gt_race_options options = {.seed = 3, .tie_break = GT_TIE_LIKELY};
    gt_race_end end = GT_RACE_RUNNING;
    equal_times(m);
    m->noise = 0.002;
    m->times[4] = m->times[5] = 130;
    gt_race *race = start_race(m->count, &options);
    gt_race_complete(race);
    race_on(race, m, &end);
    assert_true(gt_race_is_tied(race));
    return race;
}

TEST(tie_is_settled_by_the_caller)
{
    machine m = make_machine(3, 6);
    GT_SCOPED(race_end) gt_race *race = race_to_a_tie(&m);
    const gt_runner *c;
    gt_race_round round;
    gt_race_end end;
    for (uint64_t id = 0; id < m.count; id++) {
        assert_non_null(c = gt_race_find(race, id));
        assert_int_equal(c->tied, id < 4);
    }
    ASSERT_OK(gt_race_next_round(race, &round));
    assert_int_equal(round.count, 0);
    assert_int_equal(gt_race_break_tie(race, 5, &end), GPUTUNE_EINVAL);
    ASSERT_OK(gt_race_break_tie(race, 2, &end));
    assert_int_equal(gt_race_break_tie(race, 3, &end), GPUTUNE_EINVAL);
    race_on(race, &m, &end);
    gt_race_result result = race_result(race);
    assert_int_equal(result.winner, 2);
    assert_true(result.verdict.tie && result.verdict.speedup_low < 1 &&
                result.verdict.speedup_high > 1);
}

TEST(unsettled_tie_is_the_defaults_when_time_is_up)
{
    machine m = make_machine(3, 6);
    GT_SCOPED(race_end) gt_race *race = race_to_a_tie(&m);
    gt_race_end end;
    gt_race_stop(race, GT_RACE_BUDGET);
    assert_false(gt_race_is_tied(race));
    assert_int_equal(gt_race_break_tie(race, 2, &end), GPUTUNE_EINVAL);
    gt_race_result result = race_result(race);
    assert_int_equal(result.winner, 0);
    assert_int_equal(result.end, GT_RACE_BUDGET);
}

TEST(failure_in_a_tie_reopens_it)
{
    machine m = make_machine(3, 6);
    GT_SCOPED(race_end) gt_race *race = race_to_a_tie(&m);
    gt_race_end end = GT_RACE_RUNNING;
    gt_race_fail(race, 3); /* contestant 3 is neither winner nor default, so the tie remains */
    assert_true(gt_race_is_tied(race));
    assert_int_equal(gt_race_break_tie(race, 3, &end), GPUTUNE_EINVAL);
    gt_race_fail(race, 0);
    assert_false(gt_race_is_tied(race));
    race_on(race, &m, &end);
    assert_int_equal(gt_race_break_tie(race, 0, &end), GPUTUNE_EINVAL);
    ASSERT_OK(gt_race_break_tie(race, 2, &end));
    assert_int_equal(end, GT_RACE_NO_GAIN); /* without a default, there are no final rounds */
}

TEST(new_contestants_meet_the_incumbent)
{
    machine m = equal_machine(4, 10);
    GT_SCOPED(race_end) gt_race *race = start_race(2, NULL);
    gt_race_round round;
    gt_race_end end;
    for (int i = 0; i < 8; i++) {
        take_round(race, &m, &end);
        assert_int_equal(end, GT_RACE_RUNNING);
    }
    ASSERT_OK(gt_race_add(race, 7, false));
    const gt_runner *incumbent = gt_race_incumbent(race);
    assert_non_null(incumbent);
    ASSERT_OK(gt_race_next_round(race, &round));
    assert_int_equal(round.count, 2);
    for (uint32_t i = 0; i < round.count; i++) {
        assert_true(round.ids[i] == 7 || round.ids[i] == incumbent->id);
    }
}

/* Returns the number of samples in a race of 100 contestants. `early` slow contestants race for six
 * rounds before the others join. One of the fastest must win. */
static uint32_t samples_of_race(uint64_t seed, uint32_t early)
{
    machine m = make_machine(seed, 100);
    const gt_race_options options = {.seed = seed};
    gt_race *race;
    gt_race_end end;
    m.noise = 0.003;
    m.drift = m.outliers = 0;
    ASSERT_OK(gt_race_new(&race, &options));
    for (uint32_t i = 0; i < m.count; i++) {
        m.times[i] = i < 6 ? 1.1 + 0.01 * i : 1 + 0.001 * (m.count - 1 - i);
        ASSERT_OK(gt_race_add(race, i, i == 0));
        for (int k = 0; i + 1 == early && k < 6; k++) {
            take_round(race, &m, &end);
        }
    }
    gt_race_complete(race);
    finish_race(race, &m);
    gt_race_result result = race_result(race);
    /* a contestant with a time above 1.0055 wins once in a few hundred races */
    assert_true(m.times[result.winner] < 1.0075);
    gt_race_free(race);
    return result.samples;
}

/* The fastest late contestant soon becomes the incumbent, so the race needs few additional
 * samples. */
TEST(race_adopts_late_faster_incumbent)
{
    uint32_t late = 0, at_once = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        at_once += samples_of_race(seed, 0);
        late += samples_of_race(seed, 6);
    }
    assert_true(late < 1.3 * at_once);
}

static bool is_listed_once(const gt_race_round *round, uint64_t id)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < round->count; i++) {
        count += round->ids[i] == id;
    }
    return count == 1;
}

/* The best of many new contestants is among those that get a second quick round. */
TEST(no_contestant_is_sampled_twice_in_a_round)
{
    machine m = make_machine(3, 12);
    GT_SCOPED(race_end) gt_race *race = start_race(m.count, NULL);
    gt_race_round round;
    gt_race_end end = GT_RACE_RUNNING;
    spread_times(&m);
    gt_race_complete(race);
    while (end == GT_RACE_RUNNING) {
        ASSERT_OK(gt_race_next_round(race, &round));
        for (uint32_t i = 0; i < round.count; i++) {
            assert_true(is_listed_once(&round, round.ids[i]));
        }
        take_round(race, &m, &end);
    }
}

TEST(spoiled_round_is_forgotten)
{
    GT_SCOPED(race_end) gt_race *race = NULL;
    gt_race_round first, again;
    const gt_runner *c;
    ASSERT_OK(gt_race_new(&race, NULL));
    ASSERT_OK(gt_race_add(race, 1, true));
    ASSERT_OK(gt_race_next_round(race, &first));
    ASSERT_OK(gt_race_record(race, 1, 10));
    ASSERT_OK(gt_race_next_round(race, &again));
    assert_int_equal(again.number, first.number);
    assert_int_equal(gt_race_record(race, 2, 10), GPUTUNE_EINVAL);
    assert_non_null(c = gt_race_find(race, 1));
    assert_int_equal(c->samples.count, 0);
}

TEST(budget_gives_the_best_so_far)
{
    machine m = equal_machine(4, 4);
    GT_SCOPED(race_end) gt_race *race = start_race(m.count, NULL);
    gt_race_round round;
    gt_race_end end;
    m.times[2] = 70;
    take_round(race, &m, &end);
    ASSERT_OK(gt_race_next_round(race, &round));
    gt_race_stop(race, GT_RACE_BUDGET);
    gt_race_result result = race_result(race);
    assert_int_equal(result.winner, 2);
    assert_int_equal(result.end, GT_RACE_BUDGET);
    assert_true(result.verdict.speedup > 1.2); /* one common round gives no confidence interval */
    assert_true(result.verdict.speedup_low == 0 && result.verdict.speedup_high == 0);
    assert_true(strlen(gt_race_end_text(result.end)) > 0);
    ASSERT_OK(gt_race_next_round(race, &round));
    assert_int_equal(round.count, 0);
}

TEST(exact_values_need_one_round)
{
    machine m = make_machine(4, 40);
    const gt_race_options options = {.seed = 1, .exact = true};
    m.noise = m.drift = m.outliers = 0;
    spread_times(&m);
    m.times[11] = m.times[23] = 99;
    GT_SCOPED(race_end) gt_race *race = run_race(&m, &options);
    gt_race_result result = race_result(race);
    assert_int_equal(result.winner, 11); /* the tied contestant with the lower id wins */
    assert_true(result.verdict.tie);
    assert_int_equal(result.rounds, 1);
    assert_true(fabs(result.verdict.speedup - m.times[0] / 99) < 1e-9);
}

static bool later_first(const void *user, uint64_t a, uint64_t b)
{
    return a > b;
}

/* The winner of a tie joined after the default's last round, so they have no common sample. */
TEST(an_exact_winner_is_compared_with_the_default)
{
    machine m = {.count = 3, .times = {110, 100, 100}};
    const gt_race_options options = {.seed = 1, .exact = true, .precedes = later_first};
    GT_SCOPED(race_end) gt_race *race = start_race(1, &options);
    gt_race_end end = GT_RACE_RUNNING;
    ASSERT_OK(gt_race_add(race, 1, false));
    take_round(race, &m, &end);
    ASSERT_OK(gt_race_add(race, 2, false));
    gt_race_complete(race);
    for (int turn = 0; turn < 3 && end == GT_RACE_RUNNING; turn++) {
        take_round(race, &m, &end);
    }
    gt_race_result result = race_result(race);
    assert_int_equal(result.winner, 2);
    assert_true(fabs(result.verdict.speedup - 1.1) < 1e-9);
}

/* A contestant that is only slightly faster wins, even if the others raced before it joined. */
TEST(exact_values_do_not_depend_on_who_joins_first)
{
    const gt_race_options options = {.seed = 1, .exact = true};
    for (uint64_t first = 1; first <= 2; first++) {
        machine m = {.count = 3, .times = {100, 99.9999, 99.9998}};
        GT_SCOPED(race_end) gt_race *race = start_race(1, &options);
        gt_race_end end = GT_RACE_RUNNING;
        ASSERT_OK(gt_race_add(race, first, false));
        for (int round = 0; round < 4; round++) {
            take_round(race, &m, &end);
        }
        ASSERT_OK(gt_race_add(race, 3 - first, false));
        gt_race_complete(race);
        for (int round = 0; round < 4 && end == GT_RACE_RUNNING; round++) {
            take_round(race, &m, &end);
        }
        assert_int_equal(race_result(race).winner, 2);
    }
}

TEST(same_seed_same_course)
{
    gt_race *races[2];
    gt_race_result results[2];
    for (int i = 0; i < 2; i++) {
        machine m = make_machine(11, 24);
        const gt_race_options options = {.seed = 5};
        spread_times(&m);
        races[i] = run_race(&m, &options);
        ASSERT_OK(gt_race_result_get(races[i], &results[i]));
    }
    assert_int_equal(results[0].winner, results[1].winner);
    assert_int_equal(results[0].samples, results[1].samples);
    assert_true(results[0].verdict.speedup == results[1].verdict.speedup);
    for (uint32_t id = 0; id < 24; id++) {
        const gt_runner *a = gt_race_find(races[0], id), *b = gt_race_find(races[1], id);
        assert_int_equal(a->samples.count, b->samples.count);
        assert_true(!a->samples.count || a->samples.items[0].value == b->samples.items[0].value);
    }
    gt_race_free(races[0]);
    gt_race_free(races[1]);
}

static uint32_t count_final(const gt_runner *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->samples.count; i++) {
        count += c->samples.items[i].kind == GT_RACE_FINAL;
    }
    return count;
}

TEST(summary_is_of_the_longest_samples)
{
    machine m = equal_machine(6, 12);
    const gt_runner *c;
    gt_summary s;
    m.times[3] = 90;
    GT_SCOPED(race_end) gt_race *race = run_race(&m, NULL);
    assert_non_null(c = gt_race_find(race, 0));
    assert_true(c->samples.items[0].kind == GT_RACE_QUICK &&
                c->samples.items[1].kind == GT_RACE_QUICK &&
                c->samples.items[2].kind == GT_RACE_FULL);
    uint32_t final = count_final(c);
    ASSERT_OK(gt_race_summary(race, 0, &s));
    assert_int_equal(s.count, final ? final : c->samples.count - 2);
    gt_race_result result = race_result(race);
    assert_non_null(c = gt_race_find(race, result.winner));
    ASSERT_OK(gt_race_summary(race, result.winner, &s));
    assert_int_equal(s.count, count_final(c));
    assert_true(s.count >= 5);
    assert_true(s.median > 88 && s.median < 92);
    ASSERT_OK(gt_race_summary(race, 12345, &s));
    assert_int_equal(s.count, 0);
}
