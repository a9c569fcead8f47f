/* Tests loops of launches on the emulated H200. They are tuned, verified and launched as a
 * whole. */
#include "world.h"

static int rising(const void *a, const void *b)
{
    const unsigned *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void assert_sorted(CUdeviceptr address, const unsigned *sorted, size_t count)
{
    GT_FREED unsigned *out = calloc(count, sizeof *out);
    assert_non_null(out);
    CU(MemcpyDtoH(out, address, count * sizeof *out));
    assert_memory_equal(out, sorted, count * sizeof *out);
}

/* Nested loops make 55 launches, which can also be the nodes of one graph. */
TEST_WITH_TUNER(loops_sort, world.database)
{
    enum { N = 1024 };
    static unsigned x[N], sorted[N];
    gputune_plan *plan = plan_measured(tuner, "examples/bitonic.cu", GPUTUNE_SIZES({"n", N}));
    assert_int_equal(info_of(plan).failed, 0);
    for (unsigned i = 0; i < N; i++) {
        sorted[i] = x[i] = i * 2654435761u;
    }
    qsort(sorted, N, sizeof *sorted, rising);
    int n = N;
    CUdeviceptr dx = buffer_of(x, sizeof x);
    CUstream stream = stream_new();
    OK(gputune_launch(plan, stream, GPUTUNE_ARGS(&dx, &n)));
    CU(StreamSynchronize(stream));
    assert_sorted(dx, sorted, N);
    assert_non_null(strstr(info_of(plan).grids, "(55 times)"));

    CU(StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(gputune_launch(plan, stream, GPUTUNE_ARGS(&dx, &n)));
    CUgraphExec replay = capture_end(stream);
    CU(MemcpyHtoD(dx, x, sizeof x));
    CU(GraphLaunch(replay, stream));
    CU(StreamSynchronize(stream));
    assert_sorted(dx, sorted, N);
    CU(GraphExecDestroy(replay));
    CU(StreamDestroy(stream));
}

TEST_WITH_TUNER(loops_follow_the_size_of_the_plan, world.database)
{
    enum { N = 256 };
    static unsigned x[N], sorted[N];
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    OK(tune_kernel(&plan, tuner, "examples/bitonic.cu", GPUTUNE_SIZES({"n", N}),
                   &OPTIONS(.effort = GPUTUNE_CACHED_ONLY)));
    for (unsigned i = 0; i < N; i++) {
        sorted[i] = x[i] = i * 2654435761u;
    }
    qsort(sorted, N, sizeof *sorted, rising);
    int n = N;
    CUdeviceptr dx = buffer_of(x, sizeof x);
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&dx, &n)));
    CU(CtxSynchronize());
    assert_sorted(dx, sorted, N);
}

/* Kernels are passed addresses in the middle of a buffer and in the middle of scratch memory. */
TEST_WITH_TUNER(loops_pass_addresses_of_elements, world.database)
{
    enum { ROWS = 9, N = 3000 };
    static float y[ROWS * N], out[ROWS * N];
    gputune_plan *plan = plan_measured(tuner, "tests/language/middle.cu", GPUTUNE_SIZES({"n", N}));
    assert_int_equal(info_of(plan).failed, 0);
    for (int i = 0; i < ROWS * N; i++) {
        y[i] = (float)(i % 1009);
    }
    int n = N;
    CUdeviceptr dy = buffer_of(y, sizeof y);
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&dy, &n)));
    CU(CtxSynchronize());
    CU(MemcpyDtoH(out, dy, sizeof out));
    for (int i = 0; i < ROWS * N; i++) {
        y[i] += i >= N ? y[i - N] : 0;
        assert_true(out[i] == y[i]);
    }
}

