/* Tests that results are found under the keys under which they were stored. */
#include "store_support.h"

TEST_WITH_STORE(nothing_is_found_silently)
{
    gt_scenario scenario = scenario_at(1024);
    gt_winner winner;
    gt_code code;
    gt_trial_list trials;
    gt_fail(GPUTUNE_EIO, "earlier");
    assert_int_equal(find_first(&winner, store, &scenario), GPUTUNE_ENOTFOUND);
    assert_int_equal(gt_store_find_nearest(&winner, store, &scenario, NULL, 0, NULL),
                     GPUTUNE_ENOTFOUND);
    assert_int_equal(gt_store_find_cubin(&code, store, hash_of(1), "sm_90", false, NULL),
                     GPUTUNE_ENOTFOUND);
    ASSERT_OK(gt_store_trials(&trials, store, &scenario, 0, NULL));
    assert_int_equal(trials.count, 0);
    gt_trial_list_free(&trials);
    assert_string_equal(gt_message(), "earlier");
    assert_int_equal(w->warnings, 0);
}

TEST_OF(winner_survives_reopening, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    gt_scenario scenario = scenario_at(4096);
    ASSERT_OK(put_outcome(store, &scenario, 100, GPUTUNE_MEASURE, false));
    gt_store_close(store);

    store = open_store(w);
    ASSERT_OK(gt_store_check(store, true));
    GT_SCOPED(gt_winner_free) gt_winner found = first_winner(store, &scenario);
    assert_string_equal(found.config, "VEC=4");
    assert_string_equal(found.default_config, "VEC=1");
    assert_string_equal(found.fallback_config, "VEC=1");
    assert_string_equal(found.problem, "n=4096 T=half");
    assert_true(gt_hash_equal(found.trial, hash_of(2)) &&
                gt_hash_equal(found.terms.space, hash_of(77)));
    assert_string_equal(found.code.image.data, "the winner's code");
    assert_string_equal(found.fallback.image.data, "the default's code");
    assert_int_equal(found.code.resources.registers, 32);
    assert_true(found.median_ns == 100);
    assert_true(found.default_ns == 200 && found.verdict.speedup_low == 1.9);
    assert_true(found.verdict.tie && found.terms.proved && !found.verdict.noisy && !found.modelled);
    assert_int_equal(found.terms.effort, GPUTUNE_MEASURE);
    assert_int_equal(found.terms.driver_version, 13000);
    assert_int_equal(found.failed, 1);
    assert_true(found.created[0] == '2' && strlen(found.created) == 20);
}

TEST_WITH_STORE(nan_is_read_back_as_zero)
{
    gt_scenario scenario = scenario_at(4096);
    gt_trial trial = trial_of(1, "VEC=1", 100);
    trial.max_error = NAN;
    GT_SCOPED(gt_trial_list_free) gt_trial_list found;
    ASSERT_OK(gt_store_put_trials(store, &scenario, &trial, 1, NULL));
    ASSERT_OK(gt_store_put_trials(store, &scenario, NULL, 0, NULL));
    ASSERT_OK(gt_store_trials(&found, store, &scenario, 0, NULL));
    assert_int_equal(found.count, 1);
    assert_true(found.items[0].max_error == 0);
}

TEST_WITH_STORE(every_part_of_the_key_counts)
{
    gt_scenario base = scenario_at(4096);
    ASSERT_OK(put_outcome(store, &base, 100, GPUTUNE_MEASURE, false));
    gt_scenario changed[9];
    for (int i = 0; i < 9; i++) {
        changed[i] = base;
    }
    changed[0].kernel = "copy";
    changed[1] = scenario_at(4097);
    changed[2].fixed = "T=float";
    changed[3].objective = GPUTUNE_OBJECTIVE_LATENCY;
    changed[4].cache = GPUTUNE_CACHE_HOT;
    changed[5].alignment = "16 x=4";
    changed[6].inputs = "live:a";
    changed[7].identity.low++;
    changed[8].environment = "another";
    GT_SCOPED(gt_winner_free) gt_winner found;
    for (int i = 0; i < 9; i++) {
        assert_int_equal(find_first(&found, store, &changed[i]), GPUTUNE_ENOTFOUND);
    }
    base.work_flops = 5;
    ASSERT_OK(find_first(&found, store, &base));
}

