/* Tests programs that launch a plan's kernel themselves, using the plan's description. Runs on a
 * GPU with GPUTUNE_TEST_DRIVER=cuda. */
#include "world.h"

enum { PARAMETERS = 16 };

typedef struct reported {
    gputune_function function;
    gputune_parameter parameters[PARAMETERS];
} reported;

static reported describe_functions(gputune_plan *plan)
{
    reported out = {.function = {.size = sizeof(gputune_function)}};
    OK(gputune_plan_function(&out.function, plan, 0));
    assert_in_range(out.function.parameter_count, 1, PARAMETERS);
    for (uint32_t i = 0; i < out.function.parameter_count; i++) {
        out.parameters[i].size = sizeof(gputune_parameter);
        OK(gputune_plan_parameter(&out.parameters[i], plan, 0, i));
    }
    return out;
}

static gputune_plan *default_plan(gputune *tuner, const char *text, gputune_sizes sizes)
{
    gputune_plan *plan;
    if (text) {
        OK(gputune_add_source(tuner, "told.cu", text, NULL));
    }
    OK(tune_kernel(&plan, tuner, text ? "told" : "axpy", sizes,
                   &OPTIONS(.effort = GPUTUNE_CACHED_ONLY)));
    return plan;
}

static void launch_as_reported(const gputune_function *f, CUfunction function, void **parameters)
{
    CUlaunchConfig config = {f->grid[0],  f->grid[1],      f->grid[2], f->block[0], f->block[1],
                             f->block[2], f->shared_bytes, NULL,       NULL,        0};
    CU(LaunchKernelEx(&config, function, parameters, NULL));
    CU(CtxSynchronize());
}

TEST_WITH_TUNER(plain_kernel_is_launched_by_its_function, ":memory:")
{
    size_t n = 1000;
    float x[1000], y[1000], a = 3;
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    GT_SCOPED(plan_end) gputune_plan *plan = default_plan(tuner, NULL, GPUTUNE_SIZES({"n", n}));
    reported t = describe_functions(plan);
    assert_string_equal(t.function.name, "axpy");
    assert_string_equal(t.function.sizes, "n=1000 T=float");
    assert_int_equal(t.function.parameter_count, 4);
    assert_int_equal(t.function.constant_count, 0);
    assert_int_equal(t.function.block[0], 256);
    assert_int_equal(t.function.grid[0], 4);
    assert_true(t.function.image_bytes > 0 && t.function.image);
    const gputune_parameter *y_reported = &t.parameters[0], *a_reported = &t.parameters[2],
                            *n_reported = &t.parameters[3];
    assert_int_equal(y_reported->kind, GPUTUNE_PARAMETER_BUFFER);
    assert_string_equal(y_reported->name, "y");
    assert_string_equal(y_reported->type, "float");
    assert_int_equal(y_reported->buffer_bytes, 4 * n);
    assert_int_equal(y_reported->alignment, 16);
    assert_true(y_reported->is_input && y_reported->is_output && !t.parameters[1].is_output);
    assert_int_equal(a_reported->kind, GPUTUNE_PARAMETER_SCALAR);
    assert_int_equal(a_reported->bytes, 4);
    assert_false(a_reported->is_size);
    assert_true(n_reported->is_size);
    assert_int_equal(n_reported->size_value, n);
    assert_int_equal(n_reported->argument, 3);
    CUdeviceptr dx = buffer_of(x, sizeof x), dy = buffer_of(y, sizeof y);
    launch_as_reported(&t.function, t.function.function, (void *[]){&dy, &dx, &a, &n});
    CU(MemcpyDtoH(y, dy, sizeof y));
    assert_float_equal(y[999], 1 + 3 * 999.0F, 0);
}

static const char with_scratch[] =
    "#pragma gputune kernel(told)\n"
    "#pragma gputune args(out unsigned int sum[1])\n"
    "#pragma gputune scratch(unsigned int part[32])\n"
    "#pragma gputune clear(part)\n"
    "#pragma gputune block(32)\n"
    "#pragma gputune grid(1)\n"
    "__global__ void told(unsigned int *sum, unsigned int *part)\n"
    "{ part[threadIdx.x] += threadIdx.x; __syncthreads();\n"
    "  if (threadIdx.x == 0) { *sum = 0; for (int i = 0; i < 32; i++) *sum += part[i]; } }\n";

