/* An application that asks for more plans than its tuner keeps: those that it holds live on, the
 * others are let go, and come back from the store as they were. */
#include "world.h"

#include <pthread.h>

enum { FIRST = 64, MODULES_A_PLAN = 2 };

static gputune *open_keeping(const char *database, uint32_t max_plans)
{
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    gputune *tuner;
    SKIP_IF(!world.ready);
    options.database = database;
    options.compile_workers = 1;
    options.keep_workers = true;
    options.max_plans = max_plans;
    OK(gputune_open(&tuner, &options));
    return tuner;
}

static gputune_plan *plan_of(gputune *tuner, size_t n, gputune_effort effort)
{
    static const char *const only[] = {"VEC=1", "BLOCK=64", "UNROLL=1,2"};
    gputune_plan *plan;
    gputune_options options =
        OPTIONS(.effort = effort, .only = only, .only_count = sizeof only / sizeof *only,
                .time_limit_s = 100);
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", n}), &options));
    return plan;
}

/* Whether y[i] += 2 x[i], from y = 1 and x = i, is what the plan computes. */
static bool computes(gputune_plan *plan, size_t n)
{
    float *values = malloc(n * sizeof *values), a = 2;
    bool right = true;
    assert_non_null(values);
    for (size_t i = 0; i < n; i++) {
        values[i] = (float)i;
    }
    CUdeviceptr x = buffer_of(values, n * sizeof *values);
    for (size_t i = 0; i < n; i++) {
        values[i] = 1;
    }
    CUdeviceptr y = buffer_of(values, n * sizeof *values);
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&y, &x, &a, &n)));
    CU(MemcpyDtoH(values, y, n * sizeof *values));
    for (size_t i = 0; i < n; i++) {
        right = right && values[i] == 1 + 2 * (float)i;
    }
    CU(MemFree(x));
    CU(MemFree(y));
    free(values);
    return right;
}

/* ---- coming back ----------------------------------------------------------------------------- */

/* Tunes three times as many scenarios as are kept, and asks for all of them again. */
static void come_back(const char *database, uint32_t max_plans)
{
    enum { MOST = 9 };
    GT_SCOPED(tuner_end) gputune *tuner = open_keeping(database, max_plans);
    gputune_plan *held[MOST];
    size_t count = 3 * (size_t)max_plans, cached = 0;
    for (size_t i = 0; i < count; i++) {
        held[i] = plan_of(tuner, FIRST + i, GPUTUNE_MEASURE);
        assert_int_equal(info_of(held[i]).source, GPUTUNE_SOURCE_MEASURED);
    }
    for (size_t i = 0; i < count; i++) {
        gputune_plan *again = plan_of(tuner, FIRST + i, GPUTUNE_MEASURE);
        cached += info_of(again).source == GPUTUNE_SOURCE_CACHED;
        assert_string_equal(info_of(again).configuration, info_of(held[i]).configuration);
        assert_true(computes(again, FIRST + i));
        gputune_plan_release(again);
    }
    assert_in_range(cached, count - max_plans, count);
    for (size_t i = 0; i < count; i++) {
        assert_true(computes(held[i], FIRST + i));
        gputune_plan_release(held[i]);
    }
}

TEST(test_plans_come_back_from_the_database)
{
    come_back(world.database, 3);
}

TEST(test_plans_come_back_without_a_file)
{
    come_back(":memory:", 1);
    come_back("/proc/nothing-is-written-here/x.db", 1);
}

/* ---- what is held ---------------------------------------------------------------------------- */

static int modules, most_modules;
static CUresult (*load_module)(CUmodule *, const void *, unsigned, CUjit_option *, void **);
static CUresult (*unload_module)(CUmodule);

static CUresult count_load(CUmodule *out, const void *image, unsigned count, CUjit_option *options,
                           void **values)
{
    modules++;
    most_modules = modules > most_modules ? modules : most_modules;
    return load_module(out, image, count, options, values);
}

static CUresult count_unload(CUmodule module)
{
    modules--;
    return unload_module(module);
}

TEST(test_code_of_plans_that_were_let_go_is_unloaded)
{
    enum { KEPT = 8 };
    gt_driver *driver = (gt_driver *)world.driver;
    gputune *tuner = open_keeping(":memory:", KEPT);
    load_module = driver->ModuleLoadDataEx;
    unload_module = driver->ModuleUnload;
    driver->ModuleLoadDataEx = count_load;
    driver->ModuleUnload = count_unload;
    gputune_plan *held = plan_of(tuner, FIRST, GPUTUNE_CACHED_ONLY);
    for (size_t i = 1; i < 8 * (size_t)KEPT; i++) {
        gputune_plan_release(plan_of(tuner, FIRST + i, GPUTUNE_CACHED_ONLY));
    }
    assert_in_range(most_modules, KEPT, (KEPT + 2) * MODULES_A_PLAN);
    gputune_close(tuner);
    assert_in_range(modules, 1, MODULES_A_PLAN);
    assert_true(computes(held, FIRST));
    gputune_plan_release(held);
    assert_int_equal(modules, 0);
    driver->ModuleLoadDataEx = load_module;
    driver->ModuleUnload = unload_module;
}

/* ---- many threads ---------------------------------------------------------------------------- */

enum { THREADS = 8, SIZES = 12, ROUNDS = 40 };

static void *ask_for_all(void *user)
{
    gputune *tuner = user;
    CU(CtxSetCurrent(world.context));
    for (size_t i = 0; i < ROUNDS; i++) {
        size_t n = FIRST + i * i % SIZES;
        gputune_plan *plan = plan_of(tuner, n, GPUTUNE_CACHED_ONLY);
        assert_true(computes(plan, n));
        gputune_plan_release(plan);
    }
    return NULL;
}

TEST(test_threads_take_plans_from_each_other)
{
    GT_SCOPED(tuner_end) gputune *tuner = open_keeping(":memory:", 2);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, ask_for_all, tuner), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

TESTS_WITHIN(open_h200, world_close)
