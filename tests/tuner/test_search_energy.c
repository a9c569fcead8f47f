/* Tests the objective energy: a race by time, then a race of the fastest by energy. */
#include "search_world.h"

/* BLOCK=512 is as fast as BLOCK=256 with less energy. BLOCK=64 uses little energy but is slow. */
static int open_thrifty_world(void **state)
{
    open_world(state);
    world *w = *state;
    SET_EACH(w, energy_nj, 900);
    w->by_block[512].time_ns = 800;
    w->by_block[256].energy_nj = 500;
    w->by_block[512].energy_nj = 400;
    w->by_block[64].energy_nj = 1;
    w->farm.noise = 0.001;
    return 0;
}

static gputune_options by_energy(void)
{
    return OPTIONS(.objective = GPUTUNE_OBJECTIVE_ENERGY);
}

TEST_OF(thriftiest_of_the_fastest_wins, world *w, open_thrifty_world, close_world)
{
    w->farm.noise = 0.01;
    assert_string_equal(tuned_for(w, GPUTUNE_OBJECTIVE_ENERGY), "BLOCK=512");
    assert_true(w->choice.time_ns > 399 && w->choice.time_ns < 410);
    assert_true(w->farm.weighings > 0 && w->farm.weighings < w->farm.samples);
}

TEST_OF(is_decided_within_the_limit_it_has_by_default, world *w, open_thrifty_world, close_world)
{
    write_template(w, "64, 128, 256, 512, 1024, 192, 320, 384, 448, 576, 640, 704");
    for (int i = 65; i <= 1024; i++) {
        w->by_block[i].time_ns = 800;
    }
    tuned_for(w, GPUTUNE_OBJECTIVE_ENERGY);
    assert_true(w->farm.weighings <= 26);
    uint32_t samples = w->farm.samples;
    tuned_for(w, GPUTUNE_OBJECTIVE_ENERGY);
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_CACHED);
    assert_int_equal(w->farm.samples, samples);
}

typedef struct seen_trials {
    uint32_t count, by_time;
    double slow_nj;
    char why_slow[64];
} seen_trials;

static int see_trial(void *user, const gputune_record *record)
{
    seen_trials *seen = user;
    seen->count++;
    seen->by_time +=
        strstr(record->message, "by time: ") || strstr(record->message, "energy was not");
    if (strcmp(record->configuration, "BLOCK=64") == 0) {
        seen->slow_nj = record->median_ns;
        snprintf(seen->why_slow, sizeof seen->why_slow, "%s", record->message);
    }
    return 0;
}

static seen_trials stored_trials(const world *w)
{
    seen_trials seen = {0};
    const gt_records_filter filter = {.all_trials = true};
    assert_int_equal(gt_store_records(w->store, &filter, see_trial, &seen), 0);
    return seen;
}

TEST_OF(trials_have_the_reason_why_a_variant_has_no_energy, world *w, open_thrifty_world,
        close_world)
{
    write_template(w, "64, 128, 256, 512, 320, 384");
    w->by_block[320].time_ns = w->by_block[384].time_ns = w->by_block[128].time_ns = 800;
    tuned_for(w, GPUTUNE_OBJECTIVE_ENERGY);
    seen_trials seen = stored_trials(w);
    assert_int_equal(seen.count, 6);
    assert_int_equal(seen.by_time, 2);
    assert_true(seen.slow_nj == 0);
    assert_non_null(strstr(seen.why_slow, "the best time in its first round"));
}

TEST_OF(samples_are_of_both_races, world *w, open_thrifty_world, close_world)
{
    gputune_options options = by_energy();
    const char *path = path_in(w, "samples.csv");
    options.samples_path = path;
    tuned(w, &options);
    uint32_t energy = lines_with(path, ",energy,");
    assert_int_equal(energy, w->farm.weighings);
    assert_int_equal(lines_with(path, ",kernel,") + energy, w->farm.samples);
}

