/* Verifies templates with small spaces on the emulated H200, at small sizes that leave a tail.
 * GPUTUNE_TEST_LONG=1 verifies every variant. */
#include "every_variant.h"

TEST(test_axpy)
{
    verify_space("axpy", GPUTUNE_SIZES({"n", 20011}), 1);
}

TEST(test_copy)
{
    verify_space("copy", GPUTUNE_SIZES({"n", 20011}), 1);
}

TEST(test_copy_of_bytes)
{
    verify_space("copy", GPUTUNE_SIZES({"n", 20011}, {"T=char", 0}), 7);
}

TEST(test_gather)
{
    verify_space("gather", GPUTUNE_SIZES({"n", 6007}, {"entries", 1001}), 1);
    verify_space("gather", GPUTUNE_SIZES({"n", 6007}, {"entries", 1001}, {"T=double", 0}), 31);
}

TEST(test_histogram)
{
    verify_space("histogram", GPUTUNE_SIZES({"n", 6007}, {"bins", 1003}), 1);
}

TEST(test_paramsum)
{
    verify_space("paramsum", GPUTUNE_SIZES({"COUNT", 2003}), 1);
}

TESTS_WITHIN(setup_h200, setup_close)
