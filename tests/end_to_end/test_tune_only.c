/* Tests `tune_only`, for processes that never launch a kernel: a worker opens the driver instead.
 */
#include "world.h"

static int open_tool(gputune **out, const char *device, const char *worker)
{
    SKIP_IF(!world.ready);
    return gputune_open(out, &OPEN_OPTIONS(.database = world.database, .device = device,
                                           .worker = worker, .tune_only = true));
}

static gputune *tool(void)
{
    gputune *tuner;
    OK(open_tool(&tuner, NULL, NULL));
    return tuner;
}

static gputune_device device_of(gputune *tuner)
{
    gputune_device device = GPUTUNE_DEVICE_INIT;
    OK(gputune_tuner_device(&device, tuner));
    return device;
}

TEST(tool_has_the_device_of_a_program)
{
    GT_SCOPED(tuner_end) gputune *one = tool(), *other = tuner_open(world.database);
    gputune_device reported = device_of(one), seen = device_of(other);
    assert_string_equal(reported.environment, seen.environment);
    assert_string_equal(reported.name, seen.name);
    assert_string_equal(reported.uuid, seen.uuid);
    assert_int_equal(reported.ordinal, seen.ordinal);
    assert_int_equal(reported.driver_version, seen.driver_version);
    assert_true(reported.memory_bytes == seen.memory_bytes);
    assert_true(reported.emulated);
}

TEST(tool_refuses_inputs_on_the_device)
{
    GT_SCOPED(tuner_end) gputune *tuner = tool();
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    gputune_input input = {"x", (void *)(uintptr_t)4096, 4096 * sizeof(float), false};
    static float values[4096];
    gputune_options options =
        OPTIONS(.max_variants = 3, .inputs = &input, .input_count = 1, .force = true);
    assert_int_equal(tune_kernel(&plan, tuner, "copy", GPUTUNE_SIZES({"n", 4096}), &options),
                     GPUTUNE_EUNSUPPORTED);
    input.data = values;
    input.on_host = true;
    OK(tune_kernel(&plan, tuner, "copy", GPUTUNE_SIZES({"n", 4096}), &options));
}

TEST(tool_without_a_worker_queries_the_device_itself)
{
    gputune *tuner;
    GT_FREED char *worker = strdup(getenv("GPUTUNE_WORKER"));
    setenv("GPUTUNE_WORKER", "/nonexistent/gputune-worker", 1);
    OK(open_tool(&tuner, NULL, NULL));
    assert_true(device_of(tuner).emulated);
    gputune_close(tuner);
    setenv("GPUTUNE_WORKER", worker, 1);
}

TEST(missing_device_is_reported)
{
    gputune *tuner;
    ASSERT_FAILS(open_tool(&tuner, "7", NULL), GPUTUNE_ENODRIVER,
                 "no GPU '7'; expected one of: 0 (");
    assert_int_equal(open_tool(&tuner, "GPU-0000", NULL), GPUTUNE_ENODRIVER);
    assert_int_equal(open_tool(&tuner, "", NULL), GPUTUNE_ENODRIVER);
}

TESTS_WITHIN(open_h200, world_close)
