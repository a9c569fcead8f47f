/* Tests launches of plans on the emulated H200: every way to pass parameters, several streams and
 * threads, captures, and launches that do not fit the plan. */
#include "world.h"

enum { COUNT = 2003, ROUNDS = 12, N = 5003 };

static const char *const passing[] = {"value", "split", "constant", "global"};

static const char template_text[] =
    "#pragma gputune kernel(total)\n"
    "#pragma gputune problem(const COUNT = 2003)\n"
    "#pragma gputune pass(values : int[COUNT] = value, split, constant, global : index)\n"
    "#pragma gputune args(out int sum[1])\n"
    "#pragma gputune default(values = %s)\n"
    "#pragma gputune block(1)\n"
    "#pragma gputune grid(1)\n"
    "#pragma gputune reference(reference, block = 1, grid = 1)\n"
    "__global__ void total(GPUTUNE_PARAM(values) int *sum)\n"
    "{ int t = 0; for (int i = 0; i < COUNT; i++) t += values(i); *sum = t; }\n"
    "__global__ void reference(const int *values, int *sum)\n"
    "{ int t = 0; for (int i = 0; i < COUNT; i++) t += values[i]; *sum = t; }\n";

static const char vector_text[] =
    "#pragma gputune kernel(axpy4)\n"
    "#pragma gputune problem(n = 5003)\n"
    "#pragma gputune args(inout float y[n], in float x[n], float a = 1.5, size_t n)\n"
    "#pragma gputune vector(VEC = 1, 4 : x, y)\n"
    "#pragma gputune default(VEC = 4)\n"
    "#pragma gputune block(64)\n"
    "#pragma gputune grid(ceil_div(n, 64 * VEC))\n"
    "__global__ void axpy4(float *__restrict__ y, const float *__restrict__ x, float a, size_t n)\n"
    "{ gputune_each<VEC, 1>(n, [=](auto part) { auto sum = part.load(y); auto term = "
    "part.load(x);\n"
    "  for (int i = 0; i < part.count; i++) sum[i] += a * term[i];\n"
    "  part.store(y, sum); }); }\n";

/* Returns a plan of a template. The plan launches the default if the effort is `cached only`, and
 * VEC=4 if it is `measure`. */
static gputune_plan *plan_of(gputune *tuner, const char *text, const char *word,
                             gputune_effort effort)
{
    static const char *const only[] = {"VEC=4"};
    gputune_options options = OPTIONS();
    gputune_plan *plan;
    char path[96];
    snprintf(path, sizeof path, "%s/x%s.cu", world.folder, word);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (const char *at = text; *at; at++) {
        bool here = at[0] == '%' && at[1] == 's';
        fputs(here ? word : (char[]){*at, '\0'}, file);
        at += here;
    }
    fclose(file);
    options.effort = effort;
    options.only = only;
    options.only_count = effort >= GPUTUNE_MEASURE;
    OK(tune_kernel(&plan, tuner, path, GPUTUNE_NO_SIZES, &options));
    unlink(path);
    return plan;
}

static gputune_plan *plan_passing(gputune *tuner, const char *how)
{
    gputune_plan *plan = plan_of(tuner, template_text, how, GPUTUNE_CACHED_ONLY);
    assert_non_null(strstr(info_of(plan).configuration, how));
    return plan;
}

static int fill(int *values, int seed)
{
    int sum = 0;
    for (int i = 0; i < COUNT; i++) {
        values[i] = seed * 31 + i % 97;
        sum += values[i];
    }
    return sum;
}

static int sum_at(CUdeviceptr address)
{
    int sum;
    CU(MemcpyDtoH(&sum, address, sizeof sum));
    return sum;
}

typedef struct launcher {
    gputune_plan *plan;
    CUstream stream;
    CUdeviceptr sums[ROUNDS];
    int expected[ROUNDS], id, failures;
} launcher;

static void *launch_rounds(void *user)
{
    launcher *self = user;
    int values[COUNT];
    self->failures += world.driver->CtxSetCurrent(world.context) != CUDA_SUCCESS;
    for (int i = 0; i < ROUNDS; i++) {
        self->expected[i] = fill(values, self->id * 100 + i);
        self->failures +=
            gputune_launch(self->plan, self->stream, GPUTUNE_ARGS(values, &self->sums[i])) < 0;
        memset(values, -1, sizeof values);
    }
    return NULL;
}

/* Launches from two threads, which share one stream or use one stream each. */
static void launch_from_two_threads(gputune_plan *plan, bool one_stream)
{
    launcher both[2];
    pthread_t threads[2];
    CUstream streams[2] = {stream_new(), stream_new()};
    const int zero[ROUNDS] = {0};
    for (int t = 0; t < 2; t++) {
        both[t] = (launcher){.plan = plan, .stream = streams[one_stream ? 0 : t], .id = t + 1};
        CUdeviceptr base = buffer_of(zero, sizeof zero);
        for (int i = 0; i < ROUNDS; i++) {
            both[t].sums[i] = base + 4 * (unsigned)i;
        }
        assert_int_equal(pthread_create(&threads[t], NULL, launch_rounds, &both[t]), 0);
    }
    for (int t = 0; t < 2; t++) {
        pthread_join(threads[t], NULL);
    }
    for (int t = 0; t < 2; t++) {
        CU(StreamSynchronize(streams[t]));
    }
    for (int t = 0; t < 2; t++) {
        assert_int_equal(both[t].failures, 0);
        for (int i = 0; i < ROUNDS; i++) {
            assert_int_equal(sum_at(both[t].sums[i]), both[t].expected[i]);
        }
        CU(MemFree(both[t].sums[0]));
        CU(StreamDestroy(streams[t]));
    }
}

