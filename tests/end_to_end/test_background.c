/* Tests background tuning: a miss returns immediately, and the winner replaces the plan later. */
#include "world.h"

#include <dlfcn.h>
#include <errno.h>

static bool lacks_threads;

/* Replaces libc's function. */
int pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*work)(void *),
                   void *argument)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    return lacks_threads ? EAGAIN : create(out, attributes, work, argument);
}

enum { N = 2000 };

static gputune_options in_background(void)
{
    gputune_options options = few_variants();
    options.background = true;
    return options;
}

static gputune_plan *plan_for(gputune *tuner, size_t n, const gputune_options *options)
{
    gputune_plan *plan;
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", n}), options));
    return plan;
}

static gputune_source source_of(gputune *tuner, size_t n, const gputune_options *options)
{
    gputune_plan *plan = plan_for(tuner, n, options);
    gputune_source source = info_of(plan).source;
    gputune_plan_release(plan);
    return source;
}

static gputune_background_state state_of(gputune *tuner)
{
    gputune_background_state state = GPUTUNE_BACKGROUND_STATE_INIT;
    OK(gputune_background(&state, tuner));
    return state;
}

static int pass_over(void *user, const gputune_record *record)
{
    (void)user, (void)record;
    return 0;
}

TEST(miss_is_answered_and_the_winner_takes_over)
{
    static const gputune_forget_options everything = {.size = sizeof everything,
                                                      .everything = true};
    gputune *tuner = tuner_open(world.database);
    gputune_options options = in_background(), cached = in_background();
    cached.background = false;
    cached.effort = GPUTUNE_CACHED_ONLY;
    OK(gputune_wait(tuner, 0));
    lacks_threads = true;
    assert_int_equal(source_of(tuner, N, &options), GPUTUNE_SOURCE_DEFAULT);
    lacks_threads = false;
    gputune_plan *first = plan_for(tuner, N, &options), *second = plan_for(tuner, N, &options);
    assert_int_equal(info_of(first).source, GPUTUNE_SOURCE_DEFAULT);
    assert_ptr_equal(first, second);
    assert_int_equal(state_of(tuner).waiting + state_of(tuner).running, 1);
    OK(gputune_wait(tuner, 230));
    assert_int_equal(state_of(tuner).tuned, 1);
    gputune_plan *winner = plan_for(tuner, N, &options), *again = plan_for(tuner, N, &options);
    assert_int_equal(info_of(winner).source, GPUTUNE_SOURCE_CACHED);
    assert_ptr_equal(winner, again);
    assert_int_equal(source_of(tuner, N + 4, &options), GPUTUNE_SOURCE_NEAREST);
    OK(gputune_wait(tuner, 230));
    assert_int_equal(state_of(tuner).tuned, 2);
    assert_int_equal(source_of(tuner, N + 4, &cached), GPUTUNE_SOURCE_CACHED);
    OK(gputune_forget(tuner, NULL, &everything, pass_over, NULL));
    assert_int_equal(source_of(tuner, N, &options), GPUTUNE_SOURCE_DEFAULT);
    OK(gputune_wait(tuner, 230));
    assert_int_equal(state_of(tuner).tuned, 3);
    gputune_plan_release(first);
    gputune_plan_release(second);
    gputune_plan_release(winner);
    gputune_plan_release(again);
    gputune_close(tuner);
    assert_int_equal(world.warnings, 1);
    unlink(world.database);
}

TEST_WITH_TUNER(request_for_more_is_tuned_again, ":memory:")
{
    gputune_options options = in_background();
    options.max_variants = 1;
    source_of(tuner, N, &options);
    OK(gputune_wait(tuner, 230));
    assert_int_equal(state_of(tuner).tuned, 1);
    options.max_variants = 0;
    for (int i = 0; i < 2; i++) {
        source_of(tuner, N, &options);
        OK(gputune_wait(tuner, 230));
        assert_int_equal(state_of(tuner).tuned, 2);
    }
    options.effort = GPUTUNE_EXHAUSTIVE;
    source_of(tuner, N, &options);
    OK(gputune_wait(tuner, 230));
    assert_int_equal(state_of(tuner).tuned, 3);
}

TEST_WITH_TUNER(options_are_copied, ":memory:")
{
    char axis[16] = "VEC=1", block[16] = "BLOCK=64", unroll[16] = "UNROLL=1", name[8] = "n";
    const char *restrictions[3] = {axis, block, unroll};
    gputune_options options = in_background();
    gputune_plan *plan;
    options.only = restrictions;
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({name, N}), &options));
    gputune_plan_release(plan);
    memset(axis, 'x', sizeof axis - 1);
    memset(block, 'x', sizeof block - 1);
    memset(unroll, 'x', sizeof unroll - 1);
    memset(name, 'x', sizeof name - 1);
    memset(restrictions, 0, sizeof restrictions);
    memset(&options, 0, sizeof options);
    OK(gputune_wait(tuner, 230));
    assert_int_equal(state_of(tuner).tuned, 1);
}

TEST(force_is_answered_by_the_stored_result)
{
    gputune_options options = in_background();
    gputune *first = tuner_open(world.database);
    source_of(first, N, &options);
    OK(gputune_wait(first, 230));
    gputune_close(first);
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(world.database);
    options.force = true;
    assert_int_equal(source_of(tuner, N, &options), GPUTUNE_SOURCE_CACHED);
    OK(gputune_wait(tuner, 230));
    assert_int_equal(state_of(tuner).tuned, 1);
    unlink(world.database);
}

