/* Tests graphs that are replayed after their plan and tuner are closed, and launches on streams
 * with different priorities. Runs on a GPU with GPUTUNE_TEST_DRIVER=cuda. */
#include "world.h"

enum { N = 1000 };

static const char plain[] = "#pragma gputune kernel(%s)\n"
                            "#pragma gputune problem(n = 1000)\n"
                            "#pragma gputune args(inout float y[n], size_t n)\n"
                            "#pragma gputune block(64)\n"
                            "#pragma gputune grid(ceil_div(n, 64))\n"
                            "__global__ void %s(float *y, size_t n)\n"
                            "{ size_t i = (size_t)blockIdx.x * 64 + threadIdx.x;\n"
                            "  if (i < n) y[i] += 1; }\n";

static const char with_scratch[] = "#pragma gputune kernel(%s)\n"
                                   "#pragma gputune problem(n = 1000)\n"
                                   "#pragma gputune args(inout float y[n], size_t n)\n"
                                   "#pragma gputune scratch(float part[n])\n"
                                   "#pragma gputune clear(part)\n"
                                   "#pragma gputune block(64)\n"
                                   "#pragma gputune grid(ceil_div(n, 64))\n"
                                   "__global__ void %s(float *y, size_t n, float *part)\n"
                                   "{ size_t i = (size_t)blockIdx.x * 64 + threadIdx.x;\n"
                                   "  if (i < n) { part[i] += 1; y[i] += part[i]; } }\n";

/* Returns a plan for the default of a template. %s in `text` stands for the kernel's name. */
static gputune_plan *plan_of(gputune *tuner, const char *text, const char *name)
{
    char source[1024];
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gputune_plan *plan;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(source, sizeof source, text, name, name);
#pragma GCC diagnostic pop
    options.effort = GPUTUNE_CACHED_ONLY;
    OK(gputune_add_source(tuner, name, source, NULL));
    OK(tune_kernel(&plan, tuner, name, GPUTUNE_SIZES({"n", N}), &options));
    return plan;
}

/* Captures two launches of one plan and one of another plan, then releases everything except the
 * graph. */
static CUgraphExec captured(const char *text, CUdeviceptr y, CUstream stream)
{
    gputune *tuner = tuner_open(":memory:");
    gputune_plan *one = plan_of(tuner, text, "one"), *two = plan_of(tuner, text, "two");
    size_t n = N;
    CU(StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    OK(gputune_launch(one, stream, GPUTUNE_ARGS(&y, &n)));
    OK(gputune_launch(one, stream, GPUTUNE_ARGS(&y, &n)));
    OK(gputune_launch(two, stream, GPUTUNE_ARGS(&y, &n)));
    CUgraphExec exec = capture_end(stream);
    gputune_plan_release(one);
    gputune_plan_release(two);
    gputune_close(tuner);
    return exec;
}

static float replayed(CUgraphExec exec, CUdeviceptr y, CUstream stream)
{
    float values[N];
    for (int i = 0; i < 3; i++) {
        CU(GraphLaunch(exec, stream));
    }
    CU(StreamSynchronize(stream));
    CU(MemcpyDtoH(values, y, sizeof values));
    return values[N - 1];
}

static void graph_outlives_plan(const char *text)
{
    static const float zeros[N];
    CUstream stream = stream_new();
    CUdeviceptr y = buffer_of(zeros, sizeof zeros);
    CUgraphExec exec = captured(text, y, stream);
    assert_float_equal(replayed(exec, y, stream), 9, 0);
    CU(GraphExecDestroy(exec));
    CU(MemFree(y));
    CU(StreamDestroy(stream));
}

TEST(plain_launch_outlives_its_plan_in_a_graph)
{
    graph_outlives_plan(plain);
}

TEST(launch_with_scratch_outlives_its_plan_in_a_graph)
{
    graph_outlives_plan(with_scratch);
}

/* After a graph is destroyed, its objects are released when the next plan is made or freed. Not
 * tested on a GPU, because other processes use its memory and the driver decides when to release
 * objects. */
TEST(objects_that_a_graph_kept_are_released_after_it)
{
    SKIP_IF(!world.driver->EmuProfileName);
    size_t before, after, total;
    static const float zeros[N];
    CUstream stream = stream_new();
    CUdeviceptr y = buffer_of(zeros, sizeof zeros);
    graph_outlives_plan(with_scratch);
    CU(GraphExecDestroy(captured(plain, y, stream)));
    CU(GraphExecDestroy(captured(with_scratch, y, stream)));
    graph_outlives_plan(plain);
    CU(MemGetInfo(&before, &total));
    for (int i = 0; i < 5; i++) {
        graph_outlives_plan(with_scratch);
    }
    graph_outlives_plan(plain);
    CU(MemGetInfo(&after, &total));
    assert_int_equal(before, after);
    CU(MemFree(y));
    CU(StreamDestroy(stream));
}

TEST_WITH_TUNER(stream_of_another_priority_serves, ":memory:")
{
    static const float zeros[N];
    float values[N];
    size_t n = N;
    CUstream stream;
    CU(StreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -1));
    GT_SCOPED(plan_end) gputune_plan *plan = plan_of(tuner, with_scratch, "one");
    CUdeviceptr y = buffer_of(zeros, sizeof zeros);
    OK(gputune_launch(plan, stream, GPUTUNE_ARGS(&y, &n)));
    CU(StreamSynchronize(stream));
    CU(MemcpyDtoH(values, y, sizeof values));
    assert_float_equal(values[N - 1], 1, 0);
    CU(StreamDestroy(stream));
}

TESTS_WITHIN(open_device, world_close)
