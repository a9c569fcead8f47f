/* Tests in thousands of simulated races how often a slower contestant wins, and how often the
 * intervals contain the true value. */
#include "simulated_race.h"

enum { RUNS = 2000 };

static double best_time(const machine *m)
{
    double best = INFINITY;
    for (uint32_t i = 0; i < m->count; i++) {
        best = m->times[i] < best ? m->times[i] : best;
    }
    return best;
}

typedef struct tally {
    int wrong, covered, compared, ties, default_won;
    double samples;
} tally;

static void count_result(tally *t, const gt_race *race, const machine *m)
{
    gt_race_result result = race_result(race);
    t->wrong += m->times[result.winner] > 1.01 * best_time(m);
    t->ties += result.verdict.tie;
    t->default_won += result.winner == 0;
    t->samples += result.samples;
    if (result.winner != 0) {
        double truth = m->times[0] / m->times[result.winner];
        t->compared++;
        t->covered += result.verdict.speedup_low <= truth && truth <= result.verdict.speedup_high;
    }
}

typedef void (*shape)(machine *m);

static tally simulate(int runs, uint32_t count, uint32_t batch, shape make)
{
    tally t = {0};
    for (int run = 0; run < runs; run++) {
        machine m = make_machine((uint64_t)run, count);
        m.batch = batch;
        make(&m);
        const gt_race_options options = {.seed = (uint64_t)run + 1};
        GT_SCOPED(race_end) gt_race *race = run_race(&m, &options);
        count_result(&t, race, &m);
    }
    return t;
}

/* The times that make an error of more than 1% most likely: one contestant is the best, and all
 * others are slightly more than 1% slower. */
static void hard_times(machine *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        m->times[i] = i == m->count / 2 ? 100 : 101.1;
    }
}

static bool intervals_cover(const tally *t)
{
    return t->covered >= 0.93 * t->compared && t->covered <= 0.97 * t->compared;
}

TEST(rarely_errs_and_intervals_cover)
{
    tally t = simulate(RUNS, 24, 0, spread_times);
    assert_true(t.wrong <= RUNS / 100);
    assert_true(t.samples / RUNS < 24 * 100 / 10); /* on average 10 samples per contestant */
    assert_true(intervals_cover(&t));
}

TEST(the_same_on_the_hardest_field)
{
    tally t = simulate(RUNS, 24, 0, hard_times);
    assert_true(t.wrong <= 1.3 * RUNS / 100); /* in 20,000 runs, 0.84% of the winners were wrong */
    assert_true(intervals_cover(&t));
}

static void noisy_times(machine *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        double by = i > 0 && i < m->count / 3 ? 0.004 : 0.3;
        double from = i > 0 && i < m->count / 3 ? 100 : 102;
        m->times[i] = from * (1 + (i ? by * gt_random_unit(&m->random) : 0));
    }
    m->times[5] = 100;
}

TEST(noise_is_worn_down_by_rounds)
{
    enum { NOISY_RUNS = 50 };
    int wrong = 0;
    for (int run = 0; run < NOISY_RUNS; run++) {
        machine m = make_machine((uint64_t)run, 40);
        const gt_race_options options = {
            .seed = (uint64_t)run + 1, .max_rounds = 200, .drop_ratio = 0.5};
        m.noise = 0.03;
        m.outliers = 0.1;
        noisy_times(&m);
        GT_SCOPED(race_end) gt_race *race = run_race(&m, &options);
        gt_race_result result = race_result(race);
        wrong += m.times[result.winner] > 101;
    }
    assert_true(wrong == 0);
}

/* With so few contestants, the noise is not known, and no contestant may leave because of it. */
TEST(few_in_noise_are_not_sent_home_early)
{
    const double runs = 1000;
    for (uint32_t count = 2; count <= 4; count++) {
        int wrong = 0;
        for (int run = 0; run < runs; run++) {
            machine m = equal_machine((uint64_t)run, count);
            const gt_race_options options = {
                .seed = (uint64_t)run + 1, .max_rounds = 200, .drop_ratio = 0.5};
            m.noise = 0.03;
            m.outliers = 0;
            m.times[count - 1] = 98;
            GT_SCOPED(race_end) gt_race *race = run_race(&m, &options);
            gt_race_result result = race_result(race);
            wrong += result.winner != count - 1;
        }
        assert_true(wrong <= 0.02 * runs);
    }
}

TEST(late_arrivals_win_as_well)
{
    tally t = simulate(RUNS, 24, 3, spread_times);
    assert_true(t.wrong <= RUNS / 100);
    assert_true(t.covered >= 0.93 * t.compared);
}

TEST(ties_are_reported_and_go_to_the_default)
{
    enum { TIE_RUNS = 100 };
    tally t = {0};
    for (int run = 0; run < TIE_RUNS; run++) {
        machine m = equal_machine((uint64_t)run, 6);
        m.noise = 0.001;
        GT_SCOPED(race_end) gt_race *race = run_race(&m, NULL);
        count_result(&t, race, &m);
    }
    assert_true(t.ties >= 0.97 * TIE_RUNS);
    assert_true(t.default_won >= 0.97 * TIE_RUNS);
}