/* If the nearest trial is excluded, the next nearest is used. */
TEST_WITH_STORE(nearest_leaves_trials_out)
{
    const gt_scenario wanted = scenario_at(4096);
    const gt_hash other[] = {hash_of(2)};
    gt_winner found;
    put_size(store, 1024, 10);
    ASSERT_OK(gt_store_find_nearest(&found, store, &wanted, NULL, 0, NULL));
    gt_winner_free(&found);
    assert_int_equal(gt_store_find_nearest(&found, store, &wanted, other, 1, NULL),
                     GPUTUNE_ENOTFOUND);
}

static int64_t nearest_to(gt_store *store, int64_t n, const char *fixed)
{
    gt_scenario wanted = scenario_at(n);
    gt_winner found;
    wanted.fixed = fixed;
    if (gt_store_find_nearest(&found, store, &wanted, NULL, 0, NULL) != GPUTUNE_OK) {
        return 0;
    }
    int64_t size = strtoll(found.problem + strlen("n="), NULL, 10);
    gt_winner_free(&found);
    return size;
}

TEST_WITH_STORE(nearest_is_by_ratio)
{
    put_size(store, 1024, 10);
    put_size(store, 4096, 40);
    assert_int_equal(nearest_to(store, 1500, "T=half"), 1024);
    assert_int_equal(nearest_to(store, 2100, "T=half"), 4096);
    assert_int_equal(nearest_to(store, 1, "T=half"), 1024);
    assert_int_equal(nearest_to(store, 1500, "T=float"), 0); /* types must match */
    put_size(store, 64, 1);
    put_size(store, 1 << 20, 10000);
    const int64_t wanted[][2] = {{70, 64}, {900, 1024}, {4000, 4096}, {900000, 1 << 20}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_int_equal(nearest_to(store, wanted[i][0], "T=half"), wanted[i][1]);
    }
}

/* Vector widths that fit one size may not fit a neighboring one. */
TEST_WITH_STORE(nearest_is_divisible_alike)
{
    put_size(store, 1 << 20, 40);
    put_size(store, (1 << 18) + 1, 10);
    put_size(store, 1 << 24, 640);
    const int64_t wanted[][2] = {{(1 << 18) + 16, 1 << 20},
                                 {1 << 18, 1 << 20},
                                 {(1 << 20) + 1, (1 << 18) + 1},
                                 {(1 << 24) + 1, 1 << 24}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_int_equal(nearest_to(store, wanted[i][0], "T=half"), wanted[i][1]);
    }
}

static size_t count_winners(gt_store *store, const gt_scenario *scenario)
{
    gt_winner_list list;
    ASSERT_OK(gt_store_winners(&list, store, scenario, NULL));
    size_t count = list.count;
    gt_winner_list_free(&list);
    return count;
}

static double first_time(gt_store *store, const gt_scenario *scenario)
{
    GT_SCOPED(gt_winner_free) gt_winner found = first_winner(store, scenario);
    double time = found.median_ns;
    assert_true(found.config && found.only);
    return time;
}

TEST_WITH_STORE(higher_effort_stays)
{
    gt_scenario scenario = scenario_at(4096);
    ASSERT_OK(put_outcome(store, &scenario, 100, GPUTUNE_EXHAUSTIVE, false));
    ASSERT_OK(put_outcome(store, &scenario, 90, GPUTUNE_ESTIMATE, false));
    gt_winner found;
    ASSERT_OK(find_first(&found, store, &scenario));
    assert_int_equal(found.terms.effort, GPUTUNE_EXHAUSTIVE);
    gt_winner_free(&found);
    ASSERT_OK(put_outcome(store, &scenario, 90, GPUTUNE_MEASURE, true));
    ASSERT_OK(find_first(&found, store, &scenario));
    assert_int_equal(found.terms.effort, GPUTUNE_MEASURE);
    gt_winner_free(&found);
}

