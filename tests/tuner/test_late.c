/* Tests that a variant that takes too long does not delay others, is tried last, and is stored with
 * the limit that it exceeded. */
#include "search_world.h"

enum { DEFAULT = 128 };

static int slow_block, slow_compiles;

static bool is_slow(void *user, const char *text)
{
    slow_compiles += block_of(text) == slow_block;
    return block_of(text) == slow_block;
}

/* Returns the status that is stored for a configuration, or "". */
static const char *stored_as(world *w, const char *config)
{
    gt_trial_list list = trials_of(w);
    const char *status = "";
    for (size_t i = 0; i < list.count; i++) {
        status = strcmp(list.items[i].config, config) == 0
                     ? gt_trial_status_name(list.items[i].status)
                     : status;
    }
    gt_trial_list_free(&list);
    return status;
}

TEST_OF(test_a_variant_late_in_two_samples_is_stored, world *w, open_world, close_world)
{
    w->by_block[256].sample = GPUTUNE_ETIMEOUT;
    w->by_block[512].time_ns = 900;
    assert_string_equal(tuned(w, NULL), "BLOCK=512");
    assert_string_equal(stored_as(w, "BLOCK=256"), "hung");
}

static void check_slow(world *w, int block, const char *name)
{
    gputune_options options = OPTIONS(.time_limit_s = 0.5);
    slow_block = block;
    slow_compiles = 0;
    w->farm.compiles_for_ever = is_slow;
    assert_string_equal(tuned(w, &options), "BLOCK=256");
    assert_true(slow_compiles > 0);
    assert_string_equal(stored_as(w, name), "slow");
    int before = slow_compiles;
    write_template(w, "32, 64, 128, 256, 512");
    assert_string_equal(tuned(w, &options), "BLOCK=256");
    assert_int_equal(slow_compiles, before);
    assert_true(w->choice.terms.final);
    w->farm.compiles_for_ever = NULL;
    w->by_block[block].time_ns = 500;
    write_template(w, "16, 32, 64, 128, 256, 512");
    options.time_limit_s = 5;
    assert_string_equal(tuned(w, &options), name);
}

TEST_OF(test_a_slow_variant_is_remembered_with_its_limit, world *w, open_world, close_world)
{
    check_slow(w, 512, "BLOCK=512");
}

/* Other variants are compared with the default only if the default is ready in time. */
TEST_OF(test_a_slow_default_holds_up_nobody, world *w, open_world, close_world)
{
    check_slow(w, DEFAULT, "BLOCK=128");
}

/* A variant that got no CPU time is not stored as slow, and does not count as tried. */
TEST_OF(test_a_busy_machine_makes_no_compile_slow, world *w, open_world, close_world)
{
    gputune_options options = OPTIONS(.time_limit_s = 0.5);
    slow_block = 512;
    w->farm.compiles_for_ever = is_slow;
    w->farm.is_busy = true;
    assert_string_equal(tuned(w, &options), "BLOCK=256");
    assert_string_equal(stored_as(w, "BLOCK=512"), "");
    assert_false(w->choice.terms.final);
    assert_memory_equal(w->choice.stop_reason, "tried 3 of 4 variants; ", 23);
    w->farm.compiles_for_ever = NULL;
    w->by_block[512].time_ns = 500;
    assert_string_equal(tuned(w, &options), "BLOCK=512");
    assert_true(w->choice.terms.final);
}

TEST_OF(slow_compile_without_cpu_time_stays_untried, world *w, open_world, close_world)
{
    gputune_options options = OPTIONS(.time_limit_s = 0.5);
    slow_block = 512;
    w->farm.compiles_for_ever = is_slow;
    (void)tuned(w, &options);
    assert_string_equal(stored_as(w, "BLOCK=512"), "slow");
    w->farm.is_busy = true;
    write_template(w, "32, 64, 128, 256, 512");
    options.time_limit_s = 5;
    assert_string_equal(tuned(w, &options), "BLOCK=256");
    assert_false(w->choice.terms.final);
    assert_memory_equal(w->choice.stop_reason, "tried 4 of 5 variants; ", 23);
    w->farm.compiles_for_ever = NULL;
    w->by_block[512].time_ns = 500;
    assert_string_equal(tuned(w, &options), "BLOCK=512");
}

