/* Tuning on the emulated H200 from call to stored winner: bad variants, hits, cancelling, a
 * database that cannot be written. */
#include "world.h"

#include <fcntl.h>

enum { N = 4099 };

/* ---- variants that are no good ---- */

typedef struct trials {
    const char *status; /* that every BAD=1 trial has */
    int bad, good, other;
} trials;

static int on_trial(void *user, const gputune_record *record)
{
    trials *seen = user;
    bool is_bad = strstr(record->configuration, "BAD=1") != NULL;
    bool as_expected = is_bad
                           ? !strcmp(record->status, seen->status)
                           : !strcmp(record->status, "ok") || !strcmp(record->status, "eliminated");
    if (!as_expected) {
        print_error("%s: %s: %s\n", record->configuration, record->status, record->message);
        seen->other++;
    } else if (is_bad) {
        seen->bad++;
    } else {
        seen->good++;
    }
    return 0;
}

/* Tunes a template half of whose variants are bad: they cost themselves only. */
static void tune_poisoned(const char *file, const char *name, const char *status)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(world.database);
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    trials seen = {.status = status};
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    char path[128];
    snprintf(path, sizeof path, "tests/poisoned/%s.cu:%s", file, name);
    OK(tune_kernel(&plan, tuner, path, GPUTUNE_SIZES({"n", N}), &OPTIONS(.time_limit_s = 60)));
    gputune_info info = info_of(plan);
    assert_non_null(strstr(info.configuration, "BAD=0"));
    assert_int_equal(info.source, GPUTUNE_SOURCE_MEASURED);
    assert_int_equal(info.failed, 2);
    filter.kernel = name;
    filter.all_trials = true;
    OK(gputune_records(tuner, &filter, on_trial, &seen));
    assert_int_equal(seen.other, 0);
    assert_int_equal(seen.bad, 2);
    assert_int_equal(seen.good, 2);
}

TEST(test_a_wrong_result_is_caught)
{
    tune_poisoned("wrong_result", "wrong_result", "wrong");
}

TEST(test_a_kernel_that_is_right_once_is_caught)
{
    tune_poisoned("stale", "stale_counter", "wrong");
}

TEST(test_a_counter_that_nobody_cleared_is_caught)
{
    tune_poisoned("stale", "stale_scratch", "wrong");
}

TEST(test_who_has_no_reference_hears_of_it)
{
    tune_poisoned("no_reference", "no_reference", "wrong");
    assert_non_null(strstr(world.log, "no_reference has neither reference() nor check()"));
    assert_int_equal(world.warnings, 1);
}

TEST(test_what_nobody_writes_is_wrong)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    gputune_plan *plan;
    int status =
        tune_kernel(&plan, tuner, "tests/poisoned/unwritten.cu", GPUTUNE_SIZES({"n", N}), NULL);
    const char *told = status < 0 ? gputune_error() : world.log;
    if (!strstr(told, "y[4084] is not written, and the default variant")) {
        fail_msg("%d: %s", status, told);
    }
}

/* ---- hits ---- */

static void launch_and_check(gputune_plan *plan)
{
    static float x[N], y[N], result[N];
    float a = 3;
    size_t n = N;
    for (int i = 0; i < N; i++) {
        x[i] = (float)(i % 11);
        y[i] = (float)(i % 5);
    }
    CUdeviceptr at_x = buffer_of(x, sizeof x), at_y = buffer_of(y, sizeof y);
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&at_y, &at_x, &a, &n)));
    CU(CtxSynchronize());
    CU(MemcpyDtoH(result, at_y, sizeof result));
    for (int i = 0; i < N; i++) {
        assert_true(result[i] == y[i] + a * x[i]);
    }
    CU(MemFree(at_x));
    CU(MemFree(at_y));
}