TEST_WITH_TUNER(loops_decompose_a_matrix, world.database)
{
    enum { N = 40 };
    static float a[N * N], out[N * N];
    static double lu[N * N];
    gputune_plan *plan = plan_measured(tuner, "tests/language/lu.cu", GPUTUNE_SIZES({"n", N}));
    assert_int_equal(info_of(plan).failed, 0);
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i * 37 % 101) / 101 + (i % (N + 1) == 0 ? N : 0);
        lu[i] = a[i];
    }
    for (int k = 0; k < N; k++) {
        for (int i = k + 1; i < N; i++) {
            lu[i * N + k] /= lu[k * N + k];
            for (int j = k + 1; j < N; j++) {
                lu[i * N + j] -= lu[i * N + k] * lu[k * N + j];
            }
        }
    }
    int n = N;
    CUdeviceptr da = buffer_of(a, sizeof a);
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&da, &n)));
    CU(CtxSynchronize());
    CU(MemcpyDtoH(out, da, sizeof out));
    for (int i = 0; i < N * N; i++) {
        assert_true(fabs(out[i] - lu[i]) < 1e-4 * N);
    }
    gputune_function function = GPUTUNE_FUNCTION_INIT;
    ASSERT_FAILS(gputune_plan_function(&function, plan, 0), GPUTUNE_EUNSUPPORTED,
                 "expected gputune_launch()");
}

/* After an odd number of steps, an additional launch copies the result to the right buffer. */
TEST_WITH_TUNER(loops_swap_buffers_of_a_stencil, world.database)
{
    enum { N = 500 };
    static float x[N], out[N], now[N], next[N];
    for (int steps = 4; steps <= 5; steps++) {
        gputune_plan *plan = plan_measured(tuner, "tests/language/stencil.cu",
                                           GPUTUNE_SIZES({"n", N}, {"steps", steps}));
        assert_int_equal(info_of(plan).failed, 0);
        for (int i = 0; i < N; i++) {
            now[i] = x[i] = (float)(i % 17);
        }
        for (int t = 0; t < steps; t++) {
            for (int i = 0; i < N; i++) {
                next[i] =
                    0.25F * now[i ? i - 1 : 0] + 0.5F * now[i] + 0.25F * now[i < N - 1 ? i + 1 : i];
            }
            memcpy(now, next, sizeof now);
        }
        int n = N;
        CUdeviceptr dx = buffer_of(x, sizeof x);
        OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&dx, &n, &steps)));
        CU(CtxSynchronize());
        CU(MemcpyDtoH(out, dx, sizeof out));
        for (int i = 0; i < N; i++) {
            assert_true(fabsf(out[i] - now[i]) < 1e-4F);
        }
        gputune_plan_release(plan);
    }
}

typedef struct seen {
    char ok[64], wrong[64];
} seen;

static int note(void *user, const gputune_record *record)
{
    seen *s = user;
    char *to = strcmp(record->status, "ok") == 0      ? s->ok
               : strcmp(record->status, "wrong") == 0 ? s->wrong
                                                      : NULL;
    assert_non_null(to);
    snprintf(to, sizeof s->ok, "%s", record->configuration);
    return 0;
}

TEST(wrong_loop_is_refused)
{
    static const char text[] =
        "#pragma gputune kernel(total) problem(n = 64)\n"
        "#pragma gputune args(inout int y[n] = uniform(0, 9), int n)\n"
        "#pragma gputune tune(LESS = 0, 1)\n"
        "#pragma gputune for(i = 1; i < n - LESS; ++i)\n"
        "#pragma gputune launch(add, block = 1, grid = 1, args = (y, i))\n"
        "#pragma gputune reference(sums, block = 1, grid = 1)\n"
        "__global__ void add(int *y, int i) { y[i] += y[i - 1]; }\n"
        "__global__ void sums(int *y, int n) { for (int i = 1; i < n; i++) y[i] += y[i - 1]; }\n";
    static const char *const configurations[] = {NULL, "LESS=1"};
    seen s = {"", ""};
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    OK(gputune_add_source(tuner, "total.cu", text, NULL));
    OK(gputune_run(tuner, "total", GPUTUNE_SIZES({"n", 64}), configurations, 2, NULL, note, &s));
    assert_string_equal(s.ok, "LESS=0");
    assert_string_equal(s.wrong, "LESS=1");
}

TESTS_WITHIN(open_device, world_close)
