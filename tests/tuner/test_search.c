/* Tests requests with a scripted farm: the winner, stored results, and variants that are not tried
 * again. */
#include "search_world.h"
#include "tuner/field.h"

#include <fcntl.h>

TEST_OF(test_second_call_measures_nothing, world *w, open_world, close_world)
{
    tuned(w, NULL);
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_MEASURED);
    assert_int_equal(w->choice.variants, 4);
    uint32_t samples = w->farm.samples, compiles = w->farm.compiles;
    assert_string_equal(tuned(w, NULL), "BLOCK=256");
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_CACHED);
    assert_float_equal(w->choice.verdict.speedup, 1.25, 0.01);
    assert_int_equal(w->farm.samples, samples);
    assert_int_equal(w->farm.compiles, compiles);
    assert_float_equal(w->choice.time_ns, 800, 1);
    assert_float_equal(w->choice.default_ns, 1000, 1);
}

TEST_OF(test_records_name_their_compiler, world *w, open_world, close_world)
{
    gt_winner_list winners;
    tuned(w, NULL);
    GT_SCOPED(gt_request_end) gt_request *request = request_for(w, NULL);
    ASSERT_OK(gt_store_winners(&winners, w->store, &request->scenario, NULL));
    assert_int_equal(winners.count, 1);
    assert_int_equal(winners.items[0].nvrtc_version, 12080);
    assert_int_equal(winners.items[0].code.nvrtc_version, 12080);
    gt_winner_list_free(&winners);
    GT_SCOPED(gt_trial_list_free) gt_trial_list list = trials_of(w);
    assert_int_equal(list.count, 4);
    for (size_t i = 0; i < list.count; i++) {
        assert_int_equal(list.items[i].nvrtc_version, 12080);
    }
}

TEST_OF(test_new_value_races_only_new_variants, world *w, open_world, close_world)
{
    tuned(w, NULL);
    write_template(w, "64, 128, 256, 512, 1024");
    w->by_block[1024].time_ns = 500;
    uint32_t verifies = w->farm.verifies;
    assert_string_equal(tuned(w, NULL), "BLOCK=1024");
    assert_int_equal(w->farm.verifies - verifies, 4);
}

static void keep_progress(void *user, const gputune_progress *progress)
{
    *(gputune_progress *)user = *progress;
}

/* WAVES has no effect at this size, because 4096 elements need fewer blocks than either value. The
 * last progress report counts the same variants as the result. */
TEST_OF(test_equal_launches_are_tried_once, world *w, open_world, close_world)
{
    gputune_progress last = {0};
    char *text = strdup(template_text);
    const char *blocks = strstr(text, "BLOCK = %s)");
    FILE *file = fopen(w->path, "w");
    assert_non_null(file);
    fprintf(file, "%.*sBLOCK = 128, 256)\n#pragma gputune tune(WAVES = 1000, 2000)\n",
            (int)(blocks - text), text);
    fprintf(file,
            "#pragma gputune default(BLOCK = 128, WAVES = 2000)\n"
            "#pragma gputune block(BLOCK)\n"
            "#pragma gputune grid(min(ceil_div(n, BLOCK), WAVES))\n%s",
            strstr(text, "#pragma gputune reference"));
    fclose(file);
    free(text);
    assert_string_equal(tuned(w, &OPTIONS(.progress = keep_progress, .user = &last)),
                        "BLOCK=256 WAVES=1000");
    assert_int_equal(w->choice.variants, 4);
    assert_int_equal(last.variants, 4);
    assert_int_equal(last.compiled, 4);
    assert_int_equal(last.verified + last.failed, 4);
    assert_int_equal(w->farm.verifies, 2);
    tuned(w, NULL);
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_CACHED);
    assert_int_equal(w->farm.verifies, 2);
}