static int on_finding(void *user, const gputune_finding *finding)
{
    assert_null(strstr(finding->configuration, "512"));
    (*(uint32_t *)user)++;
    return 0;
}

/* A check does not report variants that it did not reach. */
TEST_OF(test_a_check_reports_findings_before_the_limit, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 0.5);
    uint32_t told = 0;
    slow_block = 512;
    w->farm.compiles_for_ever = is_slow;
    w->device.emulated = true;
    GT_SCOPED(gt_request_end) gt_request *request = request_for(w, &options);
    assert_int_equal(gt_check(request, on_finding, &told), GPUTUNE_ETIMEOUT);
    assert_true(told > 0);
}

static int count(void *user, const gputune_finding *finding)
{
    (*(uint32_t *)user)++;
    return 0;
}

TEST_OF(test_a_check_ends_if_the_default_takes_too_long, world *w, open_world, close_world)
{
    uint32_t reported = 0;
    w->by_block[DEFAULT].verify = GPUTUNE_ETIMEOUT;
    w->device.emulated = true;
    GT_SCOPED(gt_request_end) gt_request *request = request_for(w, NULL);
    assert_int_equal(gt_check(request, count, &reported), GPUTUNE_ETIMEOUT);
    assert_string_equal(gputune_error(), "scale: the default takes too long at n=4096, so the "
                                         "check ends here; choose smaller sizes");
    assert_int_equal(reported, 1);
}

static uint32_t compiles_given_up(world *w, uint32_t workers)
{
    const gputune_options options = OPTIONS(.time_limit_s = 0.5, .force = true);
    slow_block = DEFAULT;
    w->farm.compiles_for_ever = is_slow;
    w->farm.farm.compile_workers = workers;
    assert_string_equal(tuned(w, &options), "BLOCK=256");
    return w->farm.given_up;
}

/* The default's compile is canceled only if it occupies the last worker. */
TEST_OF(test_the_default_is_compiled_on_while_others_have_workers, world *w, open_world,
        close_world)
{
    assert_int_equal(compiles_given_up(w, 2), 0);
    assert_int_equal(compiles_given_up(w, 1), 1);
}

static bool all_but_one(void *user, const char *text)
{
    return block_of(text) && block_of(text) != 256;
}

/* Endless compiles occupy all four workers. The only variant that can be compiled needs one. */
TEST_OF(test_slow_variants_leave_the_workers_to_others, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 1);
    write_template(w, "32, 64, 96, 128, 160, 256");
    w->farm.compiles_for_ever = all_but_one;
    assert_string_equal(tuned(w, &options), "BLOCK=256");
}

static int hangs_seen;

/* The first hang is noticed before the time limit, the next hang after it. */
static scripted_variant behave_slowly(void *user, const gt_launch *launch)
{
    world *w = user;
    scripted_variant variant = w->by_block[launch->steps[0].block[0]];
    bool hangs = variant.verify == GPUTUNE_ETIMEOUT;
    nanosleep(&(struct timespec){0, !hangs ? 0 : hangs_seen++ ? 300000000 : 10000000}, NULL);
    return variant;
}

/* There is no time to verify the variant again with a longer deadline. */
TEST_OF(test_an_endless_variant_is_learned, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 0.2);
    w->farm.behave = behave_slowly;
    w->by_block[512].verify = GPUTUNE_ETIMEOUT;
    hangs_seen = 0;
    assert_string_equal(tuned(w, &options), "BLOCK=256");
    assert_int_equal(w->choice.failed, 1);
    assert_string_equal(stored_as(w, "BLOCK=512"), "hung");
    uint32_t verifies = w->farm.verifies;
    write_template(w, "32, 64, 128, 256, 512");
    w->by_block[512] = (scripted_variant){.time_ns = 100};
    assert_string_equal(tuned(w, &options), "BLOCK=256");
    assert_true(w->farm.verifies > verifies);
}

