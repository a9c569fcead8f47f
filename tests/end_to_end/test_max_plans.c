/* Requests more plans than a tuner keeps. Plans that the application holds stay valid, and plans
 * that the tuner has dropped are made again from stored results. */
#include "world.h"

#include <malloc.h>

enum { FIRST = 64 };

static gputune *open_keeping(const char *database, uint32_t max_plans)
{
    gputune *tuner;
    SKIP_IF(!world.ready);
    OK(gputune_open(&tuner, &OPEN_OPTIONS(.database = database, .compile_workers = 1,
                                          .keep_workers = true, .max_plans = max_plans)));
    return tuner;
}

static gputune_plan *plan_of(gputune *tuner, size_t n, gputune_effort effort)
{
    static const char *const only[] = {"VEC=1", "BLOCK=64", "UNROLL=1,2"};
    gputune_plan *plan;
    gputune_options options =
        OPTIONS(.effort = effort, .only = only, .only_count = sizeof only / sizeof *only);
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", n}), &options));
    return plan;
}

/* Tunes three times as many scenarios as the tuner keeps plans, and requests all of them again. */
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
        OK(launch_axpy(again, FIRST + i));
        gputune_plan_release(again);
    }
    assert_in_range(cached, count - max_plans, count);
    for (size_t i = 0; i < count; i++) {
        OK(launch_axpy(held[i], FIRST + i));
        gputune_plan_release(held[i]);
    }
}

TEST(plans_come_back_from_the_database)
{
    come_back(world.database, 3);
}

TEST(plans_come_back_without_a_file)
{
    come_back(":memory:", 1);
    come_back("/proc/nothing-is-written-here/x.db", 1);
}

static int modules;
static CUresult (*load_module)(CUmodule *, const void *, unsigned, CUjit_option *, void **);
static CUresult (*unload_module)(CUmodule);

static CUresult count_load(CUmodule *out, const void *image, unsigned count, CUjit_option *options,
                           void **values)
{
    modules++;
    return load_module(out, image, count, options, values);
}

static CUresult count_unload(CUmodule module)
{
    modules--;
    return unload_module(module);
}

static gputune *open_counting(gt_driver *driver)
{
    gputune *tuner = open_keeping(":memory:", 1);
    load_module = driver->ModuleLoadDataEx;
    unload_module = driver->ModuleUnload;
    driver->ModuleLoadDataEx = count_load;
    driver->ModuleUnload = count_unload;
    return tuner;
}

static void end_counting(gt_driver *driver)
{
    driver->ModuleLoadDataEx = load_module;
    driver->ModuleUnload = unload_module;
}

TEST(code_ends_with_the_last_reference_or_the_tuner)
{
    gt_driver *driver = (gt_driver *)world.driver;
    gputune *tuner = open_counting(driver);
    const gputune_options options = OPTIONS(.effort = GPUTUNE_CACHED_ONLY);
    gputune_plan *kept = plan_of(tuner, FIRST, GPUTUNE_CACHED_ONLY), *own;
    OK(tune_kernel(&own, tuner, "dot", GPUTUNE_SIZES({"n", 1000}), &options));
    const int both = modules;
    gputune_plan_release(own);
    assert_in_range(modules, 1, both - 1);
    gputune_plan_release(kept);
    OK(launch_axpy(kept, FIRST));
    OK(tune_kernel(&own, tuner, "dot", GPUTUNE_SIZES({"n", 1000}), &options));
    gputune_close(tuner);
    assert_int_equal(modules, 0);
    gputune_plan_release(own);
    end_counting(driver);
}

enum { THREADS = 8, SIZES = 12, ROUNDS = 40 };

static void *ask_for_all(void *user)
{
    gputune *tuner = user;
    CU(CtxSetCurrent(world.context));
    for (size_t i = 0; i < ROUNDS; i++) {
        size_t n = FIRST + i * i % SIZES;
        gputune_plan *plan = plan_of(tuner, n, GPUTUNE_CACHED_ONLY);
        OK(launch_axpy(plan, n));
        gputune_plan_release(plan);
    }
    return NULL;
}

TEST(threads_replace_each_others_plans)
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

#if __GLIBC_PREREQ(2, 33)

TEST(a_plan_takes_at_most_5_kb)
{
    enum { BEFORE = 100, PLANS = 400, MOST_BYTES = 5000 };
    GT_SCOPED(tuner_end) gputune *tuner = open_keeping(":memory:", BEFORE + PLANS);
    size_t bytes = 0;
    for (size_t i = 0; i < BEFORE + PLANS; i++) {
        bytes = i == BEFORE ? mallinfo2().uordblks : bytes;
        gputune_plan_release(plan_of(tuner, FIRST + i, GPUTUNE_CACHED_ONLY));
    }
    bytes = mallinfo2().uordblks - bytes;
    print_message("%zu bytes for each plan\n", bytes / PLANS);
    assert_in_range(bytes / PLANS, 0, MOST_BYTES);
}

#endif

TESTS_WITHIN(open_h200, world_close)