TEST(test_a_hit_launches_what_was_stored)
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
    assert_ptr_equal(again, measured); /* from the table */
    launch_and_check(measured);
    gputune_plan_release(again);
    gputune_plan_release(measured);
    gputune_close(tuner);

    tuner = tuner_open(world.database); /* another process would find the same */
    OK(tune_kernel(&cached, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    gputune_info info = info_of(cached);
    assert_int_equal(info.source, GPUTUNE_SOURCE_CACHED);
    assert_int_equal(info.variants, 0);
    assert_string_equal(info.configuration, configuration);
    assert_true(info.time_ns == time_ns);
    launch_and_check(cached);
    gputune_plan_release(cached);
    gputune_close(tuner);
}

/* ---- stopping ---- */

static volatile int cancel;

static void cancel_at_once(void *user, const gputune_progress *progress)
{
    (void)user;
    cancel = progress->variants > 0;
}

TEST(test_cancelling_leaves_a_plan_or_says_so)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    gputune_plan *plan = NULL;
    cancel = 0;
    gputune_options options = OPTIONS(.cancel = &cancel, .progress = cancel_at_once);
    int status = tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options);
    assert_true(cancel);
    if (status == GPUTUNE_OK) {
        launch_and_check(plan);
        gputune_plan_release(plan);
    } else {
        assert_int_equal(status, GPUTUNE_ECANCELED);
        assert_null(plan);
    }
    options.cancel = NULL;
    options.progress = NULL;
    options.effort = GPUTUNE_CACHED_ONLY;
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    launch_and_check(plan); /* the tuner goes on */
    gputune_plan_release(plan);
}

/* ---- no database ---- */

TEST(test_a_database_that_cannot_be_written_is_one_warning)
{
    gputune_options options = few_variants();
    gputune_plan *plan;
    char path[128];
    snprintf(path, sizeof path, "%s/file", world.folder);
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(file >= 0);
    close(file);
    snprintf(path, sizeof path, "%s/file/x.db", world.folder); /* also root cannot make that */
    gputune *tuner = tuner_open(path);
    options.log = on_log;
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_MEASURED);
    if (world.warnings != 1) {
        print_error("%s", world.log);
    }
    assert_int_equal(world.warnings, 1);
    launch_and_check(plan);
    gputune_plan_release(plan);
    gputune_close(tuner);
    snprintf(path, sizeof path, "%s/file", world.folder);
    unlink(path);
}

/* ---- clusters ---- */

TEST(test_clusters_of_16_are_allowed)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
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
    options.force = true; /* else the first result answers, and the data are not looked at */
    int status = tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options);
    if (status == GPUTUNE_OK) {
        assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_MEASURED);
        gputune_plan_release(plan);
    }
    return (gputune_status)status;
}

TEST(test_the_callers_own_data_are_inputs)
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
    assert_int_equal(tune_with(tuner, inputs, 1), GPUTUNE_EINVAL);
    assert_non_null(strstr(gputune_error(), "no buffer 'z'"));
    CU(MemFree(x));
}

TEST(test_inputs_of_another_type_are_refused)
{
    static double host[N];
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(world.database);
    const gputune_input inputs[] = {{"y", host, N * sizeof(float), true},
                                    {"x", host, N * sizeof(float), true}};
    const char *types[] = {NULL, "unsigned int"};
    gputune_options options = few_variants();
    gputune_plan *plan = NULL;
    options.inputs = inputs;
    options.input_count = 2;
    options.input_types = types;
    assert_int_equal(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options),
                     GPUTUNE_EINVAL);
    assert_string_equal(gputune_error(), "input 'x' has elements of type unsigned int; the "
                                         "template has float");
    types[1] = "float";
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    gputune_plan_release(plan);
}

TEST(test_without_measuring_the_nearest_or_an_estimate)
{
    gputune_options options = few_variants();
    gputune_plan *plan;
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(world.database);
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    gputune_plan_release(plan);
    options.effort = GPUTUNE_CACHED_ONLY;
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N + 77}), &options));
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_NEAREST);
    gputune_plan_release(plan);
    options.effort = GPUTUNE_ESTIMATE;
    options.cache = GPUTUNE_CACHE_HOT; /* nothing is stored for it */
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_ESTIMATED);
    launch_and_check(plan);
    gputune_plan_release(plan);
}

TESTS_WITHIN(open_h200, world_close)