/* The application must not launch the default, which may never end. The next measuring call tries
 * it again. */
TEST_OF(test_a_default_that_runs_on_is_no_answer, world *w, open_world, close_world)
{
    gputune_options options = OPTIONS(.time_limit_s = 1);
    write_template(w, "128, 256");
    w->by_block[256].verify = GPUTUNE_EWRONG;
    w->by_block[DEFAULT].never_answers = true;
    ASSERT_FAILS(tune(w, &options), GPUTUNE_ETIMEOUT, "was still running");
    options.effort = GPUTUNE_CACHED_ONLY;
    ASSERT_FAILS(tune(w, &options), GPUTUNE_ETIMEOUT, "is not launched");
    assert_non_null(strstr(gt_message(), "was still running"));
    options.effort = GPUTUNE_MEASURE;
    w->by_block[DEFAULT].never_answers = false;
    assert_string_equal(tuned(w, &options), "BLOCK=128");
}

/* The variant hangs once. When it is tried again, it does not end within the limit. */
static scripted_variant hang_and_run_on(void *user, const gt_launch *launch)
{
    bool again = hangs_seen++ > 0;
    return (scripted_variant){.time_ns = 100, .hangs_once = !again, .never_answers = again};
}

/* BLOCK=256 hangs again when it is tried again, and BLOCK=512 is verified only after it. */
static scripted_variant hang_behind_another(void *user, const gt_launch *launch)
{
    scripted_variant variant = ((world *)user)->by_block[launch->steps[0].block[0]];
    variant.never_answers = variant.hangs_once && launch->steps[0].block[0] == 256 && hangs_seen++;
    return variant;
}

TEST_OF(a_variant_that_waits_behind_an_endless_one_is_not_hung, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 0.5);
    w->farm.behave = hang_behind_another;
    hangs_seen = 0;
    w->by_block[256].hangs_once = w->by_block[512].hangs_once = true;
    w->by_block[512].time_ns = 500;
    assert_string_equal(tuned(w, &options), "BLOCK=128");
    assert_string_equal(stored_as(w, "BLOCK=256"), "hung");
    assert_string_equal(stored_as(w, "BLOCK=512"), "");
    assert_false(w->choice.terms.final);
    assert_string_equal(tuned(w, &options), "BLOCK=512");
}

/* Rounds take most of the time limit. Then BLOCK=512 is tried again, and hits the limit. */
static scripted_variant hang_after_rounds(void *user, const gt_launch *launch)
{
    scripted_variant variant = ((world *)user)->by_block[launch->steps[0].block[0]];
    variant.never_answers = variant.hangs_once && hangs_seen++ == 1;
    return variant;
}

TEST_OF(second_attempt_that_has_just_begun_is_repeated, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 2);
    w->farm.behave = hang_after_rounds;
    w->farm.round_ns = 100000000;
    hangs_seen = 0;
    w->by_block[512] = (scripted_variant){.time_ns = 500, .hangs_once = true};
    assert_string_equal(tuned(w, &options), "BLOCK=256");
    w->farm.round_ns = 0;
    assert_string_equal(tuned(w, &options), "BLOCK=512");
}

/* A call that does not measure does not try the default again, even if its limit is long. */
TEST_OF(test_a_default_that_hung_is_no_answer_without_measuring, world *w, open_world, close_world)
{
    gputune_options options = OPTIONS(.time_limit_s = 0.5);
    write_template(w, "128");
    w->farm.behave = hang_and_run_on;
    hangs_seen = 0;
    assert_int_equal(tune(w, &options), GPUTUNE_ETIMEOUT);
    assert_string_equal(stored_as(w, "BLOCK=128"), "hung");
    options = OPTIONS(.time_limit_s = 100);
    options.effort = GPUTUNE_CACHED_ONLY;
    ASSERT_FAILS(tune(w, &options), GPUTUNE_ETIMEOUT, "is not launched");
}