/* Checks that the choice is one of the fastest variants and has no times. */
static void assert_fastest_without_figures(const gt_choice *choice, const char *config,
                                           const char *stopped)
{
    assert_true(strcmp(config, "BLOCK=256") == 0 || strcmp(config, "BLOCK=512") == 0);
    assert_true(choice->time_ns == 0 && choice->default_ns == 0 && choice->verdict.speedup == 0);
    assert_non_null(strstr(choice->stop_reason, stopped));
}

TEST_OF(limit_before_anything_was_weighed_gives_the_fastest, world *w, open_thrifty_world,
        close_world)
{
    gputune_options options = by_energy();
    options.time_limit_s = 0.5; /* leaves time for only one round of samples */
    w->farm.round_ns = 300000000;
    tuned(w, &options);
    assert_fastest_without_figures(&w->choice, w->config, "time limit was reached");
    assert_true(stored_trials(w).slow_nj == 0);
    options.time_limit_s = 0;
    w->farm.round_ns = 0;
    tuned(w, &options); /* continues the tuning */
    assert_string_equal(w->config, "BLOCK=512");
    assert_true(w->choice.time_ns > 399 && w->choice.time_ns < 401);
}

static volatile int cancel;

static gputune_options by_energy_unless_cancelled(void)
{
    gputune_options options = by_energy();
    options.cancel = &cancel;
    cancel = 0;
    return options;
}

static scripted_variant behave_until_weighed(void *user, const gt_launch *launch)
{
    world *w = user;
    if (w->farm.weighings == 1) {
        cancel = 1;
        w->farm.late = 1;
    }
    return behave(user, launch);
}

TEST_OF(cancel_during_the_first_weighing_gives_the_fastest, world *w, open_thrifty_world,
        close_world)
{
    gputune_options options = by_energy_unless_cancelled();
    w->farm.behave = behave_until_weighed;
    tuned(w, &options);
    assert_true(w->farm.weighings > 0);
    assert_fastest_without_figures(&w->choice, w->config, "stopped on request");
}

TEST_OF(finished_result_outlives_one_that_is_not, world *w, open_thrifty_world, close_world)
{
    gputune_options options = by_energy();
    assert_string_equal(tuned(w, &options), "BLOCK=512");
    write_template(w, "64, 128, 256, 512, 1024");
    w->by_block[1024].time_ns = 700;
    w->by_block[1024].energy_nj = 2000;
    options.time_limit_s = 0.5; /* leaves time for only one round of samples */
    w->farm.round_ns = 300000000;
    tuned(w, &options);
    options.effort = GPUTUNE_CACHED_ONLY;
    assert_string_equal(tuned(w, &options), "BLOCK=512");
    assert_true(w->choice.time_ns > 399 && w->choice.time_ns < 401 && w->choice.default_ns > 899);
}

/* If a limit ends the proof of a variant that was verified in an earlier call, the variant does not
 * count as hanging. */
TEST_OF(verified_variant_is_tried_again_after_a_limit, world *w, open_thrifty_world, close_world)
{
    static const char *const only[] = {"BLOCK=64"};
    gputune_options options = by_energy();
    w->by_block[64].time_ns = 900; /* slower than BLOCK=256, so its energy is not measured */
    w->by_block[64].energy_nj = 300;
    w->by_block[256].time_ns = w->by_block[512].time_ns = 500;
    options.time_limit_s = 1;
    assert_string_equal(tuned(w, &options), "BLOCK=512");
    options.force = true;
    w->by_block[64].never_answers = true;
    tuned(w, &options);
    options.force = false;
    w->by_block[64].never_answers = false;
    options.only = only;
    options.only_count = 1;
    assert_string_equal(tuned(w, &options), "BLOCK=64");
}

/* Cancels in the second race, which begins after the variant that hung once was verified. */
static scripted_variant behave_until_raced_again(void *user, const gt_launch *launch)
{
    world *w = user;
    cancel = w->farm.patient_verifies > 0 && w->farm.rechecks > 0;
    return behave(user, launch);
}