TEST_WITH_TUNER(scratch_is_passed_by_the_caller, ":memory:")
{
    gputune_plan *plan = default_plan(tuner, with_scratch, (gputune_sizes){0, NULL});
    reported t = describe_functions(plan);
    assert_int_equal(t.function.parameter_count, 2);
    const gputune_parameter *part = &t.parameters[1];
    assert_int_equal(part->kind, GPUTUNE_PARAMETER_SCRATCH);
    assert_string_equal(part->name, "part");
    assert_string_equal(part->type, "unsigned int");
    assert_int_equal(part->argument, -1);
    assert_int_equal(part->buffer_bytes, 128);
    assert_true(part->cleared);
    unsigned sum = 0;
    CUdeviceptr dsum = buffer_of(&sum, sizeof sum), dpart;
    CU(MemAlloc(&dpart, part->buffer_bytes));
    CU(MemsetD8(dpart, 0, part->buffer_bytes));
    launch_as_reported(&t.function, t.function.function, (void *[]){&dsum, &dpart});
    CU(MemcpyDtoH(&sum, dsum, sizeof sum));
    assert_int_equal(sum, 496);
}

/* The parameter `value` is computed by launch(), so it is not one of the plan's arguments. */
TEST_WITH_TUNER(value_is_described, ":memory:")
{
    static const char text[] =
        "#pragma gputune kernel(told) problem(n = 4096) tune(T = 7, 8) args(out int y[n])\n"
        "#pragma gputune launch(k, block = 32, grid = 1, args = (y, n / T))\n"
        "__global__ void k(int *y, short value) { y[threadIdx.x] = value; }\n";
    int y[64] = {0};
    gputune_plan *plan = default_plan(tuner, text, GPUTUNE_SIZES({"n", 64}));
    reported t = describe_functions(plan);
    const gputune_parameter *value = &t.parameters[1];
    assert_int_equal(value->kind, GPUTUNE_PARAMETER_SCALAR);
    assert_string_equal(value->name, "n / T");
    assert_string_equal(value->type, "short");
    assert_int_equal(value->argument, -1);
    assert_int_equal(value->bytes, 2);
    assert_int_equal(value->size_value, 9);
    CUdeviceptr dy = buffer_of(y, sizeof y);
    short passed = 5;
    launch_as_reported(&t.function, t.function.function, (void *[]){&dy, &passed});
    CU(MemcpyDtoH(y, dy, sizeof y));
    assert_int_equal(y[31], 5);
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&dy)));
    CU(MemcpyDtoH(y, dy, sizeof y));
    assert_int_equal(y[31], 9);
}

static char *passed_as(const char *word)
{
    char *text;
    OK(gt_format(&text,
                 "#pragma gputune kernel(told)\n"
                 "#pragma gputune pass(values : int[2000] = value, split, constant, global : "
                 "index)\n"
                 "#pragma gputune args(out int sum[1])\n"
                 "#pragma gputune default(values = %s)\n"
                 "#pragma gputune block(1)\n"
                 "#pragma gputune grid(1)\n"
                 "__global__ void told(GPUTUNE_PARAM(values) int *sum)\n"
                 "{ int t = 0; for (int i = 0; i < 2000; i++) t += values(i); *sum = t; }\n",
                 word));
    return text;
}

