/* Tests structs that are passed by value and contain pointers to buffers. These buffers must be
 * verified, and a plan must launch the kernel in the same way as the program would. */
#include "world.h"

enum { N = 5003 };

/* Computes y = 3 x[index] + shift, and sets count to n. With STEPS=2 one element is wrong. */
static const char template_text[] =
    "#pragma gputune kernel(triple)\n"
    "#pragma gputune problem(n = 5003)\n"
    "#pragma gputune args(Grid g = {.in.shift = 2, .n = n}, float factor = 3)\n"
    "#pragma gputune args(out float g.y[n], in float g.in.x[n], in int g.index[n] = n - 1 - "
    "index)\n"
    "#pragma gputune args(out unsigned int g.count[1], const unsigned char *g.names = null)\n"
    "#pragma gputune tune(STEPS = 1, 2) vector(VEC = 1, 4 : g.in.x) clear(g.count)\n"
    "#pragma gputune default(VEC = 4) block(64) grid(ceil_div(n, 64)) scratch(int s[4])\n"
    "#pragma gputune reference(right)\n"
    "struct Input { float const *__restrict__ x; float shift; };\n"
    "struct Grid { const unsigned char *names; Input in; float *y; unsigned *count;\n"
    "              const int *index; int n; };\n"
    "__global__ void triple(Grid g, float factor, int *s)\n"
    "{ int i = blockIdx.x * 64 + threadIdx.x; if (i >= g.n) return;\n"
    "  float a = VEC == 4 && i < 4 ? ((const float4 *)g.in.x)[0].x : g.in.x[0]; s[i & 3] = i;\n"
    "  g.y[i] = factor * g.in.x[g.index[i]] + g.in.shift + 0 * a;\n"
    "  if (STEPS == 2 && i == 70) g.y[i] += 1;\n"
    "  if (!g.names) atomicAdd(g.count, 1u); }\n"
    "__global__ void right(Grid g, float factor)\n"
    "{ int i = blockIdx.x * 256 + threadIdx.x; if (i >= g.n) return;\n"
    "  g.y[i] = factor * g.in.x[g.n - 1 - i] + g.in.shift; atomicAdd(g.count, 1u); }\n";

typedef struct grid {
    CUdeviceptr names;
    struct {
        CUdeviceptr x;
        float shift;
    } in;
    CUdeviceptr y, count, index;
    int n;
} grid;

static gputune *tuner_new(void)
{
    gputune *tuner = tuner_open(":memory:");
    OK(gputune_add_source(tuner, "triple.cu", template_text, NULL));
    return tuner;
}

/* Runs `configuration` together with a correct one. Returns the result of `configuration`. */
static noted prove(const char *configuration)
{
    const char *const both[] = {"VEC=4 STEPS=1", configuration};
    noted last = {"", ""};
    GT_SCOPED(tuner_end) gputune *tuner = tuner_new();
    OK(gputune_run(tuner, "triple", GPUTUNE_SIZES({"n", N}), both, 2, &OPTIONS(), note_record,
                   &last));
    return last;
}

TEST(buffers_of_a_struct_are_verified)
{
    noted last = prove("VEC=1 STEPS=1");
    assert_string_equal(last.message, "");
    assert_string_equal(last.status, "ok");
    last = prove("VEC=1 STEPS=2");
    assert_string_equal(last.status, "wrong");
    assert_non_null(strstr(last.message, "g.y[70]"));
}

static grid grid_at(CUdeviceptr at)
{
    int index[N];
    for (int i = 0; i < N; i++) {
        index[i] = N - 1 - i;
    }
    const CUdeviceptr bytes = (N + 1) * sizeof(float);
    return (grid){.in = {at, 2},
                  .y = at + bytes,
                  .count = at + 2 * bytes,
                  .index = buffer_of(index, sizeof index),
                  .n = N};
}

static void expect_result(const grid *g)
{
    float result;
    unsigned count;
    CU(CtxSynchronize());
    CU(MemcpyDtoH(&result, g->y, sizeof result));
    CU(MemcpyDtoH(&count, g->count, sizeof count));
    assert_float_equal(result, 3.0 * (N - 1) + 2, 0);
    assert_int_equal(count, N);
}

