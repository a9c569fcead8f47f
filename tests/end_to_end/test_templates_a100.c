/* Verifies a sample of the templates' variants on the emulated A100, and checks that features that
 * the A100 lacks are excluded. */
#include "every_variant.h"

static int open_a100(void **state)
{
    return setup_open("emu:a100");
}

TEST(test_axpy)
{
    verify_space("axpy", GPUTUNE_SIZES({"n", 20011}), 9);
}

TEST(test_copy)
{
    verify_space("copy", GPUTUNE_SIZES({"n", 20011}), 23);
}

TEST(test_gather)
{
    verify_space("gather", GPUTUNE_SIZES({"n", 6007}, {"entries", 1001}), 17);
}

TEST(test_histogram)
{
    verify_space("histogram", GPUTUNE_SIZES({"n", 6007}, {"bins", 1003}), 7);
}

TEST(test_paramsum)
{
    verify_space("paramsum", GPUTUNE_SIZES({"COUNT", 2003}), 5);
}

TEST(a100_has_no_clusters)
{
    GT_SCOPED(tuner_end) gputune *tuner = NULL;
    gputune_space *space;
    uint32_t allowed = 0, seen = 0;
    OK(gputune_open(&tuner, &OPEN_OPTIONS(.driver = "emu:a100", .database = ":memory:")));
    OK(gputune_describe_space(&space, tuner, "histogram", GPUTUNE_NO_SIZES, NULL, NULL));
    for (size_t i = 0; i < space->value_count; i++) {
        const gputune_axis_value *value = &space->values[i];
        if (!strcmp(value->kind, "cluster") && strcmp(value->value, "1") != 0) {
            seen++;
            allowed += value->excluded[0] == '\0';
        }
    }
    assert_int_equal(seen, 4);
    assert_int_equal(allowed, 0);
    gputune_space_free(space);
}

TESTS_WITHIN(open_a100, setup_close)
