/* Tests requests with failures: bad variants, hangs, limits, and mistakes. */
#include "search_world.h"

/* The default's first launch is faster than its samples, and as fast as another variant. */
TEST_OF(test_a_lucky_first_launch_excludes_no_winner, world *w, open_world, close_world)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    write_template(w, "64, 128, 160, 192, 224, 256, 512");
    SET_TIMES(w, 2e7);
    w->by_block[128].pilot_ns = 1.2e7;
    w->by_block[256].time_ns = w->by_block[256].pilot_ns = 1.5e7;
    w->farm.slowness = 1e-9; /* the default's time is known before the others are launched */
    options.strategy = GPUTUNE_STRATEGY_MODEL;
    assert_string_equal(tuned(w, &options), "BLOCK=256");
}

TEST_OF(test_a_hang_is_believed_the_second_time, world *w, open_world, close_world)
{
    w->by_block[256].verify = GPUTUNE_ETIMEOUT;
    assert_string_equal(tuned(w, NULL), "BLOCK=128");
    assert_int_equal(w->farm.patient_verifies, 1);
    assert_int_equal(w->choice.failed, 1);
    write_template(w, "32, 64, 128, 256, 512");
    uint32_t verifies = w->farm.verifies;
    tuned(w, NULL);
    assert_int_equal(w->farm.patient_verifies, 1);
    assert_int_equal(w->farm.verifies - verifies, 3);
}

TEST_OF(test_a_variant_held_up_in_a_sample_races_again, world *w, open_world, close_world)
{
    w->by_block[256].sample_hangs_once = true;
    assert_string_equal(tuned(w, NULL), "BLOCK=256");
    assert_int_equal(w->choice.failed, 0);
}

/* The variant that won an earlier tuning wins again, but fails its last proof. This does not delay
 * the answer. */
TEST_OF(test_a_winner_by_time_limit_is_checked_too, world *w, open_world, close_world)
{
    write_template(w, "128, 256");
    tuned(w, NULL);
    write_template(w, "64, 128, 256, 512");
    w->farm.round_ns = 300000000;
    w->by_block[256].recheck = GPUTUNE_EWRONG;
    w->by_block[512].time_ns = 900;
    const int64_t start_ns = gt_now_ns();
    assert_string_equal(tuned(w, &OPTIONS(.time_limit_s = 0.5)), "BLOCK=512");
    assert_true(gt_seconds_since(start_ns) < 0.5);
    assert_non_null(strstr(w->choice.stop_reason, "time limit was reached"));
}

TEST_OF(wrong_winner_has_eliminated_nobody, world *w, open_world, close_world)
{
    w->by_block[256] = (scripted_variant){.time_ns = 100, .recheck = GPUTUNE_EWRONG};
    w->by_block[512].time_ns = 700;
    assert_string_equal(tuned(w, NULL), "BLOCK=512");
}

TEST_OF(slow_first_launch_is_stored_if_the_winner_fails, world *w, open_world, close_world)
{
    SET_TIMES(w, 5e7);
    w->by_block[128] =
        (scripted_variant){.time_ns = 1e7, .pilot_ns = 1e7, .recheck = GPUTUNE_EWRONG};
    w->farm.slowness = 1e-9; /* the default's time is known before BLOCK=256 is launched */
    w->farm.round_ns = 300000000;
    (void)tune(w, &OPTIONS(.time_limit_s = 0.5));
    gt_trial_list list = trials_of(w);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.items[2].message, "took 5.00x the best time in its first launch");
    gt_trial_list_free(&list);
}

/* Makes the last proof of the winner take until the limit has expired. */
static scripted_variant behave_late(void *user, const gt_launch *launch)
{
    world *w = user;
    if (w->farm.rechecks == 1 && w->farm.late == 0) {
        w->farm.late = 1;
        nanosleep(&(struct timespec){0, 600000000}, NULL);
    }
    return behave(user, launch);
}

TEST_OF(test_wrong_at_the_end_of_the_limit_is_unfinished, world *w, open_world, close_world)
{
    gputune_options options = OPTIONS(.time_limit_s = 0.5);
    w->by_block[256].recheck = GPUTUNE_EWRONG;
    w->by_block[512].time_ns = 900;
    w->farm.behave = behave_late;
    assert_string_equal(tuned(w, &options), "BLOCK=512");
    assert_non_null(strstr(w->choice.stop_reason, "time limit was reached"));
    options.time_limit_s = 0;
    w->farm.behave = behave;
    tuned(w, &options);
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_MEASURED); /* continues the tuning */
}