/* Four variants share one source and wait for its compile. */
TEST_OF(test_the_default_is_verified_first, world *w, open_world, close_world)
{
    char *text = strdup(template_text), *block = strstr(text, "(size_t)BLOCK");
    FILE *file = fopen(w->path, "w");
    assert_non_null(file);
    assert_non_null(block);
    memcpy(block, "blockDim.x   ", 13);
    fprintf(file, text, "64, 128, 256, 512");
    fclose(file);
    free(text);
    w->farm.first_verified = 99;
    tuned(w, NULL);
    assert_int_equal(w->farm.first_verified, 0);
    assert_int_equal(w->farm.launches.items[0].steps[0].block[0], 128);
}

TEST_OF(test_equal_times_are_a_tie_for_the_default, world *w, open_world, close_world)
{
    w->farm.noise = 0.01;
    SET_EACH(w, time_ns, 1000);
    assert_string_equal(tuned(w, NULL), "BLOCK=128");
    assert_true(w->choice.verdict.tie);
}

/* A result that was found among few variants is not used for a request for more variants. */
TEST_OF(test_few_variants_do_not_answer_for_all, world *w, open_world, close_world)
{
    gputune_options options = OPTIONS(.max_variants = 2);
    assert_string_equal(tuned(w, &options), "BLOCK=128");
    assert_string_equal(w->choice.stop_reason, "tried 2 of 4 variants; none was faster");
    tuned(w, &options);
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_CACHED);
    tuned(w, NULL);
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_MEASURED);
    assert_string_equal(w->config, "BLOCK=256");
    tuned(w, &options);
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_CACHED); /* the better result */
    assert_string_equal(w->config, "BLOCK=256");
}

/* If restrictions exclude the default, it is still tried and counted as a variant. */
TEST_OF(a_default_outside_restrictions_counts, world *w, open_world, close_world)
{
    const char *only[] = {"BLOCK=64,256"};
    gputune_options options = OPTIONS(.only = only, .only_count = 1, .max_variants = 2);
    assert_string_equal(tuned(w, &options), "BLOCK=128");
    assert_string_equal(w->choice.stop_reason, "tried 2 of 3 variants; none was faster");
}

/* A tuning without valid configurations fails. A call that may not measure returns the default. */
TEST_OF(restrictions_that_leave_nothing_fail_a_tuning, world *w, open_world, close_world)
{
    const char *only[] = {"BLOCK=64"};
    gputune_options options = OPTIONS(.only = only, .only_count = 1);
    write_template(w, "64, 128, 256) require(BLOCK > 64");
    ASSERT_FAILS(tune(w, &options), GPUTUNE_ENOVARIANT, "require(BLOCK > 64) (excludes ");
    options.effort = GPUTUNE_CACHED_ONLY;
    assert_string_equal(tuned(w, &options), "BLOCK=128");
}

static void write_large_template(const world *w)
{
    FILE *file = fopen(w->path, "w");
    assert_non_null(file);
    fprintf(file, template_text, "64, 128, 256, 512");
    for (char axis = 'A'; axis <= 'G'; axis++) { /* 4e7 variants */
        fprintf(file, "#pragma gputune tune(%c = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)\n", axis);
    }
    fprintf(file, "#pragma gputune default(A = 0, B = 0, C = 0, D = 0, E = 0, F = 0, G = 0)\n"
                  "#pragma gputune cooperative(A + B + C + D + E + F + G > 1000)\n");
    fclose(file);
}

TEST_OF(test_large_space_is_cut_with_a_warning, world *w, open_world, close_world)
{
    char line[256] = "";
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    w->services.log = (gt_log){keep_warning, line};
    options.time_limit_s = 600;
    options.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    write_large_template(w);
    tuned(w, &options);
    assert_int_equal(w->choice.variants, GT_FIELD_VARIANTS_MAX);
    assert_non_null(strstr(line, "variants"));
    tuned(w, &options);
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_CACHED);
}

