/* Every valid variant of every template that comes with gputune, on the H200's profile, at small
 * sizes that leave a tail. */
#include "every_variant.h"

static int open_h200(void **state)
{
    (void)state;
    return bench_open("emu:h200");
}

static void test_axpy(void **state)
{
    (void)state;
    verify_space("axpy", GPUTUNE_SIZES({"n", 20011}), 1);
}

static void test_copy(void **state)
{
    (void)state;
    verify_space("copy", GPUTUNE_SIZES({"n", 20011}), 1);
}

static void test_copy_of_bytes(void **state)
{
    (void)state;
    verify_space("copy", GPUTUNE_SIZES({"n", 20011}, {"T=char", 0}), 7);
}

static void test_gather(void **state)
{
    (void)state;
    verify_space("gather", GPUTUNE_SIZES({"n", 6007}, {"entries", 1001}), 1);
}

static void test_histogram(void **state)
{
    (void)state;
    verify_space("histogram", GPUTUNE_SIZES({"n", 6007}, {"bins", 1003}), 1);
}

static void test_paramsum(void **state)
{
    (void)state;
    verify_space("paramsum", GPUTUNE_SIZES({"COUNT", 2003}), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axpy),      cmocka_unit_test(test_copy),
        cmocka_unit_test(test_gather),    cmocka_unit_test(test_copy_of_bytes),
        cmocka_unit_test(test_histogram), cmocka_unit_test(test_paramsum),
    };
    return cmocka_run_group_tests(tests, open_h200, bench_close);
}