TEST_WITH_TUNER(launching_goes_on_and_the_tuning_ends, ":memory:")
{
    gputune_options options = in_background();
    const size_t n = N;
    static float values[N];
    float a = 1;
    options.share = 0.5;
    CUdeviceptr x = buffer_of(values, sizeof values), y = buffer_of(values, sizeof values);
    gputune_source source = GPUTUNE_SOURCE_DEFAULT;
    while (source != GPUTUNE_SOURCE_CACHED) {
        gputune_plan *plan = plan_for(tuner, n, &options);
        OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&y, &x, &a, &n)));
        CU(CtxSynchronize());
        source = info_of(plan).source;
        gputune_plan_release(plan);
        assert_int_equal(state_of(tuner).failed, 0);
    }
}

TEST(close_ends_a_tuning_and_leaves_no_process)
{
    gputune *tuner = tuner_open(world.database);
    gputune_options options = in_background();
    options.only_count = 0; /* search the whole space, which takes long */
    for (size_t i = 0; i < 3; i++) {
        source_of(tuner, (1 << 20) + i, &options);
    }
    while (!state_of(tuner).running) {
        usleep(1000);
    }
    usleep(300000);
    gputune_close(tuner);
    while (waitpid(-1, NULL, 0) > 0) { /* reap the workers of canceled tunings */
    }
    unlink(world.database);
}

typedef struct asking {
    gputune *tuner;
    int wait_status;
    bool called;
} asking;

static void ask_from_callback(void *user, const gputune_progress *progress)
{
    asking *a = user;
    if (!a->called) {
        a->called = true;
        a->wait_status = gputune_wait(a->tuner, 1);
        gputune_close(a->tuner);
    }
}

TEST(callbacks_come_from_the_thread_and_cannot_wait)
{
    asking a = {.tuner = tuner_open(":memory:")};
    gputune_options options = in_background();
    options.progress = ask_from_callback;
    options.user = &a;
    source_of(a.tuner, N, &options);
    OK(gputune_wait(a.tuner, 230));
    assert_true(a.called);
    assert_int_equal(a.wait_status, GPUTUNE_EBUSY);
    assert_int_equal(state_of(a.tuner).tuned, 1);
    gputune_close(a.tuner);
}

TEST_WITH_TUNER(tuning_that_is_waited_for_goes_first, ":memory:")
{
    gputune_options options = in_background(), now = in_background();
    now.background = false;
    source_of(tuner, 1 << 16, &options);
    while (!state_of(tuner).running) {
        usleep(1000);
    }
    assert_int_equal(source_of(tuner, N, &now), GPUTUNE_SOURCE_MEASURED);
    OK(gputune_wait(tuner, 200));
    assert_int_equal(state_of(tuner).tuned, 1);
}

TEST_WITH_TUNER(live_inputs_are_refused, ":memory:")
{
    static float values[N];
    const gputune_input input = {"x", values, sizeof values, true};
    gputune_options options = in_background();
    gputune_plan *plan;
    options.inputs = &input;
    options.input_count = 1;
    ASSERT_FAILS(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options),
                 GPUTUNE_EINVAL, "cannot be tuned in the background");
}

/* The default is known to fail, but another variant is correct. */
TEST(default_that_failed_does_not_end_the_tuning)
{
    static const char *const only[] = {"BLOCK=64"};
    static const char source[] =
        "#pragma gputune kernel(odd_default) problem(n = 1000) args(out int y[n], size_t n)\n"
        "#pragma gputune tune(BLOCK = 64, 128) default(BLOCK = 64)\n"
        "#pragma gputune block(BLOCK) grid(ceil_div(n, BLOCK))\n"
        "#pragma gputune reference(right, block = 256, grid = ceil_div(n, 256))\n"
        "__global__ void odd_default(int *y, size_t n)\n"
        "{\n"
        "    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
        "    if (i < n) { y[i] = BLOCK == 64 ? 7 : int(i); }\n"
        "}\n"
        "__global__ void right(int *y, size_t n)\n"
        "{\n"
        "    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;\n"
        "    if (i < n) { y[i] = int(i); }\n"
        "}\n";
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    gputune_options options = OPTIONS(.only = only, .only_count = 1);
    const gputune_sizes sizes = {0, NULL};
    gputune_plan *plan;
    OK(gputune_add_source(tuner, "odd.cu", source, NULL));
    assert_int_equal(tune_kernel(&plan, tuner, "odd_default", sizes, &options), GPUTUNE_EWRONG);
    options = OPTIONS(.background = true);
    ASSERT_FAILS(tune_kernel(&plan, tuner, "odd_default", sizes, &options), GPUTUNE_EWRONG,
                 "BLOCK=64 is not launched");
    OK(gputune_wait(tuner, 230));
    OK(tune_kernel(&plan, tuner, "odd_default", sizes, &options));
    assert_string_equal(info_of(plan).configuration, "BLOCK=128");
}

TEST_WITH_TUNER(failure_is_reported_and_not_tried_again, ":memory:")
{
    gputune_options options = in_background();
    gputune_plan *plan;
    options.only_count = 0;
    for (int i = 0; i < 3; i++) {
        if (tune_kernel(&plan, tuner, "tests/poisoned/all_wrong.cu", (gputune_sizes){0, NULL},
                        &options) == GPUTUNE_OK) {
            gputune_plan_release(plan);
        }
        OK(gputune_wait(tuner, 60));
    }
    assert_int_equal(state_of(tuner).failed, 1);
    assert_non_null(strstr(world.log, "all_wrong"));
}

TESTS_WITHIN(open_h200, world_close)