/* Sets a constant of a module that the program itself loaded, and launches from this module. */
static int launched_from_image(const reported *t, const int *values)
{
    CUmodule module;
    CUfunction function;
    CUdeviceptr symbol, block;
    size_t bytes;
    int sum = 0;
    const gputune_function *f = &t->function;
    CU(ModuleLoadData(&module, f->image));
    CU(ModuleGetFunction(&function, module, f->name));
    for (uint32_t i = 0; i < f->constant_count; i++) {
        const gputune_constant *constant = &f->constants[i];
        CU(ModuleGetGlobal(&symbol, &bytes, module, constant->symbol));
        CU(MemcpyHtoD(symbol, (const char *)values + constant->offset, constant->bytes));
    }
    CUdeviceptr dsum = buffer_of(&sum, sizeof sum);
    CU(MemAlloc(&block, 2000 * sizeof *values));
    CU(MemcpyHtoD(block, values, 2000 * sizeof *values));
    void *parameters[2];
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        bool is_block = t->parameters[i].kind == GPUTUNE_PARAMETER_BLOCK;
        parameters[i] = !is_block                     ? (void *)&dsum
                        : t->parameters[i].by_address ? (void *)&block
                                                      : (void *)(uintptr_t)values;
    }
    launch_as_reported(f, function, parameters);
    CU(MemcpyDtoH(&sum, dsum, sizeof sum));
    CU(MemFree(dsum));
    CU(MemFree(block));
    CU(ModuleUnload(module));
    return sum;
}

TEST(block_is_passed_as_described)
{
    static const char *const words[] = {"value", "split", "constant", "global"};
    int values[2000];
    for (int i = 0; i < 2000; i++) {
        values[i] = i;
    }
    for (int i = 0; i < 4; i++) {
        gputune *tuner = tuner_open(":memory:");
        char *text = passed_as(words[i]);
        gputune_plan *plan = default_plan(tuner, text, (gputune_sizes){0, NULL});
        reported t = describe_functions(plan);
        assert_int_equal(launched_from_image(&t, values), 1999 * 1000);
        gputune_plan_release(plan);
        gputune_close(tuner);
        free(text);
    }
}

/* Structs arrive in the kernel as arguments, as elements of buffers and through pass(), and so does
 * a __constant__ that is filled on several streams. */
static const char structs[] =
    "struct step { float alpha; size_t n; };\n"
    "struct pair { short left; int right; };\n"
    "__constant__ int table[8];\n"
    "#pragma gputune kernel(told) problem(n = 64)\n"
    "#pragma gputune constant(table : int[8] : index)\n"
    "#pragma gputune pass(scale : step = constant : {.n = constant(3)})\n"
    "#pragma gputune args(out pair y[n], in float2 x[n], step s = {.alpha = 2})\n"
    "#pragma gputune block(64) grid(ceil_div(n, 64))\n"
    "__global__ void told(GPUTUNE_PARAM(scale) pair *y, const float2 *x, step s)\n"
    "{\n"
    "    unsigned i = blockIdx.x * 64 + threadIdx.x;\n"
    "    if (i < s.n) {\n"
    "        y[i].left = (short)(table[i % 8] + scale().n);\n"
    "        y[i].right = (int)(x[i].x * s.alpha + x[i].y * scale().alpha);\n"
    "    }\n"
    "}\n";

struct step {
    float alpha;
    size_t n;
};
struct pair {
    short left;
    int right;
};