TEST_OF(test_a_round_nobody_is_to_blame_for_is_taken_again, world *w, open_world, close_world)
{
    w->farm.blameless = 2;
    assert_string_equal(tuned(w, NULL), "BLOCK=256");
    assert_int_equal(w->choice.failed, 0);
}

TEST_OF(test_rounds_nobody_is_to_blame_for_end_a_tuning, world *w, open_world, close_world)
{
    enum { ALWAYS = 100000 };
    w->farm.blameless = ALWAYS;
    assert_int_equal(tune(w, NULL), GPUTUNE_ECRASHED);
    assert_true(w->farm.rounds < 10);
}

static scripted_variant behave_slowly(void *user, const gt_launch *launch)
{
    nanosleep(&(struct timespec){0, 30000000}, NULL);
    return behave(user, launch);
}

TEST_OF(test_limit_spent_on_hangs_is_reported, world *w, open_world, close_world)
{
    gputune_options options = OPTIONS(.time_limit_s = 0.2);
    SET_EACH(w, verify, GPUTUNE_ETIMEOUT);
    w->farm.behave = behave_slowly;
    ASSERT_FAILS(tune(w, &options), GPUTUNE_ETIMEOUT, "the default failed: scripted");
}

static gputune_status refuse(void *user, const char *text)
{
    return strstr(text, "#define BLOCK") ? GPUTUNE_ECOMPILE : GPUTUNE_OK;
}

#define AXIS(name) " tune(" #name " = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)"
#define AXES       AXIS(A) AXIS(B) AXIS(C) AXIS(D) AXIS(E) AXIS(F) AXIS(G) AXIS(H) AXIS(I) AXIS(J)

/* If code that all variants share does not compile, a few compiles are enough to report that. The
 * next call compiles almost nothing. There are too many variants to count them exactly. */
TEST_OF(search_ends_if_nothing_compiles, world *w, open_world, close_world)
{
    static const char text[] =
        "#pragma gputune kernel(many) problem(n = 4096)\n"
        "#pragma gputune args(out float y[n], in float x[n], size_t n)\n"
        "#pragma gputune tune(BLOCK = 64, 128, 256, 512) default(BLOCK = 128) block(BLOCK)\n"
        "#pragma gputune" AXES AXIS(K) AXIS(L) AXIS(
            M) "\n"
               "#pragma gputune grid(ceil_div(n, BLOCK))\n"
               "__global__ void many(float *y, const float *x, size_t n) {\n"
               "    size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x;\n"
               "    if (i < n) y[i] = x[i] + A * B * C * D * E * F * G * H * I * J * K * L * M;\n"
               "}\n";
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.time_limit_s = 100;
    file_write(w->path, "%s", text);
    w->farm.compile = refuse;
    ASSERT_FAILS(tune(w, &options), GPUTUNE_ECOMPILE, ", and no other was tried: ");
    assert_true(w->farm.compiles < 1000);
    w->farm.compiles = 0;
    ASSERT_FAILS(tune(w, &options), GPUTUNE_ECOMPILE, "in an earlier tuning");
    assert_true(w->farm.compiles < 10);
    w->farm.compile = NULL;
    options.force = true;
    options.max_variants = 2;
    tuned(w, &options);
    assert_memory_equal(w->choice.stop_reason, "tried 2 of about ", 17);
}

static int ignore(void *user, const gt_template *template)
{
    return 0;
}

/* The message must name the command, also for a template that is found by name. */
TEST_OF(test_a_fault_names_the_check, world *w, open_world, close_world)
{
    static const char command[] = "/scale.cu:scale --size n=4083 --only BLOCK=128' names the line";
    SET_EACH(w, verify, GPUTUNE_ECRASHED);
    ASSERT_FAILS(tune(w, NULL), GPUTUNE_ECRASHED,
                 "in the launch with block 128 and grid 32 at n=4096");
    assert_non_null(strstr(gt_message(), "; 'gputune check /"));
    assert_non_null(strstr(gt_message(), command));
    ASSERT_FAILS(tune(w, NULL), GPUTUNE_ECRASHED,
                 "failed like this in an earlier tuning ('force' tries");
    ASSERT_OK(gt_catalog_add(w->catalog, w->path, NULL, NULL, ignore, NULL));
    snprintf(w->path, sizeof w->path, "scale");
    w->farm.fault = "CUDA_ERROR_LAUNCH_FAILED (719): unspecified launch failure";
    ASSERT_FAILS(tune(w, &OPTIONS(.force = true)), GPUTUNE_ECRASHED, "unspecified launch failure");
    assert_non_null(strstr(gt_message(), command));
    assert_null(strstr(gt_message(), "args()"));
}