/* Programs that restrict the space differently have separate winners. */
TEST_WITH_STORE(each_space_has_its_winner)
{
    gt_scenario scenario = scenario_at(4096);
    gt_terms whole = terms_of(GPUTUNE_MEASURE), part = whole;
    part.space = hash_of(78);
    part.limit = 2;
    ASSERT_OK(put_under(store, &scenario, 100, &whole, false, NULL));
    ASSERT_OK(put_under(store, &scenario, 120, &part, false, NULL));
    GT_SCOPED(gt_winner_list_free) gt_winner_list list;
    ASSERT_OK(gt_store_winners(&list, store, &scenario, NULL));
    assert_int_equal(list.count, 2);
    assert_string_equal(list.items[0].only, "VEC=1,4,8");
    assert_true(gt_hash_equal(list.items[0].terms.space, part.space));
    assert_int_equal(list.items[0].terms.limit, 2);
    assert_string_equal(list.items[1].only, "");
    assert_true(gt_hash_equal(list.items[1].terms.space, whole.space));
}

TEST_WITH_STORE(unfinished_yields_to_finished)
{
    gt_scenario scenario = scenario_at(4096);
    gt_terms terms = terms_of(GPUTUNE_MEASURE);
    terms.final = false;
    ASSERT_OK(put_under(store, &scenario, 130, &terms, false, NULL));
    ASSERT_OK(put_under(store, &scenario, 120, &terms, false, NULL));
    assert_true(first_time(store, &scenario) == 120); /* the newer unfinished result is used */
    terms.final = true;
    ASSERT_OK(put_under(store, &scenario, 110, &terms, false, NULL));
    terms.final = false;
    ASSERT_OK(put_under(store, &scenario, 105, &terms, false, NULL));
    GT_SCOPED(gt_winner_free) gt_winner found = first_winner(store, &scenario);
    assert_true(found.terms.final);
    assert_int_equal(count_winners(store, &scenario), 1);
}

/* A later tuning found that the winner's results are wrong. */
TEST_WITH_STORE(winner_whose_trial_failed_is_none)
{
    gt_scenario scenario = scenario_at(4096);
    ASSERT_OK(put_outcome(store, &scenario, 100, GPUTUNE_EXHAUSTIVE, false));
    gt_trial wrong = trial_of(2, "VEC=4", 100);
    wrong.status = GT_TRIAL_WRONG;
    ASSERT_OK(gt_store_put_trials(store, &scenario, &wrong, 1, NULL));
    gt_winner found;
    assert_int_equal(count_winners(store, &scenario), 0);
    assert_int_equal(gt_store_find_nearest(&found, store, &scenario, NULL, 0, NULL),
                     GPUTUNE_ENOTFOUND);
    ASSERT_OK(put_outcome(store, &scenario, 100, GPUTUNE_MEASURE, false));
    assert_int_equal(count_winners(store, &scenario), 1);
}

/* If two results are at the same distance, the whole space is preferred to a part of it, and a
 * final result to an unfinished one. */
TEST_WITH_STORE(nearest_prefers_the_whole_space)
{
    gt_scenario scenario = scenario_at(4096), wanted = scenario_at(8192);
    gt_terms whole = terms_of(GPUTUNE_MEASURE), part = whole, unproved = whole;
    whole.final = false;
    part.space = hash_of(78);
    part.limit = 2;
    unproved.space = hash_of(79);
    unproved.proved = false;
    ASSERT_OK(put_under(store, &scenario, 100, &whole, false, NULL));
    ASSERT_OK(put_under(store, &scenario, 100, &part, false, NULL));
    ASSERT_OK(put_under(store, &scenario, 100, &unproved, false, NULL));
    gt_winner found;
    ASSERT_OK(gt_store_find_nearest(&found, store, &wanted, NULL, 0, NULL));
    assert_true(gt_hash_equal(found.terms.space, whole.space));
    gt_winner_free(&found);
    whole.space = hash_of(80);
    whole.final = true;
    ASSERT_OK(put_under(store, &scenario, 100, &whole, false, NULL));
    ASSERT_OK(gt_store_find_nearest(&found, store, &wanted, NULL, 0, NULL));
    assert_true(gt_hash_equal(found.terms.space, whole.space));
    gt_winner_free(&found);
}