TEST_WITH_TUNER(structs_and_constants_reach_the_kernel, ":memory:")
{
    enum { N = 64, STREAMS = 3, ROUNDS = 20 };
    GT_SCOPED(plan_end) gputune_plan *plan = default_plan(tuner, structs, GPUTUNE_NO_SIZES);
    float x[2 * N];
    struct pair y[N];
    struct step s = {2, N};
    CUstream streams[STREAMS];
    CUdeviceptr dy[STREAMS][ROUNDS];
    for (int i = 0; i < 2 * N; i++) {
        x[i] = (float)i;
    }
    CUdeviceptr dx = buffer_of(x, sizeof x);
    for (int k = 0; k < STREAMS; k++) {
        CU(StreamCreate(&streams[k], CU_STREAM_NON_BLOCKING));
    }
    for (int i = 0; i < STREAMS * ROUNDS; i++) {
        struct step scale = {(float)i, (size_t)i};
        int table[8];
        for (int k = 0; k < 8; k++) {
            table[k] = 10 * k + i;
        }
        dy[i % STREAMS][i / STREAMS] = buffer_of(y, sizeof y);
        OK(gputune_launch(plan, streams[i % STREAMS],
                          GPUTUNE_ARGS(table, &scale, &dy[i % STREAMS][i / STREAMS], &dx, &s)));
        memset(table, 0, sizeof table);
    }
    CU(CtxSynchronize());
    for (int i = 0; i < STREAMS * ROUNDS; i++) {
        CU(MemcpyDtoH(y, dy[i % STREAMS][i / STREAMS], sizeof y));
        for (int k = 0; k < N; k++) {
            assert_int_equal(y[k].left, 10 * (k % 8) + 2 * i);
            assert_int_equal(y[k].right, 2 * 2 * k + (2 * k + 1) * i);
        }
        CU(MemFree(dy[i % STREAMS][i / STREAMS]));
    }
    for (int k = 0; k < STREAMS; k++) {
        CU(StreamDestroy(streams[k]));
    }
    s.n = N - 1;
    ASSERT_FAILS(gputune_launch(plan, NULL, GPUTUNE_ARGS(&s, &s, &dx, &dx, &s)), GPUTUNE_EINVAL,
                 "this plan is for n = 64, but was launched with 63");
}

TEST_WITH_TUNER(sizes_of_host_types_are_checked, ":memory:")
{
    GT_SCOPED(plan_end) gputune_plan *plan = default_plan(tuner, structs, GPUTUNE_NO_SIZES);
    gputune_parameter parameter = GPUTUNE_PARAMETER_INIT;
    OK(gputune_plan_check_argument(plan, 0, sizeof(int[8])));
    OK(gputune_plan_check_argument(plan, 0, sizeof(int)));
    OK(gputune_plan_check_argument(plan, 1, sizeof(struct step)));
    OK(gputune_plan_check_argument(plan, 2, sizeof(struct pair)));
    OK(gputune_plan_check_argument(plan, 3, 2 * sizeof(float)));
    OK(gputune_plan_check_argument(plan, 4, sizeof(struct step)));
    assert_int_equal(gputune_plan_check_argument(plan, 4, 12), GPUTUNE_EINVAL);
    assert_string_equal(gputune_error(),
                        "s: 'step' has 16 bytes in the compiled kernel, but 12 in this program "
                        "(the kernel's has alpha at 0, n at 8); declare the same members");
    assert_int_equal(gputune_plan_check_argument(plan, 5, 4), GPUTUNE_EINVAL);
    OK(gputune_plan_parameter(&parameter, plan, 0, 2));
    assert_string_equal(parameter.type, "step");
    assert_int_equal(parameter.bytes, 16);
    OK(gputune_plan_parameter(&parameter, plan, 0, 0));
    assert_int_equal(parameter.element_bytes, 8);
}

TEST_WITH_TUNER(arguments_are_described_however_they_are_passed, ":memory:")
{
    GT_SCOPED(plan_end) gputune_plan *plan = default_plan(tuner, structs, GPUTUNE_NO_SIZES);
    gputune_parameter reported = GPUTUNE_PARAMETER_INIT;
    OK(gputune_plan_argument(&reported, plan, 0));
    assert_int_equal(reported.kind, GPUTUNE_PARAMETER_BLOCK);
    assert_string_equal(reported.type, "int");
    assert_int_equal(reported.bytes, 0);
    assert_int_equal(reported.element_bytes, sizeof(int));
    assert_int_equal(reported.buffer_bytes, sizeof(int[8]));
    for (int i = 0; i < 5; i++) {
        OK(gputune_plan_argument(&reported, plan, (uint32_t)i));
        assert_int_equal(reported.argument, i);
    }
    assert_int_equal(reported.kind, GPUTUNE_PARAMETER_SCALAR);
    assert_string_equal(reported.type, "step");
    assert_int_equal(reported.bytes, sizeof(struct step));
    assert_int_equal(gputune_plan_argument(&reported, plan, 5), GPUTUNE_ENOTFOUND);
}

TESTS_WITHIN(open_device, world_close)