TEST_OF(test_tie_by_host_clock_is_broken_by_the_device, world *w, open_world, close_world)
{
    launches_cost_the_host(w);
    assert_string_equal(tuned_for(w, GPUTUNE_OBJECTIVE_LAUNCH), "BLOCK=256");
    assert_true(w->choice.verdict.tie);
    assert_true(w->choice.time_ns > 2999 && w->choice.time_ns < 3031);
    assert_true(w->choice.verdict.speedup > 0.99 && w->choice.verdict.speedup < 1.01);
}

TEST_OF(test_tie_by_both_clocks_is_the_defaults, world *w, open_world, close_world)
{
    launches_cost_the_host(w);
    w->by_block[256].time_ns = 1000;
    assert_string_equal(tuned_for(w, GPUTUNE_OBJECTIVE_LATENCY), "BLOCK=128");
    assert_true(w->choice.verdict.tie);
}

/* Ten nanoseconds on the device are little compared to three thousand on the host. */
TEST_OF(test_default_keeps_a_tie_against_a_trifle, world *w, open_world, close_world)
{
    launches_cost_the_host(w);
    w->farm.noise = 0.002;
    w->by_block[128].time_ns = 810;
    assert_string_equal(tuned_for(w, GPUTUNE_OBJECTIVE_LAUNCH), "BLOCK=128");
    assert_true(w->choice.verdict.tie);
}

/* BLOCK=256 takes 45 ns less on the host than the other variants, but 4 ns more on the device.
 * Noise usually hides the 45 ns. */
TEST_OF(tie_seldom_costs_the_requested_gain, world *w, open_world, close_world)
{
    enum { TUNINGS = 100, MOST_WRONG = 8 };
    int wrong = 0;
    gputune_options options = OPTIONS(.objective = GPUTUNE_OBJECTIVE_LAUNCH, .force = true);
    for (int i = 0; i <= 1024; i++) {
        w->by_block[i] = (scripted_variant){.host_ns = 3045, .time_ns = 796};
    }
    w->by_block[256] = (scripted_variant){.host_ns = 3000, .time_ns = 800};
    w->farm.noise = 0.06;
    for (int turn = 0; turn < TUNINGS; turn++) {
        options.seed = (uint64_t)turn + 1;
        tuned(w, &options);
        wrong += strcmp(w->config, "BLOCK=256") != 0;
    }
    assert_in_range(wrong, 0, MOST_WRONG);
}

/* If times with a cold cache are equal, times with a warm cache decide. */
TEST_OF(test_tie_is_broken_by_the_hot_time, world *w, open_world, close_world)
{
    const double hot_ns[] = {980, 400};
    for (int i = 0; i < 2; i++) {
        gputune_options options = OPTIONS(.force = true);
        w->farm.noise = 0.001;
        w->by_block[128].time_ns = w->by_block[256].time_ns = 1000;
        w->by_block[128].hot_ns = 900;
        w->by_block[256].hot_ns = hot_ns[1 - i];
        w->by_block[64].hot_ns = w->by_block[512].hot_ns = 10;
        w->by_block[512].time_ns = 1020;
        uint32_t before = w->farm.hot_samples;
        assert_string_equal(tuned(w, &options), i == 0 ? "BLOCK=256" : "BLOCK=128");
        assert_int_equal(strstr(w->choice.stop_reason, "warm cache") != NULL, i == 0);
        assert_true(w->choice.verdict.tie);
        assert_in_range(w->farm.hot_samples - before, 4, 6);
        before = w->farm.hot_samples;
        options.cache = GPUTUNE_CACHE_HOT;
        tuned(w, &options);
        assert_int_equal(w->farm.hot_samples, before);
    }
}

/* The default crashes in the second race, which begins when BLOCK=64 is tried again. */
static scripted_variant lose_the_default(void *user, const gt_launch *launch)
{
    world *w = user;
    w->by_block[128].sample = w->farm.patient_verifies ? GPUTUNE_ECRASHED : GPUTUNE_OK;
    return behave(user, launch);
}