/* Without a reference, variants are compared with the default, so the default is tried first. */
TEST_OF(test_a_default_that_ran_on_comes_first_without_a_reference, world *w, open_world,
        close_world)
{
    static const char text[] =
        "#pragma gputune kernel(twice) problem(n = 4096)\n"
        "#pragma gputune args(out float y[n], in float x[n], size_t n)\n"
        "#pragma gputune tune(BLOCK = 128, 256) default(BLOCK = 128) block(BLOCK)\n"
        "#pragma gputune grid(ceil_div(n, BLOCK))\n"
        "__global__ void twice(float *y, const float *x, size_t n)\n"
        "{ size_t i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }\n";
    const gputune_options options = OPTIONS(.time_limit_s = 1);
    file_write(w->path, "%s", text);
    w->by_block[DEFAULT].never_answers = true;
    assert_int_equal(tune(w, &options), GPUTUNE_ETIMEOUT);
    w->by_block[DEFAULT].never_answers = false;
    w->farm.verifies = 0;
    assert_string_equal(tuned(w, &options), "BLOCK=256");
    assert_int_equal(w->farm.first_verified, 0);
}

static int find_slow(void *user, const gputune_compiled *compiled)
{
    *(bool *)user |= strcmp(compiled->status, "slow") == 0;
    return 0;
}

static gputune_status never_ends(void *user, const char *text)
{
    return block_of(text) == 512 ? GPUTUNE_ETIMEOUT : GPUTUNE_OK;
}

/* The compile worker's own deadline ends the compile. */
TEST_OF(test_a_compile_that_did_not_end_is_slow, world *w, open_world, close_world)
{
    bool is_reported = false;
    w->farm.compile = never_ends;
    tuned(w, NULL);
    assert_int_equal(w->choice.failed, 1);
    assert_string_equal(stored_as(w, "BLOCK=512"), "slow");
    gt_request *request = request_for(w, NULL);
    ASSERT_OK(gt_compile_space(request, find_slow, &is_reported));
    assert_true(is_reported);
    gt_request_free(request);
}

/* If a variant was verified in an earlier call, a later verification that times out does not make
 * it fail. */
TEST_OF(verified_variant_survives_a_late_run, world *w, open_world, close_world)
{
    gputune_options options = OPTIONS(.time_limit_s = 5);
    tuned(w, &options);
    options = OPTIONS(.time_limit_s = 0.2);
    options.force = true;
    w->farm.behave = behave_slowly;
    w->by_block[256].verify = GPUTUNE_ETIMEOUT;
    tuned(w, &options);
    assert_string_equal(stored_as(w, "BLOCK=256"), "ok");
}

static bool never_compiles(void *user, const char *text)
{
    return block_of(text) > 0;
}

TEST_OF(test_the_message_reports_that_nothing_was_compiled, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 0.2);
    char warning[256] = "";
    w->services.log = (gt_log){keep_warning, warning};
    w->farm.compiles_for_ever = never_compiles;
    ASSERT_FAILS(tune(w, &options), GPUTUNE_ETIMEOUT,
                 "none of 4 variants was compiled within the 0.2 s limit; "
                 "raise the time limit");
    assert_string_equal(warning, ""); /* reported only once */
}

static int count_compiled(void *user, const gputune_compiled *compiled)
{
    (*(uint32_t *)user)++;
    return 0;
}

TEST_OF(test_compiling_a_space_reports_variants_beyond_the_limit, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 0.5);
    char warning[256] = "";
    uint32_t count = 0;
    w->services.log = (gt_log){keep_warning, warning};
    slow_block = 512;
    w->farm.compiles_for_ever = is_slow;
    GT_SCOPED(gt_request_end) gt_request *request = request_for(w, &options);
    ASSERT_OK(gt_compile_space(request, count_compiled, &count));
    assert_int_equal(count, 3);
    assert_string_equal(warning, "scale: 3 of 4 variants were compiled within the 0.5 s limit; "
                                 "raise the time limit");
}
