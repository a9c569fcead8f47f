/* Tests calls that hit their time limit or are canceled before anything is measured. They return
 * the default, which is compiled before the call waits. */
#include "search_world.h"
#include "support/folder.h"

/* number of times the default's source was compiled */
static uint32_t defaults_compiled;

static gputune_status count(void *user, const char *text)
{
    defaults_compiled += strstr(text, "#define BLOCK 128") != NULL;
    return GPUTUNE_OK;
}

static int open_slow_world(void **state)
{
    int status = open_world(state);
    world *w = *state;
    w->farm.compile = count;
    defaults_compiled = 0;
    return status;
}

static void expect_default(world *w, const gputune_options *options)
{
    gputune_status status = tune(w, options);
    if (status != GPUTUNE_OK) {
        fail_msg("%s: %s", gt_status_name(status), gt_message());
    }
    assert_int_equal(w->choice.source, GPUTUNE_SOURCE_DEFAULT);
    assert_string_equal(w->config, "BLOCK=128");
    assert_true(w->choice.image.bytes > 0);
}

/* Checks whether a call with this time limit may use the stored result. */
static void expect_answers_for(const world *w, double seconds, bool answers)
{
    gt_terms asked = w->choice.terms;
    asked.effort = GPUTUNE_MEASURE;
    asked.limit_s = seconds;
    assert_int_equal(gt_answers(&w->choice.terms, &asked), answers);
}

typedef struct held_lease {
    gt_store *store;
    gt_lease lease;
} held_lease;

static void release(void *user)
{
    held_lease *held = user;
    gt_store_lease_release(&held->lease, held->store, NULL);
}

static void replace_store(world *w, const char *path)
{
    gt_store_close(w->store);
    ASSERT_OK(gt_store_open(&w->store, path, NULL, NULL, false));
    w->services.store = w->store;
}

/* Acquires the scenario's lease, like another process that tunes the scenario. */
static held_lease hold(world *w)
{
    replace_store(w, path_in(w, "shared.db"));
    held_lease held = {.store = w->store};
    gt_request *request = request_for(w, NULL);
    ASSERT_OK(gt_store_lease_acquire(&held.lease, w->store, &request->scenario, NULL));
    gt_request_free(request);
    return held;
}

/* Compiling takes longer than the time that is left after waiting. */
TEST_OF(default_is_compiled_while_another_process_tunes, world *w, open_slow_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 3.2);
    w->farm.compile_s = 1.1;
    held_lease held = hold(w);
    expect_default(w, &options);
    assert_int_equal(defaults_compiled, 1);
    release(&held);
}

TEST_OF(test_the_time_that_another_process_took_is_reported, world *w, open_slow_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 2);
    w->farm.compile_s = 0.9;
    held_lease held = hold(w);
    clock_set_alarm(1.2, release, &held);
    expect_default(w, &options);
    assert_non_null(strstr(w->choice.stop_reason, "; for 1."));
}

TEST_OF(default_is_compiled_while_the_gpu_is_taken, world *w, open_slow_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 0.4);
    w->gpu.is_taken = true;
    w->farm.compile_s = 0.2;
    expect_default(w, &options);
    assert_int_equal(defaults_compiled, 1);
}

/* A compile that is running when the limit ends is not restarted; the call waits for it. */
TEST_OF(default_may_come_after_the_limit, world *w, open_slow_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 0.2);
    w->farm.compile_s = 0.26;
    expect_default(w, &options);
    assert_int_equal(defaults_compiled, 1);
}

/* A program that requests a plan before each launch does not wait for the same limit each time. */
TEST_OF(default_answers_calls_with_the_same_limit, world *w, open_slow_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 0.2);
    w->farm.compile_s = 0.26;
    expect_default(w, &options);
    expect_answers_for(w, 0.2, true);
    expect_answers_for(w, 0.3, false);
    w->gpu.is_taken = true;
    w->farm.compile_s = 0.1;
    expect_default(w, &options);
    expect_answers_for(w, 0.2, false);
}

static gputune_status compile_only_default(void *user, const char *text)
{
    return block_of(text) && block_of(text) != 128 ? GPUTUNE_ECOMPILE : GPUTUNE_OK;
}

TEST_OF(busy_gpu_is_reported_if_compiles_failed, world *w, open_slow_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 0.4);
    w->gpu.is_taken = true;
    w->farm.compile = compile_only_default;
    expect_default(w, &options);
    assert_string_equal(
        w->choice.stop_reason,
        "another tuning in this process used the GPU during the whole limit of 0.4 s");
    expect_answers_for(w, 0.4, false);
}

/* A program that may not measure compiles the default once, not for each new size. */
TEST_OF(test_the_default_s_code_serves_other_scenarios, world *w, open_slow_world, close_world)
{
    gputune_options options = OPTIONS(.time_limit_s = 100);
    options.effort = GPUTUNE_CACHED_ONLY;
    expect_default(w, &options);
    options.alignment = 32;
    expect_default(w, &options);
    assert_int_equal(defaults_compiled, 1);
}

typedef struct slow_start {
    gt_workers *workers;
    pthread_barrier_t begun;
} slow_start;

