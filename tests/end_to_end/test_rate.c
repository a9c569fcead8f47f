/* Tests the objective `rate` with a template whose variants do different amounts of work per
 * launch. The command-line case real-rate tests the printed figures and the error messages. */
#include "world.h"

enum { N = 4099 };
static const char template_path[] = "tests/end_to_end/steps.cu";

static gputune_plan *tune_steps(gputune *tuner)
{
    gputune_plan *plan;
    OK(tune_kernel(&plan, tuner, template_path, GPUTUNE_SIZES({"n", N}), &OPTIONS()));
    return plan;
}

static unsigned steps_of(const char *configuration)
{
    const char *at = strstr(configuration, "STEPS=");
    assert_non_null(at);
    return (unsigned)strtoul(at + 6, NULL, 10);
}

/* Checks that a launch makes as many steps as its configuration states. */
static void launch_and_check(gputune_plan *plan, unsigned steps)
{
    static float x[N], y[N];
    unsigned made = 0;
    size_t n = N;
    for (int i = 0; i < N; i++) {
        x[i] = (float)(i % 16);
    }
    CUdeviceptr at_x = buffer_of(x, sizeof x), at_y = buffer_of(y, sizeof y);
    CUdeviceptr at_made = buffer_of(&made, sizeof made);
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&at_y, &at_made, &at_x, &n)));
    CU(CtxSynchronize());
    CU(MemcpyDtoH(y, at_y, sizeof y));
    CU(MemcpyDtoH(&made, at_made, sizeof made));
    assert_int_equal(made, steps);
    for (int i = 0; i < N; i++) {
        float z = x[i];
        for (unsigned step = 0; step < steps; step++) {
            z = z / 2 + 1;
        }
        assert_true(y[i] == z);
    }
    CU(MemFree(at_x));
    CU(MemFree(at_y));
    CU(MemFree(at_made));
}

TEST(winner_makes_the_most_steps_per_second)
{
    gputune *tuner = tuner_open(world.database);
    gputune_plan *plan = tune_steps(tuner);
    const gputune_info info = info_of(plan);
    assert_int_equal(info.objective, GPUTUNE_OBJECTIVE_RATE);
    assert_int_equal(info.source, GPUTUNE_SOURCE_MEASURED);
    assert_int_equal(info.failed, 0);
    assert_int_equal(steps_of(info.configuration), 4);
    assert_true(info.time_ns < info.default_ns && info.speedup > 1);
    launch_and_check(plan, 4);
    gputune_plan_release(plan);
    gputune_close(tuner);

    tuner = tuner_open(world.database);
    plan = tune_steps(tuner);
    const gputune_info again = info_of(plan);
    assert_int_equal(again.source, GPUTUNE_SOURCE_CACHED);
    assert_int_equal(again.objective, GPUTUNE_OBJECTIVE_RATE);
    assert_true(again.time_ns == info.time_ns);
    launch_and_check(plan, 4);
    gputune_plan_release(plan);
    gputune_close(tuner);
}

TESTS_WITHIN(open_h200, world_close)
