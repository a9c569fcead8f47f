/* Tuners on two emulated GPUs, one of which takes part in the other's searches. */
#include "world.h"

#include <pthread.h>

static int open_two(void **state)
{
    (void)state;
    setenv("GPUTUNE_EMU_DEVICES", "h200,h200,a100", 1);
    return world_open("emu");
}

static int close_two(void **state)
{
    unsetenv("GPUTUNE_EMU_DEVICES");
    unsetenv("GPUTUNE_EMU_FAULTS");
    return world_close(state);
}

static gputune *tuner_in(const char *database, const char *device)
{
    gputune *tuner;
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    options.database = database;
    options.device = device;
    options.tune_only = options.keep_workers = true;
    SKIP_IF(!world.ready);
    OK(gputune_open(&tuner, &options));
    return tuner;
}

static gputune *tuner_on(const char *device)
{
    return tuner_in(world.database, device);
}

static int tune(gputune_info *info, gputune *tuner, gputune *helper)
{
    static const char *const only[] = {"VEC=1,4", "BLOCK=64,128,256"};
    gputune_plan *plan = NULL;
    gputune_options options = OPTIONS(.helpers = &helper, .helper_count = 1, .only = only,
                                      .only_count = 2, .force = true, .time_limit_s = 60);
    int status = tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", 8192}), &options);
    if (status == GPUTUNE_OK) {
        *info = (gputune_info)GPUTUNE_INFO_INIT;
        OK(gputune_plan_info(info, plan));
        assert_int_equal(info->source, GPUTUNE_SOURCE_MEASURED);
        gputune_plan_release(plan);
    }
    return status;
}

TEST_WITHIN(a_gpu_of_the_same_kind_helps, open_two, close_two)
{
    gputune *one = tuner_on("0"), *other = tuner_on("1");
    gputune_info alone, together;
    OK(tune(&alone, one, other));
    assert_int_equal(alone.failed, 0);
    OK(tune(&together, other, one)); /* nothing was left lent */
    assert_true(together.time_ns == alone.time_ns);
    gputune_close(one);
    gputune_close(other);
}

/* From the 30th launch on everything fails there: the worker dies again and again. */
TEST_WITHIN(one_that_breaks_decides_nothing, open_two, close_two)
{
    GT_SCOPED(tuner_end) gputune *one = tuner_on("0");
    setenv("GPUTUNE_EMU_FAULTS", "cuLaunchKernelEx@1:*30=719", 1);
    GT_SCOPED(tuner_end) gputune *other = tuner_on("1");
    gputune_info info;
    OK(tune(&info, one, other));
    assert_int_equal(info.failed, 0);
}

TEST_WITHIN(others_cannot_help, open_two, close_two)
{
    gputune *one = tuner_on("0"), *another_kind = tuner_on("2");
    gputune_info info;
    assert_int_equal(tune(&info, one, one), GPUTUNE_EINVAL);
    assert_int_equal(tune(&info, one, another_kind), GPUTUNE_EINVAL);
    assert_non_null(strstr(gputune_error(), "helpers: "));
    gputune_close(one);
    gputune_close(another_kind);
}

static double pace_of(gputune *tuner)
{
    gputune_pace pace = GPUTUNE_PACE_INIT;
    OK(gputune_measure_pace(&pace, tuner));
    assert_false(pace.throttled || pace.shared);
    return pace.launch_ns;
}

TEST_WITHIN(equal_ones_have_the_same_pace, open_two, close_two)
{
    gputune *one = tuner_on("0"), *other = tuner_on("1");
    double pace = pace_of(one);
    assert_true(pace > 0 && pace_of(other) == pace);
    setenv("GPUTUNE_EMU_DEVICES", "h200,h200*2", 1);
    GT_SCOPED(tuner_end) gputune *slow = tuner_on("1");
    assert_true(pace_of(slow) > 1.5 * pace);
    gputune_close(one);
    gputune_close(other);
}

/* Another thread asks how fast the GPU is that a search measures on; a callback of it cannot. */
typedef struct asking {
    gputune *tuner;
    pthread_t thread;
    gputune_pace pace;
    int status, status_in_callback;
    bool asked;
} asking;

static void *ask(void *user)
{
    asking *at = user;
    at->status = gputune_measure_pace(&at->pace, at->tuner);
    return NULL;
}

static void ask_once(void *user, const gputune_progress *progress)
{
    asking *at = user;
    (void)progress;
    if (!at->asked) {
        at->asked = true;
        at->status_in_callback = gputune_measure_pace(&at->pace, at->tuner);
        assert_int_equal(pthread_create(&at->thread, NULL, ask, at), 0);
    }
}

TEST_WITHIN(a_search_finds_out_the_pace, open_two, close_two)
{
    asking at = {.tuner = tuner_on("0"), .pace = GPUTUNE_PACE_INIT};
    double pace = pace_of(at.tuner);
    gputune_plan *plan;
    static const char *const only[] = {"VEC=1,4", "BLOCK=64,128,256"};
    gputune_options options = OPTIONS(.only = only, .only_count = 2, .time_limit_s = 60,
                                      .force = true, .progress = ask_once, .user = &at);
    OK(tune_kernel(&plan, at.tuner, "axpy", GPUTUNE_SIZES({"n", 8192}), &options));
    gputune_plan_release(plan);
    assert_true(at.asked);
    pthread_join(at.thread, NULL);
    assert_int_equal(at.status_in_callback, GPUTUNE_EBUSY);
    ASSERT_OK(at.status);
    assert_true(at.pace.launch_ns == pace);
    gputune_close(at.tuner);
}

/* A search on a tuner of its own, and how many sources its workers compiled. */
typedef struct apart {
    gputune *tuner;
    int64_t n;
    int status;
    unsigned sources;
} apart;

static void take_sources(void *user, gputune_log_level level, const char *line)
{
    const char *found = strstr(line, "; work: ");
    (void)level;
    if (found) {
        ((apart *)user)->sources = (unsigned)strtoul(found + strlen("; work: "), NULL, 10);
    }
}

static void *tune_apart(void *user)
{
    static const char *const only[] = {"VEC=1,2,4,8", "UNROLL=1,2"};
    apart *at = user;
    gputune_plan *plan = NULL;
    gputune_options options =
        OPTIONS(.only = only, .only_count = 2, .time_limit_s = 60, .log = take_sources, .user = at);
    at->status = tune_kernel(&plan, at->tuner, "axpy", GPUTUNE_SIZES({"n", at->n}), &options);
    gputune_plan_release(plan);
    return NULL;
}

TEST_WITHIN(searches_side_by_side_compile_a_source_once, open_two, close_two)
{
    apart alone = {.tuner = tuner_in(":memory:", "0"), .n = 1000};
    tune_apart(&alone);
    OK(alone.status);
    gputune_close(alone.tuner); /* and what it compiled is kept no longer */
    apart both[2] = {{.tuner = tuner_in(":memory:", "0"), .n = 2000},
                     {.tuner = tuner_in(":memory:", "1"), .n = 4000}};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, tune_apart, &both[0]), 0);
    tune_apart(&both[1]);
    pthread_join(thread, NULL);
    OK(both[0].status);
    OK(both[1].status);
    /* each may have compiled service kernels and reference */
    assert_true(alone.sources > 4);
    assert_true(both[0].sources + both[1].sources <= alone.sources + 2);
    gputune_close(both[0].tuner);
    gputune_close(both[1].tuner);
}