/* Starts workers that are ready after the limit. */
static void *start_slowly(void *user)
{
    slow_start *start = user;
    const struct timespec longer = {0, 600000000};
    pthread_mutex_lock(&start->workers->mutex);
    pthread_barrier_wait(&start->begun);
    nanosleep(&longer, NULL);
    pthread_mutex_unlock(&start->workers->mutex);
    return NULL;
}

/* The message must not blame another tuning or the missing database for the slow start of the
 * workers, and a second call must not wait. */
TEST_OF(test_a_limit_in_which_no_worker_starts_is_reported, world *w, open_slow_world, close_world)
{
    gputune_options options = OPTIONS(.time_limit_s = 100);
    slow_start start = {.workers = &w->workers};
    pthread_t thread;
    replace_store(w, "/nonexistent/x.db");
    options.alignment = 32;
    ASSERT_OK(tune(w, &options));
    clock_set_true(); /* the threads need the real clock */
    options = OPTIONS(.time_limit_s = 0.2);
    assert_int_equal(pthread_barrier_init(&start.begun, NULL, 2), 0);
    assert_int_equal(pthread_create(&thread, NULL, start_slowly, &start), 0);
    pthread_barrier_wait(&start.begun);
    expect_default(w, &options);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_barrier_destroy(&start.begun);
    assert_string_equal(w->choice.stop_reason,
                        "the time limit of 0.2 s passed before any variant was measured; raise it, "
                        "or choose smaller sizes");
    expect_answers_for(w, 0.2, true);
}

TEST_OF(test_a_reference_that_may_never_end_is_reported, world *w, open_slow_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 5);
    w->farm.prepare_never_answers = true;
    expect_default(w, &options);
    assert_string_equal(
        w->choice.stop_reason,
        "the time limit of 5 s passed before inputs and reference were ready; raise "
        "it, choose smaller sizes, or check that the reference ends");
}

TEST_OF(test_a_limit_that_is_too_short_for_it_is_reported, world *w, open_slow_world, close_world)
{
    gputune_options options = OPTIONS(.time_limit_s = 0.1);
    w->farm.compile_s = 30;
    for (options.effort = GPUTUNE_CACHED_ONLY; options.effort <= GPUTUNE_MEASURE;
         options.effort++) {
        ASSERT_FAILS(tune(w, &options), GPUTUNE_ETIMEOUT,
                     "the time limit of 0.1 s passed before it was compiled");
    }
}

TEST_OF(forced_tuning_falls_back_to_stored_code, world *w, open_slow_world, close_world)
{
    gputune_options options = OPTIONS(.effort = GPUTUNE_CACHED_ONLY);
    expect_default(w, &options);
    w->farm.compile_s = 30;
    options = OPTIONS(.force = true, .time_limit_s = 0.1);
    expect_default(w, &options);
}

/* The time limit may end before the configurations are counted. */
TEST_OF(test_a_limit_that_ends_the_counting_is_reported, world *w, open_slow_world, close_world)
{
    volatile int cancel = 0;
    gputune_options options = OPTIONS(.time_limit_s = 1e-6);
    options.cancel = &cancel;
    write_template(w, "64, 128) tune(STEPS = 1, 2) require(BLOCK * STEPS <= 128");
    ASSERT_OK(tune(w, &options));
    assert_string_equal(w->choice.stop_reason,
                        "the time limit of 1e-06 s passed before all configurations were counted; "
                        "raise it");
    expect_answers_for(w, 1e-6, true);
    options.time_limit_s = 100;
    cancel = 1;
    ASSERT_OK(tune(w, &options));
    assert_string_equal(w->choice.stop_reason, "stopped before all configurations were counted");
}

/* Computing a gigabyte element by element takes real time, so the real clock is used. */
TEST_OF(test_a_limit_that_ends_the_making_of_data_is_reported, world *w, open_world, close_world)
{
    static const char text[] =
        "#pragma gputune kernel(last) problem(n = 1 << 30)\n"
        "#pragma gputune args(out float y[1], in unsigned char x[n] =\\\n"
        "  (index * 7919 % 1000 + index % 7 * 3 + index / 11 % 13) % 100, size_t n)\n"
        "#pragma gputune tune(BLOCK = 64, 128) default(BLOCK = 128) block(BLOCK) grid(1)\n"
        "__global__ void last(float *y, const unsigned char *x, size_t n)\n"
        "{ if (threadIdx.x + BLOCK == BLOCK) y[0] = x[n - 1]; }\n";
    gputune_options options = OPTIONS(.time_limit_s = 0.3);
    clock_set_true();
    file_write(w->path, "%s", text);
    expect_default(w, &options);
    assert_string_equal(w->choice.stop_reason,
                        "the 1073741824 elements of 'x' were not computed in 0.3 s; raise the time "
                        "limit, or fill them by an init() kernel");
}

TEST_OF(test_a_cancel_before_it_is_compiled_is_reported, world *w, open_slow_world, close_world)
{
    volatile int cancel = 1;
    gputune_options options = OPTIONS(.time_limit_s = 100);
    options.cancel = &cancel;
    w->farm.compile_s = 30;
    ASSERT_FAILS(tune(w, &options), GPUTUNE_ECANCELED, "stopped before it was compiled");
}