TEST_WITH_TUNER(parameters_are_passed_from_two_threads, ":memory:")
{
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++) {
        gputune_plan *plan = plan_passing(tuner, passing[i]);
        launch_from_two_threads(plan, false);
        launch_from_two_threads(plan, true);
        gputune_plan_release(plan);
    }
}

TEST_WITH_TUNER(captured_launch_keeps_its_parameters, ":memory:")
{
    CUstream stream = stream_new();
    int values[COUNT], zero = 0;
    CUdeviceptr sum = buffer_of(&zero, sizeof zero), other = buffer_of(&zero, sizeof zero);
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++) {
        gputune_plan *plan = plan_passing(tuner, passing[i]);
        int expected = fill(values, 5);
        CU(StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
        OK(gputune_launch(plan, stream, GPUTUNE_ARGS(values, &sum)));
        CUgraphExec exec = capture_end(stream);
        for (int replay = 0; replay < 2; replay++) {
            int others = fill(values, 6 + replay);
            CU(MemsetD32(sum, 0, 1));
            OK(gputune_launch(plan, stream, GPUTUNE_ARGS(values, &other)));
            CU(GraphLaunch(exec, stream));
            CU(StreamSynchronize(stream));
            assert_int_equal(sum_at(sum), expected);
            assert_int_equal(sum_at(other), others);
        }
        CU(GraphExecDestroy(exec));
        gputune_plan_release(plan);
    }
    CU(StreamDestroy(stream));
}

typedef struct vectors {
    gputune *tuner;
    gputune_plan *plan;
    CUdeviceptr x, y;
    float host_x[N + 8], host_y[N + 8];
} vectors;

static vectors *vectors_open(gputune_effort effort)
{
    static vectors v;
    v.tuner = tuner_open(":memory:");
    v.plan = plan_of(v.tuner, vector_text, "", effort);
    assert_non_null(strstr(info_of(v.plan).configuration, "VEC=4"));
    for (int i = 0; i < N + 8; i++) {
        v.host_x[i] = (float)(i % 13);
        v.host_y[i] = (float)(i % 7);
    }
    v.x = buffer_of(v.host_x, sizeof v.host_x);
    v.y = buffer_of(v.host_y, sizeof v.host_y);
    return &v;
}

static void vectors_close(vectors *v)
{
    CU(MemFree(v->x));
    CU(MemFree(v->y));
    gputune_plan_release(v->plan);
    gputune_close(v->tuner);
}

/* Launches on x and y shifted by `skip` elements. Returns the number of wrong results. */
static int launch_skipping(vectors *v, unsigned skip)
{
    static float result[N + 8];
    CUdeviceptr x = v->x + 4 * skip, y = v->y + 4 * skip;
    float a = 2;
    size_t n = N;
    int wrong = 0;
    CU(MemcpyHtoD(v->y, v->host_y, sizeof v->host_y));
    OK(gputune_launch(v->plan, NULL, GPUTUNE_ARGS(&y, &x, &a, &n)));
    CU(CtxSynchronize());
    CU(MemcpyDtoH(result, v->y, sizeof result));
    for (unsigned i = 0; i < N + 8; i++) {
        bool inside = i >= skip && i < N + skip;
        wrong += result[i] != v->host_y[i] + (inside ? a * v->host_x[i] : 0);
    }
    return wrong;
}

TEST(misaligned_buffer_takes_the_fallback)
{
    vectors *v = vectors_open(GPUTUNE_MEASURE);
    for (unsigned skip = 0; skip < 5; skip++) {
        assert_int_equal(launch_skipping(v, skip), 0);
    }
    vectors_close(v);
}

TEST(refused_calls_launch_nothing)
{
    vectors *v = vectors_open(GPUTUNE_CACHED_ONLY);
    float a = 2;
    size_t n = N - 1;
    CUdeviceptr odd = v->y + 2, next = v->y + 4;
    ASSERT_FAILS(gputune_launch(v->plan, NULL, GPUTUNE_ARGS(&v->y, &v->x, &a)), GPUTUNE_EINVAL,
                 "takes 4 arguments, but got 3");
    ASSERT_FAILS(gputune_launch(v->plan, NULL, GPUTUNE_ARGS(&v->y, &v->x, &a, &n)), GPUTUNE_EINVAL,
                 "but was launched with ");
    n = N;
    ASSERT_FAILS(gputune_launch(v->plan, NULL, GPUTUNE_ARGS(&odd, &v->x, &a, &n)), GPUTUNE_EINVAL,
                 "not aligned to its elements");
    assert_int_equal(gputune_launch(v->plan, NULL, GPUTUNE_ARGS(&next, &v->x, &a, &n)),
                     GPUTUNE_EINVAL);
    CU(CtxSynchronize());
    static float result[N + 8];
    CU(MemcpyDtoH(result, v->y, sizeof result));
    assert_memory_equal(result, v->host_y, sizeof result);
    assert_int_equal(launch_skipping(v, 0), 0);
    vectors_close(v);
}

TEST_WITH_TUNER(size_is_passed_as_a_float, ":memory:")
{
    static const char text[] =
        "#pragma gputune kernel(fill) problem(n = 50) args(out int y[n], float n) block(50) "
        "grid(1)\n"
        "#pragma gputune tune(ADD = 0, 1)\n"
        "__global__ void fill(int *y, float n) { y[threadIdx.x] = n + ADD; }\n";
    const int zeros[50] = {0};
    const float n = 50;
    CUdeviceptr y = buffer_of(zeros, sizeof zeros);
    gputune_plan *plan = plan_of(tuner, text, "", GPUTUNE_CACHED_ONLY);
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&y, &n)));
    assert_int_equal(sum_at(y), 50);
    gputune_plan_release(plan);
    CU(MemFree(y));
}

TESTS_WITHIN(open_h200, world_close)