TEST_OF(tie_of_an_earlier_race_is_not_reported, world *w, open_world, close_world)
{
    w->by_block[128].time_ns = w->by_block[256].time_ns = 1000;
    w->by_block[256].hot_ns = 400;
    w->by_block[512].time_ns = 1200;
    w->by_block[64].hangs_once = true;
    w->farm.behave = lose_the_default;
    assert_string_equal(tuned(w, NULL), "BLOCK=256");
    assert_true(w->farm.hot_samples > 0);
    assert_string_equal(w->choice.stop_reason, "no other variant is as fast");
}

TEST_OF(test_data_beyond_the_cache_have_no_hot_time, world *w, open_world, close_world)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    w->device.l2_bytes = 1024;
    w->by_block[128].time_ns = w->by_block[256].time_ns = 1000;
    w->by_block[128].hot_ns = 400;
    tuned(w, &options);
    assert_int_equal(w->farm.hot_samples, 0);
}

TEST_OF(test_winner_by_host_clock_needs_no_other, world *w, open_world, close_world)
{
    launches_cost_the_host(w);
    w->by_block[64].host_ns = 2000; /* BLOCK=64 is the slowest on the device */
    assert_string_equal(tuned_for(w, GPUTUNE_OBJECTIVE_LAUNCH), "BLOCK=64");
    assert_false(w->choice.verdict.tie);
}

/* The samples show how the tie was broken. The samples of two calls have one common header. */
TEST_OF(test_samples_are_appended, world *w, open_world, close_world)
{
    const char *path = path_in(w, "samples.csv");
    gputune_options options = OPTIONS(.samples_path = path, .force = true);
    options.objective = GPUTUNE_OBJECTIVE_LAUNCH;
    launches_cost_the_host(w);
    for (int call = 0; call < 2; call++) {
        tuned(w, &options);
    }
    assert_true(lines_with(path, ",launch,") > 0 && lines_with(path, ",kernel,") > 0);
    assert_int_equal(lines_with(path, "kernel,sizes,"), 1);
}

TEST_OF(test_samples_that_cannot_be_written_are_reported, world *w, open_world, close_world)
{
    char line[256] = "";
    w->services.log = (gt_log){keep_warning, line};
    gputune_options options = OPTIONS(.samples_path = "/nowhere/samples.csv");
    ASSERT_FAILS(tune(w, &options), GPUTUNE_EINVAL, "/nowhere/samples.csv: No such file");
    assert_int_equal(w->farm.compiles, 0);
    options.samples_path = "/dev/full";
    tuned(w, &options);
    assert_non_null(strstr(line, "/dev/full are incomplete"));
}

/* Opening a FIFO would wait for a reader, and writing to it would wait while it is full. */
TEST_OF(test_samples_do_not_wait_for_a_reader, world *w, open_world, close_world)
{
    const char *path = path_in(w, "fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    gputune_options options = OPTIONS(.samples_path = path);
    alarm(60);
    for (int read = 0; read < 2; read++) {
        int reader = read ? open(path, O_RDONLY | O_NONBLOCK) : -1;
        ASSERT_FAILS(tune(w, &options), GPUTUNE_EINVAL,
                     "it is a FIFO or a socket; expected a file");
        if (read) {
            close(reader);
        }
    }
    alarm(0);
}

/* One worker gets several jobs before the first variant is compiled. */
TEST_OF(test_one_compile_worker_suffices, world *w, open_world, close_world)
{
    w->farm.farm.compile_workers = 1;
    /* this GPU's service kernels are compiled, too */
    memcpy(w->device.arch, "sm_61", sizeof "sm_61");
    w->farm.late = 50;
    assert_string_equal(tuned(w, NULL), "BLOCK=256");
    assert_int_equal(w->farm.compiles, 6); /* compiled: service kernels, reference, four variants */
}
