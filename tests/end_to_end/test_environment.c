/* Tests environment variables that change the results of an unchanged program. */
#include "world.h"

static gputune *tuner_with(const char *variable, const char *value)
{
    setenv(variable, value, 1);
    gputune *tuner = tuner_open(world.database);
    unsetenv(variable);
    return tuner;
}

static gputune_options quick(void)
{
    return OPTIONS(.max_variants = 3);
}

static gputune_info plan_info_at(gputune *tuner, size_t n, const gputune_options *options,
                                 gputune_plan **plan)
{
    OK(tune_kernel(plan, tuner, "axpy", GPUTUNE_SIZES({"n", n}), options));
    return info_of(*plan);
}

TEST(disabled_gives_the_default_and_measures_nothing)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with("GPUTUNE_DISABLE", "1");
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    const gputune_info info = plan_info_at(tuner, 1 << 12, NULL, &plan);
    assert_int_equal(info.source, GPUTUNE_SOURCE_DEFAULT);
    assert_string_equal(info.configuration, info.default_configuration);
    assert_int_equal(world.warnings, 0);
}

TEST(effort_of_the_environment_counts)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with("GPUTUNE_EFFORT", "cached");
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    const gputune_info info = plan_info_at(tuner, 999, NULL, &plan);
    assert_true(info.source == GPUTUNE_SOURCE_DEFAULT || info.source == GPUTUNE_SOURCE_NEAREST);
}

TEST(unknown_effort_is_left_out_with_a_warning)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with("GPUTUNE_EFFORT", "hard");
    assert_non_null(strstr(world.log, "GPUTUNE_EFFORT is 'hard', which is ignored"));
}

TEST(forced_configuration_is_launched)
{
    GT_SCOPED(tuner_end)
    gputune *tuner = tuner_with("GPUTUNE_FORCE", "other:A=1; axpy:VEC=2 BLOCK=64");
    gputune_plan *plan, *again;
    const size_t n = 1000;
    const gputune_info info = plan_info_at(tuner, n, NULL, &plan);
    assert_int_equal(info.source, GPUTUNE_SOURCE_FORCED);
    assert_string_equal(gputune_source_name(info.source), "forced");
    assert_non_null(strstr(info.configuration, "VEC=2 BLOCK=64"));
    OK(launch_axpy(plan, n));
    assert_int_equal(plan_info_at(tuner, n, NULL, &again).source, GPUTUNE_SOURCE_FORCED);
    assert_ptr_equal(plan, again);
}

TEST(forced_mistake_is_left_out_with_a_warning)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with("GPUTUNE_FORCE", "axpy:WIDTH=2");
    gputune_options options = quick();
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    options.effort = GPUTUNE_CACHED_ONLY;
    assert_int_not_equal(plan_info_at(tuner, 500, &options, &plan).source, GPUTUNE_SOURCE_FORCED);
    assert_non_null(strstr(world.log, "GPUTUNE_FORCE is ignored for axpy: axpy has no axis "));
}

TEST(forced_variant_that_is_wrong_is_refused)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with("GPUTUNE_FORCE", "wrong_result:BAD=1");
    gputune_plan *plan = NULL;
    gputune_options options = quick();
    options.effort = GPUTUNE_CACHED_ONLY;
    int status = tune_kernel(&plan, tuner, "tests/poisoned/wrong_result.cu",
                             GPUTUNE_SIZES({"n", 4096}), &options);
    assert_non_null(strstr(world.log, "GPUTUNE_FORCE is ignored for wrong_result"));
    if (status == GPUTUNE_OK) {
        assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_DEFAULT);
        gputune_plan_release(plan);
    }
}

TEST(log_goes_to_a_file)
{
    char path[128], value[160], *text;
    snprintf(path, sizeof path, "%s/log", world.folder);
    snprintf(value, sizeof value, "info:%s", path);
    gputune *tuner = tuner_with("GPUTUNE_LOG", value);
    gputune_options options = quick();
    gputune_plan *plan;
    options.effort = GPUTUNE_CACHED_ONLY;
    plan_info_at(tuner, 777, &options, &plan);
    gputune_plan_release(plan);
    gputune_close(tuner);
    OK(gt_file_read(&text, NULL, path));
    assert_non_null(strstr(text, " info: axpy n=777 T=float: VEC="));
    assert_non_null(strstr(world.log, "axpy n=777 T=float: VEC="));
    free(text);
    unlink(path);
}

TESTS_WITHIN(open_h200, world_close)
