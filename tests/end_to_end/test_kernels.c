/* Tunes, launches and captures the usual kinds of kernels: C++ templates, cooperative grids, and
 * pipelines of several kernels. */
#include "world.h"

static void fill(float *values, int count)
{
    for (int i = 0; i < count; i++) {
        values[i] = (float)(i % 13) - 4;
    }
}

TEST_WITH_TUNER(cxx_template_is_tuned_and_launched, world.database)
{
    enum { N = 3001 };
    static float x[N], y[N], out[N];
    gputune_plan *plan = plan_measured(tuner, "examples/axpy_typed.cu", GPUTUNE_SIZES({"n", N}));
    fill(x, N);
    fill(y, N);
    CUdeviceptr dx = buffer_of(x, sizeof x), dy = buffer_of(y, sizeof y);
    float a = 3;
    int n = N;
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&dy, &dx, &a, &n)));
    CU(MemcpyDtoH(out, dy, sizeof out));
    for (int i = 0; i < N; i++) {
        assert_true(out[i] == y[i] + a * x[i]);
    }
    gputune_function function = GPUTUNE_FUNCTION_INIT;
    OK(gputune_plan_function(&function, plan, 0));
    assert_non_null(strstr(function.name, "_ZN4blas4axpyIfLi"));
}

TEST_WITH_TUNER(specialised_kernel_has_code_for_each_type, world.database)
{
    enum { N = 1000 };
    static double wide[N];
    static float narrow[N];
    int n = N;
    CUdeviceptr y = buffer_of(wide, sizeof wide);
    gputune_plan *plan = plan_measured(tuner, "tests/language/special.cu", GPUTUNE_SIZES({"n", N}));
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&y, &n)));
    CU(MemcpyDtoH(wide, y, sizeof wide));
    gputune_plan_release(plan);
    plan =
        plan_measured(tuner, "tests/language/special.cu", GPUTUNE_SIZES({"n", N}, {"T=float", 0}));
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&y, &n)));
    CU(MemcpyDtoH(narrow, y, sizeof narrow));
    for (int i = 0; i < N; i++) {
        assert_true(wide[i] == i && narrow[i] == -i);
    }
}

TEST_WITH_TUNER(cooperative_grid_is_tuned_and_launched, world.database)
{
    enum { N = 1500 };
    static float y[N], expected[N], out[N];
    gputune_plan *plan =
        plan_measured(tuner, "tests/language/grid_sync.cu", GPUTUNE_SIZES({"n", N}));
    fill(y, N);
    memcpy(expected, y, sizeof y);
    int n = N, steps = 3;
    for (int s = 0; s < steps; s++) {
        float before[N];
        memcpy(before, expected, sizeof before);
        for (int i = 0; i < N; i++) {
            expected[i] = (before[i ? i - 1 : N - 1] + before[i] + before[(i + 1) % N]) / 3;
        }
    }
    CUdeviceptr dy = buffer_of(y, sizeof y);
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&dy, &n, &steps)));
    CU(MemcpyDtoH(out, dy, sizeof out));
    for (int i = 0; i < N; i++) {
        assert_true(fabsf(out[i] - expected[i]) < 1e-4F);
    }
    gputune_function function = GPUTUNE_FUNCTION_INIT;
    OK(gputune_plan_function(&function, plan, 0));
    assert_true(function.cooperative);
}

TEST_WITH_TUNER(pipeline_has_clusters_and_a_cooperative_grid, world.database)
{
    enum { N = 3000 };
    static float y[N], out[N];
    gputune_plan *plan = plan_measured(tuner, "tests/language/shares.cu", GPUTUNE_SIZES({"n", N}));
    fill(y, N);
    double sum = 0;
    for (int i = 0; i < N; i++) {
        sum += y[i] += 10;
    }
    CUdeviceptr dy = buffer_of(y, sizeof y);
    int n = N;
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&dy, &n)));
    CU(MemcpyDtoH(out, dy, sizeof out));
    for (int i = 0; i < N; i++) {
        assert_true(fabs(out[i] * sum - y[i]) < 1e-4 * y[i]);
    }
    gputune_function first = GPUTUNE_FUNCTION_INIT, second = GPUTUNE_FUNCTION_INIT;
    OK(gputune_plan_function(&first, plan, 0));
    OK(gputune_plan_function(&second, plan, 1));
    assert_false(first.cooperative);
    assert_true(second.cooperative);
    assert_int_equal(first.grid[0],
                     (15 + first.cluster[0] - 1) / first.cluster[0] * first.cluster[0]);
    assert_int_equal(second.cluster[0], 1);
}

static void assert_normalised(CUdeviceptr address, const float *y, int n)
{
    double sum = 0;
    GT_FREED float *out = calloc((size_t)n, sizeof *out);
    assert_non_null(out);
    CU(MemcpyDtoH(out, address, (size_t)n * sizeof *out));
    for (int i = 0; i < n; i++) {
        sum += (double)y[i] * y[i];
    }
    for (int i = 0; i < n; i++) {
        assert_true(fabs(out[i] - y[i] / sqrt(sum)) < 1e-4);
    }
}

TEST_WITH_TUNER(pipeline_is_launched_and_captured_in_order, world.database)
{
    enum { N = 5000 };
    static float y[N];
    gputune_plan *plan = plan_measured(tuner, "examples/normalise.cu", GPUTUNE_SIZES({"n", N}));
    fill(y, N);
    int n = N;
    CUdeviceptr dy = buffer_of(y, sizeof y);
    CUstream stream = stream_new();
    OK(gputune_launch(plan, stream, GPUTUNE_ARGS(&dy, &n)));
    CU(StreamSynchronize(stream));
    assert_normalised(dy, y, N);

    CU(StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(gputune_launch(plan, stream, GPUTUNE_ARGS(&dy, &n)));
    CUgraphExec replay = capture_end(stream);
    for (int i = 0; i < 2; i++) {
        CU(MemcpyHtoD(dy, y, sizeof y));
        CU(GraphLaunch(replay, stream));
        CU(StreamSynchronize(stream));
        assert_normalised(dy, y, N);
    }
    CU(GraphExecDestroy(replay));
    CU(StreamDestroy(stream));
}

TEST_WITH_TUNER(pipeline_describes_its_functions, world.database)
{
    gputune_plan *plan = plan_measured(tuner, "examples/normalise.cu", GPUTUNE_SIZES({"n", 2000}));
    gputune_function function = GPUTUNE_FUNCTION_INIT;
    gputune_parameter parameter = GPUTUNE_PARAMETER_INIT;
    OK(gputune_plan_function(&function, plan, 1));
    assert_string_equal(function.name, "scale");
    assert_int_equal(function.block[0], 256);
    assert_int_equal(function.grid[0], 8);
    assert_int_equal(function.parameter_count, 3);
    OK(gputune_plan_function(&function, plan, 0));
    assert_non_null(strstr(function.name, "sum_squares"));
    OK(gputune_plan_parameter(&parameter, plan, 0, 0));
    assert_string_equal(parameter.name, "partial");
    OK(gputune_plan_parameter(&parameter, plan, 1, 2));
    assert_string_equal(parameter.name, "partial");
    assert_int_equal(gputune_plan_parameter(&parameter, plan, 1, 3), GPUTUNE_ENOTFOUND);
    assert_int_equal(gputune_plan_function(&function, plan, 2), GPUTUNE_ENOTFOUND);
}

TESTS_WITHIN(open_h200, world_close)