static size_t count_trials(gt_store *store, const gt_scenario *scenario, int driver)
{
    gt_trial_list list;
    ASSERT_OK(gt_store_trials(&list, store, scenario, driver, NULL));
    size_t count = list.count;
    gt_trial_list_free(&list);
    return count;
}

TEST_WITH_STORE(failures_are_forgotten_with_another_driver)
{
    gt_scenario scenario = scenario_at(4096);
    ASSERT_OK(put_outcome(store, &scenario, 100, GPUTUNE_MEASURE, false));
    gt_trial broken = trial_of(4, "VEC=3", 0);
    broken.status = GT_TRIAL_COMPILE;
    ASSERT_OK(gt_store_put_trials(store, &scenario, &broken, 1, NULL));
    assert_int_equal(count_trials(store, &scenario, 13000), 4);
    /* with another driver, the failed variant is left out because it may work */
    assert_int_equal(count_trials(store, &scenario, 13010), 3);
    assert_int_equal(count_trials(store, &scenario, 0), 4);
}

TEST_WITH_STORE(trials_come_back_whole)
{
    gt_scenario scenario = scenario_at(4096);
    gt_trial put = trial_of(5, "VEC=2", 123);
    put.status = GT_TRIAL_ELIMINATED;
    put.message = "4.0% slower after 5 samples";
    put.eliminated_round = 6;
    put.noisy = true;
    ASSERT_OK(gt_store_put_trials(store, &scenario, &put, 1, NULL));
    put.time.median = 124;
    ASSERT_OK(gt_store_put_trials(store, &scenario, &put, 1, NULL));
    GT_SCOPED(gt_trial_list_free) gt_trial_list list;
    ASSERT_OK(gt_store_trials(&list, store, &scenario, 0, NULL));
    assert_int_equal(list.count, 1);
    const gt_trial *got = &list.items[0];
    assert_true(gt_hash_equal(got->hash, put.hash) && gt_hash_equal(got->source, put.source));
    assert_string_equal(got->config, "VEC=2");
    assert_string_equal(got->message, put.message);
    assert_int_equal(got->status, GT_TRIAL_ELIMINATED);
    assert_true(got->noisy && got->eliminated_round == 6 && got->shared_bytes == 2048);
    assert_memory_equal(&got->time, &put.time, sizeof put.time);
    assert_memory_equal(&got->resources, &put.resources, sizeof put.resources);
    assert_true(got->occupancy == 0.75 && got->max_error == 0.25 && got->compile_ns == 2e7);
}

/* A winner keeps the code with which it was verified. Other variants use the newest compiler's
 * code. */
TEST_WITH_STORE(code_is_found_by_source_arch_and_version)
{
    gt_scenario scenario = scenario_at(4096);
    gt_code codes[2] = {code_of(2, "new"), code_of(2, "ptx text")}, found;
    codes[0].nvrtc_version = 13020;
    codes[1].ptx = true;
    ASSERT_OK(put_outcome(store, &scenario, 100, GPUTUNE_MEASURE, false));
    ASSERT_OK(gt_store_put_cubins(store, codes, 2, NULL));
    gt_hash source = codes[0].source;
    GT_SCOPED(gt_winner_free) gt_winner winner = first_winner(store, &scenario);
    assert_string_equal(winner.code.image.data, "the winner's code");
    ASSERT_OK(gt_store_find_cubin(&found, store, source, "sm_90", false, NULL));
    assert_string_equal(found.image.data, "new");
    gt_code_free(&found);
    ASSERT_OK(gt_store_find_cubin(&found, store, source, "sm_90", true, NULL));
    assert_string_equal(found.image.data, "ptx text");
    assert_int_equal(found.image.bytes, 8);
    gt_code_free(&found);
    assert_int_equal(gt_store_find_cubin(&found, store, source, "sm_80", false, NULL),
                     GPUTUNE_ENOTFOUND);
}

