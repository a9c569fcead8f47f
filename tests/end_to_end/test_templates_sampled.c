/* A sample of the variants of the templates with larger spaces, on the H200's profile, at small
 * sizes that leave a tail. */
#include "every_variant.h"

static int open_h200(void **state)
{
    (void)state;
    return bench_open("emu:h200");
}

static void test_reduce(void **state)
{
    (void)state;
    verify_space("reduce", GPUTUNE_SIZES({"n", 20011}), 35);
    verify_space("reduce", GPUTUNE_SIZES({"n", 20011}, {"T=half", 0}, {"OP=max", 0}), 83);
}

static void test_dot(void **state)
{
    (void)state;
    verify_space("dot", GPUTUNE_SIZES({"n", 20011}), 35);
}

static void test_scan(void **state)
{
    (void)state;
    verify_space("scan", GPUTUNE_SIZES({"n", 20011}), 15);
    verify_space("scan", GPUTUNE_SIZES({"n", 20011}, {"T=int", 0}), 47);
}

static void test_transpose(void **state)
{
    (void)state;
    verify_space("transpose", GPUTUNE_SIZES({"rows", 132}, {"columns", 260}), 15);
    verify_space("transpose", GPUTUNE_SIZES({"rows", 67}, {"columns", 33}, {"T=char", 0}), 11);
}

static void test_gemv(void **state)
{
    (void)state;
    verify_space("gemv", GPUTUNE_SIZES({"rows", 67}, {"columns", 132}), 59);
}

static void test_softmax(void **state)
{
    (void)state;
    verify_space("softmax", GPUTUNE_SIZES({"rows", 17}, {"columns", 264}), 23);
    verify_space("softmax", GPUTUNE_SIZES({"rows", 17}, {"columns", 264}, {"T=half", 0}), 47);
}

/* The default is one of the variants, however narrow the rows are. */
static void test_narrow_rows(void **state)
{
    (void)state;
    verify_space("softmax", GPUTUNE_SIZES({"rows", 17}, {"columns", 5}), 7);
    verify_space("rmsnorm", GPUTUNE_SIZES({"rows", 17}, {"columns", 5}), 7);
}

static void test_rmsnorm(void **state)
{
    (void)state;
    verify_space("rmsnorm", GPUTUNE_SIZES({"rows", 17}, {"columns", 264}), 23);
    verify_space("rmsnorm", GPUTUNE_SIZES({"rows", 17}, {"columns", 264}, {"T=float", 0}), 47);
}

static void test_lincomb(void **state)
{
    (void)state;
    verify_space("lincomb", GPUTUNE_SIZES({"n", 516}, {"COUNT", 1100}), 59);
}

static void test_polynomial(void **state)
{
    (void)state;
    verify_space("polynomial", GPUTUNE_SIZES({"n", 131}, {"COUNT", 1200}), 75);
}

static void test_stencil2d(void **state)
{
    (void)state;
    verify_space("stencil2d", GPUTUNE_SIZES({"height", 37}, {"width", 68}), 75);
    verify_space("stencil2d", GPUTUNE_SIZES({"height", 37}, {"width", 68}, {"R", 3}), 123);
}

static void test_stencil3d(void **state)
{
    const gputune_sizes sizes =
        GPUTUNE_SIZES({"depth", 9}, {"height", 21}, {"width", 68}, {"R", 2});
    (void)state;
    verify_space("stencil3d", sizes, 53);
}

static void test_stencil2d_steps(void **state)
{
    (void)state;
    verify_space("stencil2d_steps", GPUTUNE_SIZES({"height", 37}, {"width", 45}, {"R", 2}), 401);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce),      cmocka_unit_test(test_dot),
        cmocka_unit_test(test_scan),        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_gemv),        cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_rmsnorm),     cmocka_unit_test(test_lincomb),
        cmocka_unit_test(test_polynomial),  cmocka_unit_test(test_stencil2d),
        cmocka_unit_test(test_stencil3d),   cmocka_unit_test(test_stencil2d_steps),
        cmocka_unit_test(test_narrow_rows),
    };
    return cmocka_run_group_tests(tests, open_h200, bench_close);
}