TEST_OF(energies_are_kept_if_weighing_again_is_canceled, world *w, open_thrifty_world, close_world)
{
    gputune_options options = by_energy_unless_cancelled();
    w->by_block[64].hangs_once = true;
    w->farm.behave = behave_until_raced_again;
    tuned(w, &options);
    assert_true(w->farm.patient_verifies > 0);
    assert_string_equal(w->config, "BLOCK=512");
    assert_true(w->choice.time_ns > 399 && w->choice.time_ns < 401 &&
                w->choice.verdict.speedup > 2);
    assert_non_null(strstr(w->choice.stop_reason, "stopped on request"));
}

static scripted_variant behave_until_crashed(void *user, const gt_launch *launch)
{
    world *w = user;
    cancel = w->farm.weighings > 0;
    return behave(user, launch);
}

TEST_OF(crash_while_weighing_excludes_from_winning, world *w, open_thrifty_world, close_world)
{
    gputune_options options = by_energy_unless_cancelled();
    w->by_block[512].time_ns = 1000;
    w->by_block[256].weigh = GPUTUNE_ECRASHED;
    w->farm.behave = behave_until_crashed;
    assert_string_equal(tuned(w, &options), "BLOCK=128");
    assert_int_equal(w->choice.failed, 1);
}

TEST_OF(others_are_compared_by_energy_if_all_finalists_crash, world *w, open_thrifty_world,
        close_world)
{
    write_template(w, "64, 128, 256, 512, 320, 384");
    w->by_block[320].time_ns = w->by_block[384].time_ns = 800;
    w->by_block[128].weigh = w->by_block[256].weigh = GPUTUNE_ECRASHED;
    w->by_block[512].weigh = w->by_block[320].weigh = GPUTUNE_ECRASHED;
    tuned_for(w, GPUTUNE_OBJECTIVE_ENERGY);
    assert_string_equal(w->config, "BLOCK=384");
    assert_true(w->choice.time_ns > 899 && w->choice.time_ns < 901);
    assert_true(w->choice.failed >= 3);
}

TEST_OF(finalist_without_a_value_is_not_reported_as_slow, world *w, open_thrifty_world, close_world)
{
    w->by_block[512].energy_nj = NAN;
    assert_string_equal(tuned_for(w, GPUTUNE_OBJECTIVE_ENERGY), "BLOCK=256");
    assert_int_equal(stored_trials(w).by_time, 1); /* BLOCK=64 */
}

typedef struct watched {
    uint32_t by_time, by_energy;
    bool confused;
} watched;

static void watch(void *user, const gputune_progress *progress)
{
    watched *seen = user;
    bool energy = progress->objective == GPUTUNE_OBJECTIVE_ENERGY;
    seen->by_energy += energy;
    seen->by_time += progress->objective == GPUTUNE_OBJECTIVE_KERNEL;
    if (progress->best_ns > 0) {
        seen->confused |= energy != (progress->best_ns < 700);
    }
}

TEST_OF(progress_names_the_objective_of_its_values, world *w, open_thrifty_world, close_world)
{
    watched seen = {0};
    gputune_options options = by_energy();
    options.progress = watch;
    options.user = &seen;
    w->farm.round_ns = 60000000; /* progress is reported at most every 50 ms */
    tuned(w, &options);
    assert_true(seen.by_time > 0 && seen.by_energy > 0);
    assert_false(seen.confused);
}

/* 256 is fastest but fails when its energy is measured. 512 is still better than the default. */
TEST_OF(second_fastest_is_weighed_if_the_fastest_fails, world *w, open_thrifty_world, close_world)
{
    w->by_block[256].weigh = GPUTUNE_EWRONG;
    w->by_block[512].time_ns = 900;
    assert_string_equal(tuned_for(w, GPUTUNE_OBJECTIVE_ENERGY), "BLOCK=512");
}
