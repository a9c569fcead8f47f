/* Tests tuning on the emulated H200: bad variants, hits, canceling, and the stored winner. */
#include "world.h"

enum { N = 4099 };

TEST_WITH_TUNER(template_without_a_reference_gets_a_warning, ":memory:")
{
    GT_SCOPED(plan_end)
    gputune_plan *plan =
        plan_measured(tuner, "tests/poisoned/no_reference.cu", GPUTUNE_SIZES({"n", N}));
    assert_non_null(strstr(info_of(plan).configuration, "BAD=0"));
    assert_non_null(strstr(world.log, "no_reference has neither reference() nor check()"));
    assert_int_equal(world.warnings, 1);
}

TEST_WITH_TUNER(unwritten_elements_are_wrong, ":memory:")
{
    gputune_plan *plan;
    int status =
        tune_kernel(&plan, tuner, "tests/poisoned/unwritten.cu", GPUTUNE_SIZES({"n", N}), NULL);
    const char *told = status < 0 ? gputune_error() : world.log;
    if (!strstr(told, "y[4084] is written neither by this variant nor by the default")) {
        fail_msg("%d: %s", status, told);
    }
}

TEST(hit_launches_the_stored_winner)
{
    gputune_options options = few_variants();
    gputune_plan *measured, *again, *cached;
    char configuration[128];
    gputune *tuner = tuner_open(world.database);
    OK(tune_kernel(&measured, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    gputune_info first = info_of(measured);
    assert_int_equal(first.source, GPUTUNE_SOURCE_MEASURED);
    assert_true(first.modelled);
    assert_true(first.variants > 1);
    snprintf(configuration, sizeof configuration, "%s", first.configuration);
    double time_ns = first.time_ns;
    OK(tune_kernel(&again, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    assert_ptr_equal(again, measured);
    OK(launch_axpy(measured, N));
    gputune_plan_release(again);
    gputune_plan_release(measured);
    gputune_close(tuner);

    tuner = tuner_open(world.database);
    OK(tune_kernel(&cached, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    gputune_info info = info_of(cached);
    assert_int_equal(info.source, GPUTUNE_SOURCE_CACHED);
    assert_int_equal(info.variants, 0);
    assert_string_equal(info.configuration, configuration);
    assert_true(info.time_ns == time_ns);
    OK(launch_axpy(cached, N));
    gputune_plan_release(cached);
    gputune_close(tuner);
}

static volatile int cancel;

static void cancel_at_once(void *user, const gputune_progress *progress)
{
    cancel = progress->variants > 0;
}

TEST_WITH_TUNER(cancel_leaves_a_plan_or_fails, ":memory:")
{
    gputune_plan *plan = NULL;
    cancel = 0;
    gputune_options options = OPTIONS(.cancel = &cancel, .progress = cancel_at_once);
    int status = tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options);
    assert_true(cancel);
    if (status == GPUTUNE_OK) {
        OK(launch_axpy(plan, N));
        gputune_plan_release(plan);
    } else {
        assert_int_equal(status, GPUTUNE_ECANCELED);
        assert_null(plan);
    }
    options.cancel = NULL;
    options.progress = NULL;
    options.effort = GPUTUNE_CACHED_ONLY;
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    OK(launch_axpy(plan, N));
}

TEST_WITH_TUNER(clusters_of_16_are_allowed, ":memory:")
{
    gputune_space *space;
    bool allowed = false;
    OK(gputune_describe_space(&space, tuner, "histogram",
                              GPUTUNE_SIZES({"n", 10007}, {"bins", 4096}), NULL, NULL));
    for (size_t i = 0; i < space->value_count; i++) {
        const gputune_axis_value *value = &space->values[i];
        allowed |=
            !strcmp(value->kind, "cluster") && !strcmp(value->value, "16") && !value->excluded[0];
    }
    assert_true(allowed);
    gputune_space_free(space);
}

static gputune_status tune_with(gputune *tuner, const gputune_input *inputs, size_t count)
{
    gputune_options options = few_variants();
    gputune_plan *plan = NULL;
    options.inputs = inputs;
    options.input_count = count;
    options.force = true;
    int status = tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options);
    if (status == GPUTUNE_OK) {
        assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_MEASURED);
        gputune_plan_release(plan);
    }
    return (gputune_status)status;
}

TEST(data_of_the_caller_are_inputs)
{
    static float host[N];
    CUdeviceptr x;
    CU(MemAlloc(&x, sizeof host));
    CU(MemcpyHtoD(x, host, sizeof host));
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(world.database);
    gputune_input inputs[] = {{"y", host, sizeof host, true},
                              {"x", (const void *)(uintptr_t)x, sizeof host, false}};
    OK(tune_with(tuner, inputs, 2));
    inputs[0].bytes -= 4;
    assert_int_equal(tune_with(tuner, inputs, 2), GPUTUNE_EINVAL);
    inputs[0].buffer = "z";
    ASSERT_FAILS(tune_with(tuner, inputs, 1), GPUTUNE_EINVAL, "no buffer 'z'");
}

TEST_WITH_TUNER(inputs_of_another_type_are_refused, world.database)
{
    static double host[N];
    const gputune_input inputs[] = {{"y", host, N * sizeof(float), true},
                                    {"x", host, N * sizeof(float), true}};
    const char *types[] = {NULL, "unsigned int"};
    gputune_options options = few_variants();
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    options.inputs = inputs;
    options.input_count = 2;
    options.input_types = types;
    assert_int_equal(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options),
                     GPUTUNE_EINVAL);
    assert_string_equal(gputune_error(), "input 'x' has elements of type unsigned int; the "
                                         "template has float");
    types[1] = "float";
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
}

TEST_WITH_TUNER(call_that_may_not_measure_gets_nearest_or_estimate, world.database)
{
    gputune_options options = few_variants();
    gputune_plan *plan;
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    gputune_plan_release(plan);
    options.effort = GPUTUNE_CACHED_ONLY;
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N + 77}), &options));
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_NEAREST);
    gputune_plan_release(plan);
    options.effort = GPUTUNE_ESTIMATE;
    options.cache = GPUTUNE_CACHE_HOT;
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_ESTIMATED);
    OK(launch_axpy(plan, N));
}

TESTS_WITHIN(open_h200, world_close)
