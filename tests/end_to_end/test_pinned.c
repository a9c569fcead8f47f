/* Tests a tuner that is pinned to a wisdom file and uses only results from that file. */
#include "world.h"

enum { KNOWN = 4000, UNKNOWN = 3600 };

static char *wisdom(void)
{
    static char path[128];
    snprintf(path, sizeof path, "%s-2", world.database);
    return path;
}

static int plan_for(gputune_plan **out, gputune *tuner, size_t n, const gputune_options *options)
{
    return tune_kernel(out, tuner, "axpy", GPUTUNE_SIZES({"n", n}), options);
}

/* Tunes axpy at KNOWN and UNKNOWN, and exports only the result at KNOWN. */
static void measure(void)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(world.database);
    const gputune_options options = few_variants();
    gputune_plan *plan;
    uint32_t count;
    OK(plan_for(&plan, tuner, KNOWN, &options));
    gputune_plan_release(plan);
    OK(gputune_wisdom_save(&count, tuner, wisdom(), &FILTER(.sizes = "n=4000"), true));
    assert_int_equal(count, 1);
    OK(plan_for(&plan, tuner, UNKNOWN, &options));
}

static gputune *pinned(const char *path, const char *record)
{
    gputune *tuner;
    OK(gputune_open(&tuner,
                    &OPEN_OPTIONS(.database = world.database, .pinned = path, .record = record)));
    return tuner;
}

static int no_record(void *user, const gputune_record *record)
{
    return 1;
}

static int count_miss(void *user, const gputune_miss *miss)
{
    *(uint64_t *)user += miss->count;
    assert_string_equal(miss->sizes, "n=3600 T=float");
    return 0;
}

TEST(a_pinned_tuner_answers_from_its_file_only)
{
    char record[128];
    uint64_t misses = 0;
    gputune_plan *plan, *again;
    measure();
    snprintf(record, sizeof record, "%s/misses", world.folder);
    gputune *tuner = pinned(wisdom(), record);
    const gputune_options whole = OPTIONS(.effort = GPUTUNE_EXHAUSTIVE);
    OK(plan_for(&plan, tuner, KNOWN, NULL));
    OK(plan_for(&again, tuner, KNOWN, &whole));
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_CACHED);
    assert_string_equal(info_of(again).configuration, info_of(plan).configuration);
    OK(launch_axpy(plan, KNOWN));
    gputune_plan_release(plan);
    gputune_plan_release(again);

    const gputune_options calls[] = {
        OPTIONS(.effort = GPUTUNE_MEASURE), OPTIONS(.effort = GPUTUNE_CACHED_ONLY),
        OPTIONS(.effort = GPUTUNE_ESTIMATE), OPTIONS(.background = true)};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        ASSERT_FAILS(plan_for(&plan, tuner, UNKNOWN, &calls[i]), GPUTUNE_ENOTCACHED,
                     "axpy: no result for n=3600 T=float ");
        assert_non_null(strstr(gputune_error(), wisdom()));
    }
    gputune_close(tuner);
    OK(gputune_misses(record, count_miss, &misses));
    assert_true(misses >= 1);
    unlink(record);
    unlink(wisdom());
}

TEST(a_pinned_tuner_neither_measures_nor_imports)
{
    measure();
    gputune_plan *plan;
    GT_SCOPED(tuner_end) gputune *tuner = pinned(wisdom(), NULL);
    const gputune_options forced = OPTIONS(.force = true);
    assert_int_equal(plan_for(&plan, tuner, KNOWN, &forced), GPUTUNE_EUNSUPPORTED);
    assert_int_equal(
        gputune_run(tuner, "axpy", GPUTUNE_SIZES({"n", KNOWN}), NULL, 0, NULL, no_record, NULL),
        GPUTUNE_EUNSUPPORTED);
    const gputune_range range = {"n", 64, 128};
    assert_int_equal(gputune_make_rule(NULL, tuner, "axpy", &range, 1, 1, NULL),
                     GPUTUNE_EUNSUPPORTED);
    ASSERT_FAILS(gputune_wisdom_load(NULL, tuner, wisdom(), NULL), GPUTUNE_EUNSUPPORTED, wisdom());
    gputune_background_state state = GPUTUNE_BACKGROUND_STATE_INIT;
    OK(gputune_background(&state, tuner));
    assert_int_equal(state.waiting + state.running + state.tuned + state.failed, 0);
    unlink(wisdom());
}

TEST(the_variable_pins_a_program)
{
    measure();
    gputune_plan *plan;
    setenv("GPUTUNE_PINNED", wisdom(), 1);
    gputune *tuner = tuner_open(world.database);
    assert_int_equal(plan_for(&plan, tuner, UNKNOWN, NULL), GPUTUNE_ENOTCACHED);
    OK(plan_for(&plan, tuner, KNOWN, NULL));
    gputune_plan_release(plan);
    gputune_close(tuner);
    unlink(wisdom());
    unsetenv("GPUTUNE_PINNED");
}

TEST(a_file_that_is_no_wisdom_opens_no_tuner)
{
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    gputune *tuner;
    options.pinned = "nosuch.wisdom";
    assert_int_equal(gputune_open(&tuner, &options), GPUTUNE_ENOTFOUND);
    options.pinned = "Makefile";
    assert_int_equal(gputune_open(&tuner, &options), GPUTUNE_ERECORDED);
}

TESTS_WITHIN(open_h200, world_close)