TEST_OF(test_no_memory_gives_the_default, world *w, open_world, close_world)
{
    w->farm.prepare = GPUTUNE_EDEVMEM;
    tuned(w, NULL);
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_DEFAULT);
    assert_string_equal(w->config, "BLOCK=128");
}

/* If the process briefly loses its core, a sample by the host's clock takes twice as long. */
TEST_OF(test_a_stumble_of_the_host_sends_nobody_home, world *w, open_world, close_world)
{
    w->farm.noise = 0.01;
    w->by_block[256].stumble = 3;
    assert_string_equal(tuned_for(w, GPUTUNE_OBJECTIVE_LAUNCH), "BLOCK=256");
}

TEST_OF(test_a_crash_while_a_tie_is_broken_costs_only_itself, world *w, open_world, close_world)
{
    launches_cost_the_host(w);
    w->by_block[256].sample_kernel = GPUTUNE_ECRASHED;
    w->by_block[128].sample_kernel = GPUTUNE_ECRASHED; /* the default */
    w->by_block[512].time_ns = 900;
    assert_string_equal(tuned_for(w, GPUTUNE_OBJECTIVE_LAUNCH), "BLOCK=512");
    assert_int_equal(w->choice.failed, 2);
}

TEST_OF(test_a_tie_that_nobody_survives_leaves_the_others, world *w, open_world, close_world)
{
    launches_cost_the_host(w);
    SET_EACH(w, sample_kernel, GPUTUNE_ECRASHED);
    w->by_block[512].host_ns = 3300;
    assert_string_equal(tuned_for(w, GPUTUNE_OBJECTIVE_LAUNCH), "BLOCK=512");
    assert_int_equal(w->choice.failed, 3);
}

/* If the device's clock gives no times, the default wins the tie. */
TEST_OF(test_a_tie_without_device_times_is_the_defaults, world *w, open_world, close_world)
{
    launches_cost_the_host(w);
    SET_EACH(w, time_ns, NAN);
    assert_string_equal(tuned_for(w, GPUTUNE_OBJECTIVE_LAUNCH), "BLOCK=128");
    assert_true(w->choice.verdict.tie);
}

static uint32_t rounds_of(world *w, bool *noisy, uint32_t spoiled)
{
    uint32_t before = w->farm.rounds;
    w->farm.spoiled = spoiled;
    assert_string_equal(tuned(w, &OPTIONS(.force = true)), "BLOCK=256");
    *noisy = w->choice.verdict.noisy;
    return w->farm.rounds - before;
}

TEST_OF(test_spoiled_rounds_are_taken_again_and_then_reported, world *w, open_world, close_world)
{
    enum { ALWAYS = 100000 };
    bool calm, disturbed, spoiled;
    uint32_t rounds = rounds_of(w, &calm, 0);
    assert_int_equal(rounds_of(w, &disturbed, 2), rounds + 2);
    assert_true(rounds_of(w, &spoiled, ALWAYS) > rounds + 2);
    assert_false(calm || disturbed);
    assert_true(spoiled);
}

/* The size of an input is checked even if a stored result is found without reading the input. */
TEST_OF(test_inputs_of_another_size_are_refused, world *w, open_world, close_world)
{
    static const float data[4096];
    gputune_input input = {"x", data, sizeof data, true};
    gputune_options options = OPTIONS(.inputs = &input, .input_count = 1);
    tuned(w, &options);
    input.bytes -= 4;
    ASSERT_FAILS(tune(w, &options), GPUTUNE_EINVAL, "input 'x' has 16380 bytes; expected 16384");
    input.buffer = "z";
    assert_int_equal(tune(w, &options), GPUTUNE_EINVAL);
}
