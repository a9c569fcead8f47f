/* Simulated races with noise, drift, and outliers. */
#pragma once

#include "base/random.h"
#include "support/random_normal.h"
#include "support/test.h"
#include "tuner/race.h"

enum { FIELD_MAX = 128 };

/* The true times of the contestants, and the disturbances of their samples. */
typedef struct machine {
    double times[FIELD_MAX];
    double firsts[FIELD_MAX]; /* additional time of quick samples */
    uint32_t count, batch;    /* batch: how many join before each round; 0: all at the start */
    double noise, drift, outliers;
    gt_random random;
    double clock;
} machine;

static machine make_machine(uint64_t seed, uint32_t count)
{
    return (machine){.count = count,
                     .noise = 0.01,
                     .drift = 0.015,
                     .outliers = 0.02,
                     .random = {seed * 7919 + 13}};
}

/* Adds normal noise, a slow common drift, and occasional outliers of 5 to 50%. */
static double sample(machine *m, uint64_t id)
{
    double drift = 1 + m->drift * sin(m->clock++ * 6.28 / (20.0 * m->count));
    double value = m->times[id] * drift * (1 + m->noise * random_normal(&m->random));
    bool outlier = gt_random_unit(&m->random) < m->outliers;
    return outlier ? value * (1.05 + 0.45 * gt_random_unit(&m->random)) : value;
}

static void take_round(gt_race *race, machine *m, gt_race_end *end)
{
    gt_race_round round;
    ASSERT_OK(gt_race_next_round(race, &round));
    for (uint32_t i = 0; i < round.count; i++) {
        double more = round.kind == GT_RACE_QUICK ? m->firsts[round.ids[i]] : 0;
        ASSERT_OK(gt_race_record(race, round.ids[i], sample(m, round.ids[i]) + more));
    }
    ASSERT_OK(gt_race_end_round(race, end));
}

static inline void race_end(gt_race **race)
{
    gt_race_free(*race);
}

static inline gt_race_result race_result(const gt_race *race)
{
    gt_race_result result;
    ASSERT_OK(gt_race_result_get(race, &result));
    return result;
}

/* Opens a race in which contestant 0 is the default and wins ties. */
static inline gt_race *start_race(uint32_t count, const gt_race_options *options)
{
    gt_race *race;
    ASSERT_OK(gt_race_new(&race, options));
    for (uint32_t i = 0; i < count; i++) {
        ASSERT_OK(gt_race_add(race, i, i == 0));
    }
    return race;
}

static inline void finish_race(gt_race *race, machine *m)
{
    gt_race_end end = GT_RACE_RUNNING;
    for (int turns = 0; end == GT_RACE_RUNNING; turns++) {
        take_round(race, m, &end);
        assert_true(turns < 1000);
    }
}

/* Races all contestants. If m->batch is set, m->batch contestants join before each round. */
static gt_race *run_race(machine *m, const gt_race_options *options)
{
    uint32_t batch = m->batch ? m->batch : m->count;
    gt_race *race = start_race(batch, options);
    for (uint32_t i = batch; i < m->count; i++) {
        if (i % batch == 0) {
            gt_race_end end;
            take_round(race, m, &end);
        }
        ASSERT_OK(gt_race_add(race, i, false));
    }
    gt_race_complete(race);
    finish_race(race, m);
    return race;
}

static inline void spread_times(machine *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        m->times[i] = 100 * (1 + 0.3 * gt_random_unit(&m->random));
    }
}

static inline void equal_times(machine *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        m->times[i] = 100;
    }
}

static inline machine equal_machine(uint64_t seed, uint32_t count)
{
    machine m = make_machine(seed, count);
    equal_times(&m);
    return m;
}