TEST(struct_of_the_program_is_passed)
{
    GT_FREED float *values = calloc(3 * N, sizeof *values);
    float factor = 3;
    GT_SCOPED(tuner_end) gputune *tuner = tuner_new();
    gputune_plan *plan = plan_untuned(tuner, "triple", GPUTUNE_SIZES({"n", N}));
    for (int i = 0; i < N; i++) {
        values[i] = (float)i;
    }
    CUdeviceptr at = buffer_of(values, 3 * N * sizeof *values);
    grid g = grid_at(at);
    assert_int_equal(info_of(plan).arguments, 2);
    for (int i = 0; i < 2; i++) {
        OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&g, &factor)));
        expect_result(&g);
    }
    g.n--;
    ASSERT_FAILS(gputune_launch(plan, NULL, GPUTUNE_ARGS(&g, &factor)), GPUTUNE_EINVAL,
                 "this plan is for n = 5003, but was launched with 5002");
    ASSERT_OK(gputune_plan_check_argument(plan, 0, sizeof g));
    ASSERT_FAILS(gputune_plan_check_argument(plan, 2, 8), GPUTUNE_EINVAL, "no argument 2");
    CU(MemFree(g.index));
}

typedef struct vectors {
    CUdeviceptr y, x;
    int n;
} vectors;

/* Tests kernels that take structs in device memory and an array of addresses. An init() kernel
 * fills these buffers for proofs; the program fills them for its own launches. */
TEST_WITH_TUNER(structs_in_device_memory_are_passed, ":memory:")
{
    enum { M = 7, ROW = 1000 };
    static float x[M * ROW], y[M * ROW], w[M];
    gputune_options options = OPTIONS();
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    OK(tune_kernel(&plan, tuner, "tests/language/batch.cu", GPUTUNE_SIZES({"n", ROW}), &options));
    assert_int_equal(info_of(plan).failed, 0);
    vectors batch[M];
    CUdeviceptr weights[M];
    for (int i = 0; i < M * ROW; i++) {
        x[i] = (float)i;
        w[i % M] = (float)(i % M);
    }
    CUdeviceptr dx = buffer_of(x, sizeof x), dy = buffer_of(y, sizeof y),
                dw = buffer_of(w, sizeof w);
    for (unsigned i = 0; i < M; i++) {
        batch[i] = (vectors){dy + i * ROW * sizeof *y, dx + i * ROW * sizeof *x, ROW};
        weights[i] = dw + i * sizeof *w;
    }
    CUdeviceptr db = buffer_of(batch, sizeof batch), da = buffer_of(weights, sizeof weights);
    int n = ROW;
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&db, &da, &dy, &dx, &dw, &n)));
    CU(CtxSynchronize());
    CU(MemcpyDtoH(y, dy, sizeof y));
    for (int i = 0; i < M * ROW; i++) {
        assert_float_equal(y[i], w[i / ROW] * x[i], 0);
    }
}

TEST(addresses_in_a_struct_are_checked)
{
    float factor = 3, *values = calloc(3 * N, sizeof *values);
    GT_SCOPED(tuner_end) gputune *tuner = tuner_new();
    gputune_plan *plan = plan_untuned(tuner, "triple", GPUTUNE_SIZES({"n", N}));
    CUdeviceptr at = buffer_of(values, 3 * N * sizeof *values);
    const grid right = grid_at(at);
    grid g = right;
    g.y = g.in.x + 4;
    ASSERT_FAILS(gputune_launch(plan, NULL, GPUTUNE_ARGS(&g, &factor)), GPUTUNE_EINVAL,
                 "the output g.y (20012 bytes");
    g = right;
    g.index += 2;
    ASSERT_FAILS(gputune_launch(plan, NULL, GPUTUNE_ARGS(&g, &factor)), GPUTUNE_EINVAL,
                 "g.index = ");
    g = right;
    g.n--;
    ASSERT_FAILS(gputune_launch(plan, NULL, GPUTUNE_ARGS(&g, &factor)), GPUTUNE_EINVAL,
                 "launched with 5002");
    ASSERT_FAILS(gputune_launch(plan, NULL, GPUTUNE_ARGS((grid *)NULL, &factor)), GPUTUNE_EINVAL,
                 "argument 1 is a NULL pointer");
    ASSERT_FAILS(gputune_launch(plan, NULL, GPUTUNE_ARGS(&g, &factor, &g.y)), GPUTUNE_EINVAL,
                 "takes 2 arguments, but got 3");
    CU(MemFree(right.index));
    free(values);
}

TESTS_WITHIN(open_device, world_close)