TEST_OF(damaged_code_is_not_handed_out, world *w, open_world, close_world)
{
    put_into(w, w->path, 1024, 10);
    run_sql(w->path, "UPDATE cubin SET image = x'00'");
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    gt_scenario scenario = scenario_at(1024);
    GT_SCOPED(gt_winner_free) gt_winner found = first_winner(store, &scenario);
    assert_null(found.code.image.data);
    assert_false(has_code(store, 2));
    put_size(store, 1024, 10);
    assert_true(has_code(store, 2));
}

static int take_copy(void *user, const gputune_record *record)
{
    *(double *)user = record->copy_bytes_per_s;
    return 0;
}

TEST_WITH_STORE(facts_of_a_gpu)
{
    gt_device device = {.name = "Test GPU", .arch = "sm_90", .origin = "cuda", .sm_count = 132};
    const gt_records_filter all = {0};
    double value = 0;
    put_size(store, 1024, 10);
    put_gpu(store, ENVIRONMENT, &device, "a CPU", 4.2e12);
    device.driver_version = 13010;
    put_gpu(store, ENVIRONMENT, &device, "a CPU", 0);
    assert_int_equal(gt_store_records(store, &all, take_copy, &value), 0);
    assert_true(value == 4.2e12);
}

/* Clock rates are stored for one GPU and driver version. Damaged rows are ignored. */
TEST_OF(clock_rates_of_a_gpu, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    gt_device device = {.uuid = "GPU-1",
                        .origin = "cuda",
                        .driver_version = 13000,
                        .memory_clock_khz = 3201000,
                        .sm_clock_khz = 1980000};
    gt_device same = {.uuid = "GPU-1", .origin = "cuda", .driver_version = 13000};
    gt_device other = {.uuid = "GPU-2", .origin = "cuda", .driver_version = 13000};
    gt_device updated = {.uuid = "GPU-1", .origin = "cuda", .driver_version = 13010};
    assert_int_equal(gt_store_clock_rates(&same, store), GPUTUNE_ENOTFOUND);
    put_gpu(store, ENVIRONMENT, &device, "a CPU", 0);
    ASSERT_OK(gt_store_clock_rates(&same, store));
    assert_int_equal(same.memory_clock_khz, 3201000);
    assert_int_equal(same.sm_clock_khz, 1980000);
    assert_int_equal(gt_store_clock_rates(&other, store), GPUTUNE_ENOTFOUND);
    assert_int_equal(gt_store_clock_rates(&updated, store), GPUTUNE_ENOTFOUND);
    gt_store_close(store);
    run_sql(w->path, "UPDATE clock_rate SET sm_clock_khz = sm_clock_khz + 1");
    store = open_store(w);
    assert_int_equal(gt_store_clock_rates(&same, store), GPUTUNE_ENOTFOUND);
}

TEST(host_joins_the_environment)
{
    char plain[GT_ENVIRONMENT_MAX], joined[GT_ENVIRONMENT_MAX], other[GT_ENVIRONMENT_MAX];
    assert_string_equal(gt_environment_join(plain, ENVIRONMENT, NULL), ENVIRONMENT);
    gt_environment_join(joined, ENVIRONMENT, "CPU A");
    gt_environment_join(other, ENVIRONMENT, "CPU B");
    assert_string_not_equal(joined, ENVIRONMENT);
    assert_string_not_equal(joined, other);
}
