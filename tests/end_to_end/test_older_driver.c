/* A driver of CUDA 12.0: parameters beyond 4096 bytes are refused. */
#include "world.h"

static int open_older(void **state)
{
    (void)state;
    setenv("GPUTUNE_EMU_SET", "driver_version=12000", 1);
    setenv("GPUTUNE_DRIVER", "emu:h200", 1);
    world_environment();
    return 0;
}

static void describe(const char *size, int64_t count, bool expected)
{
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    GT_SCOPED(tuner_end) gputune *tuner = NULL;
    gputune_space *space;
    bool by_value = false, seen = false;
    options.database = ":memory:";
    OK(gputune_open(&tuner, &options));
    OK(gputune_describe_space(&space, tuner, "paramsum", GPUTUNE_SIZES({size, count}), NULL, NULL));
    for (size_t i = 0; i < space->value_count; i++) {
        const gputune_axis_value *value = &space->values[i];
        if (!strcmp(value->kind, "pass") && !strcmp(value->value, "value")) {
            seen = true;
            by_value = !value->excluded[0];
        }
    }
    assert_true(seen);
    assert_int_equal(by_value, expected);
    gputune_space_free(space);
}

TEST(test_large_parameters_are_refused)
{
    describe("COUNT", 8000, false);
    describe("COUNT", 500, true); /* 2000 bytes fit everywhere */
}

static int on_device(void *user, const gputune_device *device)
{
    *(gputune_device *)user = *device;
    return 0;
}

TEST(test_the_device_says_so)
{
    gputune_device device;
    OK(gputune_devices(NULL, on_device, &device));
    assert_int_equal(device.driver_version, 12000);
    assert_int_equal(device.max_parameter_bytes, 4096);
}

TESTS_WITHIN(open_older, NULL)
