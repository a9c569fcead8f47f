/* Tests the axis l2_persist(): how much of the cache it sets aside, and for which buffer. */
#include "kernel_support.h"

#define HEAD                                                                                       \
    "#pragma gputune kernel(k) problem(n = 64, m = 1000) args(out float y[n], in float t[m][8], "  \
    "size_t n)\n#pragma gputune block(32) grid(1)\n"                                               \
    "__global__ void k(float *y, const float *t, size_t n) {}\n#pragma gputune "

static gt_l2_window window_of(const char *configuration, int persist, int window)
{
    SETUP(b, HEAD "l2_persist(L2 = 0, 25, 100 : t)\n", "sm_90");
    b.device.l2_persist_bytes = persist;
    b.device.l2_window_bytes = window;
    return launch_of(&b, configuration).l2;
}

TEST(test_windows)
{
    gt_l2_window none = window_of("L2=0", 4000, 100000);
    assert_true(none.used);
    assert_int_equal(none.window_bytes, 0);
    gt_l2_window some = window_of("L2=25", 4000, 100000);
    assert_int_equal(some.parameter, 1);
    assert_int_equal(some.window_bytes, 32000);
    assert_int_equal(some.set_aside_bytes, 1000);
    gt_l2_window all = window_of("L2=100", 4000, 10000);
    assert_int_equal(all.window_bytes, 10000);
    assert_int_equal(all.set_aside_bytes, 4000);
}

/* Scratch memory that one kernel of a pipeline writes for the next may persist in the cache. */
TEST(test_window_of_a_pipeline)
{
    static const char text[] =
        "#pragma gputune kernel(p) problem(n = 64) args(out float y[n], in float x[n], int n)\n"
        "#pragma gputune scratch(double t[n], float u[n]) l2_persist(L2 = 0, 50 : u)\n"
        "#pragma gputune launch(a, block = 32, grid = 2, args = (u, x, n))\n"
        "#pragma gputune launch(b, block = 32, grid = 2, args = (y, u, t, n))\n"
        "__global__ void a(float *u, const float *x, int n) {}\n"
        "__global__ void b(float *y, const float *u, double *t, int n) {}\n";
    SETUP(b, text, "sm_90");
    const gt_config config = config_of(b.template, "L2=50");
    const gt_launch launch = launch_of(&b, "L2=50");
    assert_int_equal(launch.l2.parameter, 4);
    assert_int_equal(launch.l2.window_bytes, 256);
    assert_int_equal(launch.steps[1].parameters[1], 4);
    assert_int_equal(gt_vector_bytes(b.template, &b.problem, &config, &b.device), 0);
}

TEST(l2_persist_needs_no_compile)
{
    GT_SCOPED(template_end) gt_template *template = parse(HEAD "l2_persist(L2 = 0, 25 : t)\n");
    assert_false(axis_of(template, "L2")->in_source);
}

TEST(test_a_device_without)
{
    setup b;
    setup_open(&b, HEAD "l2_persist(L2 = 0, 25, 100 : t)\n", "sm_75");
    assert_int_equal(count_valid(b.space), 1);
    setup_close(&b);
    setup_open(&b, HEAD "l2_persist(L2 = 0, 25, 100 : t)\n", "sm_120");
    assert_int_equal(count_valid(b.space), 3);
    setup_close(&b);
}

TEST(test_mistakes)
{
    static const char *const mistakes[][2] = {
        {"l2_persist(L2 = 0, 101 : t)",
         "k.cu:4:33: L2 has the value 101; expected per cent from 0 to 100"},
        {"l2_persist(L2 = 0, 25)", "k.cu:4:38: the pragma ends here; expected ': table', the "
                                   "buffer that should stay in the cache"},
        {"l2_persist(L2 = 0, 25 : n)",
         "k.cu:4:41: 'n' is not a buffer; expected one of args() or scratch()"},
        {"l2_persist(L2 = 0, 25 : t, y)", "k.cu:4:42: found ','; expected ',' or ')'"},
    };
    EXPECT_MISTAKES("k.cu", HEAD "%s\n", mistakes);
}
