/* Tests problems: values, buffers, tolerances, work, and odd-tail sizes. */
#include "kernel_support.h"

static const char text[] =
    "#pragma gputune kernel(k)\n"
    "#pragma gputune problem(n = 1 << 20, m = 48) problem(const R = 2, 4)\n"
    "#pragma gputune problem(type T = float, double)\n"
    "#pragma gputune args(out T y[n] nan_ok, in T x[m][n], in int i[n + R] = uniform(0, n - 1), "
    "\\\n"
    "                     inout float z[3] = constant(2), float a = 0.5, size_t n, short m)\n"
    "#pragma gputune vector(V = 1, 2 : x) tune(B = 64) block(B) grid(ceil_div(n, B)) clear(y)\n"
    "#pragma gputune work(bytes = 0.5 * n, flops = m)\n"
    "#pragma gputune reference(slow, block = 32, grid = 7, rtol = 1e-6 * sqrt(n), stol = 0.25)\n"
    "#pragma gputune check(verdict)\n"
    "__global__ void k(T *y, const T *x, const int *i, float *z, float a, size_t n, short m) { V; "
    "}\n"
    "__global__ void slow(double *y, const T *x, const int *i, float *z, float a, size_t n, short "
    "m,\n"
    "                     double *scale) {}\n"
    "__global__ void verdict(T *y, const T *x, const int *i, float *z, float a, size_t n, short "
    "m,\n"
    "                        unsigned long long *wrong) {}\n";

static const char *problem_text(const gt_template *t, const gt_problem *problem)
{
    static char kept[256];
    GT_FREED char *made = NULL;
    ASSERT_OK(gt_problem_text(&made, t, problem));
    (void)snprintf(kept, sizeof kept, "%s", made);
    return kept;
}

TEST(test_values)
{
    gt_problem problem;
    GT_SCOPED(template_end) gt_template *t = parse(text);
    ASSERT_OK(gt_problem_bind(&problem, t, GPUTUNE_NO_SIZES));
    assert_string_equal(problem_text(t, &problem), "n=1048576 m=48 R=2 T=float");
    ASSERT_OK(gt_problem_bind(&problem, t, GPUTUNE_SIZES({"T=double", 0}, {"m", 33}, {"R", 4})));
    assert_string_equal(problem_text(t, &problem), "n=1048576 m=33 R=4 T=double");
}

TEST(test_types_by_other_names)
{
    static const struct {
        const char *given, *wanted;
    } rows[] = {{"T=__half", "T=half"},
                {"T=bfloat16", "T=__nv_bfloat16"},
                {"T=nv_bfloat16", "T=__nv_bfloat16"},
                {"T=uint32_t", "T=unsigned int"},
                {"T=int", "T=int"},
                {"T=int32_t", "T=int32_t"}};
    gt_problem problem;
    GT_SCOPED(template_end)
    gt_template *t = parse("#pragma gputune kernel(k)\n"
                           "#pragma gputune problem(type T = half, __nv_bfloat16, unsigned int, "
                           "int, int32_t, half2)\n"
                           "#pragma gputune args(out T y[8]) block(8) grid(1)\n"
                           "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
                           "__global__ void k(T *y) {}\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ASSERT_OK(gt_problem_bind(&problem, t, GPUTUNE_SIZES({rows[i].given, 0})));
        assert_string_equal(problem_text(t, &problem), rows[i].wanted);
        ASSERT_OK(gt_problem_parse(&problem, t, problem_text(t, &problem)));
        assert_string_equal(problem_text(t, &problem), rows[i].wanted);
    }
    assert_int_equal(gt_problem_bind(&problem, t, GPUTUNE_SIZES({"T=float2", 0})), GPUTUNE_EINVAL);
}

TEST(test_mistakes)
{
    static const struct {
        gputune_size size;
        const char *message;
    } cases[] = {
        {{"nn", 1}, "k has no size 'nn'; expected 'n'"},
        {{"length", 1}, "k has no size 'length'; expected one of: n, m, R, T"},
        {{"n", -5}, "size n is -5; expected 0 to 2^40"},
        {{"n", (INT64_C(1) << 40) + 1}, "size n is 1099511627777; expected 0 to 2^40"},
        {{"R", 3}, "R is not 3; expected one of 2, 4"},
        {{"T", 3}, "T is a type, but 3 is given; expected a type's name, as in \"T=float\""},
        {{"T=half", 0}, "T is not half; expected one of float, double"},
        {{"n=x", 0}, "'x' is not an integer; expected a number such as 4096, 4K, 16M or 2^20"},
        {{NULL, 0}, "a size without a name; expected {\"n\", value}"},
    };
    gt_problem problem;
    GT_SCOPED(template_end) gt_template *t = parse(text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(gt_problem_bind(&problem, t, (gputune_sizes){1, &cases[i].size}),
                         GPUTUNE_EINVAL);
        assert_string_equal(gt_message(), cases[i].message);
    }
    assert_int_equal(gt_problem_bind(&problem, t, GPUTUNE_SIZES({"n", 1}, {"n", 2})),
                     GPUTUNE_EINVAL);
    assert_string_equal(gt_message(), "size 'n' is given twice; expected it once");
}

TEST(test_buffers)
{
    GT_SCOPED(setup_close) setup b = {0};
    setup_open_at(&b, text, "sm_90", GPUTUNE_SIZES({"n", 100}, {"m", 5}, {"T=double", 0}), 0, NULL,
                  0);
    const gt_workload *w = &b.workload;
    assert_int_equal(w->argument_count, 7);
    assert_int_equal(w->buffer_count, 4);
    assert_int_equal(w->scalar_count, 3);
    assert_int_equal(w->buffers[0].bytes, 800);
    assert_int_equal(w->buffers[0].reference_type, GT_TYPE_F64);
    assert_true(w->buffers[0].nan_ok);
    assert_int_equal(w->buffers[1].elements, 500);
    assert_true(w->buffers[1].low == -1 && w->buffers[1].high == 1);
    assert_int_equal(w->buffers[2].elements, 102);
    assert_true(w->buffers[2].low == 0 && w->buffers[2].high == 99);
    assert_int_equal(w->buffers[3].fill, GT_FILL_CONSTANT);
    assert_true(w->buffers[3].low == 2);
    const gt_number *scalars = &w->numbers[1]; /* numbers[0] is the inout buffer's fill */
    assert_true(scalars[0].low == 0.5 && scalars[0].problem_value == -1);
    assert_int_equal(scalars[1].integer, 100);
    assert_int_equal(scalars[2].problem_value, 1);
    assert_int_equal(w->alignment[0], 16);
    assert_true(w->work_bytes == 50 && w->work_flops == 5);
    assert_true(gt_workload_device_bytes(w) > 800 + 4000 + 408 + 24);
}

TEST(test_several_lines_of_arguments)
{
    static const char lines[] =
        "#pragma gputune kernel(k) problem(n = 100) block(1) grid(1) define(ALL = 2 * n)\n"
        "#pragma gputune args(inout float m[ALL] = constant(-INFINITY))\n"
        "#pragma gputune args(in int x[n] = uniform(0, INT_MAX), float low = FLT_MAX)\n"
        "#pragma gputune constant(bits : unsigned char[256] : index)\n"
        "__constant__ unsigned char bits[256];\n"
        "__global__ void k(float *m, const int *x, float low) { m[0] = low; }\n";
    static const char whole[] = "#pragma gputune kernel(k) problem(n = 100) block(1) grid(1)\n"
                                "#pragma gputune args(inout int m[n] = constant(INFINITY))\n"
                                "__global__ void k(int *m) { m[0] = 1; }\n";
    SETUP(b, lines, "sm_90");
    assert_int_equal(b.workload.argument_count, 3);
    assert_true(b.workload.buffers[0].low == -INFINITY);
    assert_int_equal(b.workload.buffers[0].elements, 200);
    assert_true(b.workload.buffers[1].high == 2147483647);
    assert_true(b.workload.numbers[1].low == 3.402823466385288598e38);
    assert_int_equal(b.template->passes[0].extent_count, 1);
    GT_SCOPED(template_end) gt_template *t = parse(whole);
    gt_problem problem;
    gt_workload workload;
    const gt_device device = device_of("sm_90");
    ASSERT_OK(gt_problem_bind(&problem, t, (gputune_sizes){0, NULL}));
    assert_int_equal(gt_workload_bind(&workload, t, &problem, &device, 0, NULL, 0),
                     GPUTUNE_ETEMPLATE);
    assert_string_equal(
        gt_message(),
        "kernel.cu:2:39: m is filled from inf to inf; expected numbers that fit its type int");
}

/* Each component of a vector counts as an element. The reference computes components in double. */
TEST(test_vector_elements)
{
    static const char vectors[] =
        "#pragma gputune kernel(k) problem(n = 100) block(1) grid(1) reference(r)\n"
        "#pragma gputune args(out float4 y[n], in float3 x[n], in bool b[n] = uniform(0, 1))\n"
        "__global__ void k(float4 *__restrict__ y, float3 const *x, const bool *b) {}\n"
        "__global__ void r(double4 *y, const float3 *x, const bool *b) {}\n";
    char name[2 * GT_NAME_MAX];
    SETUP(b, vectors, "sm_90");
    const gt_buffer *y = &b.workload.buffers[0], *x = &b.workload.buffers[1];
    assert_int_equal(y->elements, 400);
    assert_int_equal(y->bytes, 1600);
    assert_int_equal(y->reference_type, GT_TYPE_F64);
    assert_int_equal(gt_buffer_count(y), 100);
    assert_int_equal(gt_buffer_alignment(y), 16);
    assert_string_equal(gt_component_name(name, &b.workload, y, 6), "y[1].z");
    assert_int_equal(x->bytes, 1200);
    assert_int_equal(gt_buffer_element_bytes(x), 12);
    assert_int_equal(gt_buffer_alignment(x), 4);
    assert_int_equal(b.workload.buffers[2].type, GT_TYPE_BOOL);
    assert_int_equal(b.workload.reference.steps[0].grid[0], 1);
}

/* A reference that assigns elements gets all sizes, including those that are not in args(). It gets
 * a copy of an inout buffer if it reads other elements of the buffer than the assigned one. */
TEST(test_elements)
{
    static const char shift[] =
        "#pragma gputune kernel(k) problem(n = 100, m = 7) block(1) grid(1)\n"
        "#pragma gputune args(inout float y[n][2K], inout int z[n] = index, int n)\n"
        "#pragma gputune reference(y[i][j] = i > 0 ? y[i - 1][j] : m, z[i] = z[i] + 1)\n"
        "__global__ void k(float *y, int *z, int n) {}\n";
    static const uint64_t values[] = {7, 100, 2048};
    SETUP(b, shift, "sm_90");
    const gt_launch *reference = &b.workload.reference;
    assert_int_equal(reference->parameter_count, 3 + 1 + 3);
    assert_int_equal(reference->parameters[3].kind, GT_PARAMETER_SCRATCH);
    assert_int_equal(reference->parameters[3].argument, 0);
    assert_int_equal(gt_reference_scratch_bytes(&b.workload), 100 * 2048 * 4);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(reference->parameters[4 + i].kind, GT_PARAMETER_SCALAR);
        assert_int_equal(reference->parameters[4 + i].scratch_bytes, values[i]);
    }
}

/* A reference expression may use a two-dimensional buffer with one or two indices. The names that
 * it declares are not those of the program. */
TEST(test_elements_of_vectors)
{
    static const char text[] =
        "#pragma gputune kernel(k) problem(n = 100, m = 7) block(1) grid(1)\n"
        "#pragma gputune args(out float y[n], in float a[n][m], in float b[n][m])\n"
        "#pragma gputune reference(y[i] = sum(m, [&](int k) { return a[i][k] * b[i * m + k]; }))\n"
        "int i = std::stoi(\"3\"), k_;\n"
        "__global__ void k(float *y, const float *a, const float *b) {}\n";
    GT_SCOPED(gt_source_free) gt_source source = {0};
    SETUP(b, text, "sm_90");
    ASSERT_OK(gt_source_reference(&source, b.template, &b.problem, &b.device, ""));
    assert_null(strstr(source.text, "stoi"));
    assert_non_null(strstr(source.text, "gputune_row<const float> a = "));
    assert_null(strstr(source.text, "gputune_row<const float> b = "));
}

static const char steps[] =
    "#pragma gputune kernel(k) problem(n = 100) args(out float y[n], size_t n)\n"
    "#pragma gputune tune(STEPS = 1, 2, 4) tune(T = float, double) tune(B = 32, 64)\n"
    "#pragma gputune default(STEPS = 2) block(B) grid(ceil_div(n, B))\n"
    "#pragma gputune work(%s)\n"
    "__global__ void k(float *y, size_t n) { y[0] = STEPS * sizeof(T); }\n";

/* Returns the work of a configuration relative to the default, and sets the default's work. */
static double work_of(const char *work, const char *config, double *bytes, double *flops)
{
    char whole[sizeof steps + 64];
    gt_config parsed;
    double ratio;
    (void)snprintf(whole, sizeof whole, steps, work);
    SETUP(b, whole, "sm_90");
    ASSERT_OK(gt_config_parse(&parsed, b.template, config, true));
    ASSERT_OK(gt_work_ratio(&ratio, b.template, &b.problem, &parsed, &b.device));
    *bytes = b.workload.work_bytes;
    *flops = b.workload.work_flops;
    return ratio;
}

TEST(test_work)
{
    static const struct {
        const char *work, *config;
        double ratio, bytes, flops;
    } cases[] = {
        {"bytes = n * STEPS", "STEPS=4", 2, 200, 0},
        {"flops = 1.5 * n * STEPS", "STEPS=1", 0.5, 0, 300},
        /* if flops are stated, bytes do not affect the ratio */
        {"bytes = n, flops = n * STEPS", "STEPS=4", 2, 0, 200},
        {"bytes = n * sizeof(T)", "T=double", 2, 400, 0},
        {"bytes = n, flops = 2 * n", "STEPS=4", 1, 100, 200},
        {"bytes = n * STEPS", "B=64", 1, 200, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double bytes, flops;
        assert_true(work_of(cases[i].work, cases[i].config, &bytes, &flops) == cases[i].ratio);
        assert_true(bytes == cases[i].bytes && flops == cases[i].flops);
    }
}

TEST(test_work_that_is_none)
{
    char whole[sizeof steps + 64];
    gt_config config;
    double ratio;
    (void)snprintf(whole, sizeof whole, steps, "flops = n * (4 - STEPS)");
    SETUP(b, whole, "sm_90");
    ASSERT_OK(gt_config_parse(&config, b.template, "STEPS=4", true));
    assert_int_equal(gt_work_ratio(&ratio, b.template, &b.problem, &config, &b.device),
                     GPUTUNE_ETEMPLATE);
    assert_string_equal(gt_message(), "kernel.cu:4:30: the work of STEPS=4 T=float B=32 is 0; "
                                      "expected more than 0");
}

TEST(test_judges)
{
    GT_SCOPED(setup_close) setup b = {0};
    setup_open_at(&b, text, "sm_90", GPUTUNE_SIZES({"n", 100}), 0, NULL, 0);
    const gt_workload *w = &b.workload;
    assert_true(w->has_reference && w->has_scale && w->has_check && w->block_count == 0);
    assert_float_equal(w->tolerance.rtol, 1e-5, 1e-15);
    assert_true(w->tolerance.atol == 0 && w->tolerance.stol == 0.25);
    assert_string_equal(w->reference.steps[0].entry, "slow");
    assert_int_equal(w->reference.steps[0].grid[0], 7);
    assert_int_equal(w->reference.parameter_count, 8);
    assert_int_equal(w->reference.parameters[7].scratch_bytes, 800);
    assert_int_equal(w->reference.parameters[0].clear_bytes, 800);
    assert_string_equal(w->check.steps[0].entry, "verdict");
    assert_int_equal(w->check.steps[0].block[0], 256);
    assert_int_equal(w->check.parameters[7].kind, GT_PARAMETER_BUFFER);
    assert_int_equal(w->check.parameters[7].argument, 7);
}

TEST(test_sizes_that_do_not_fit)
{
    gt_workload w;
    gt_problem problem;
    GT_SCOPED(template_end) gt_template *t = parse(text);
    const gt_device device = device_of("sm_90");
    ASSERT_OK(gt_problem_bind(&problem, t, GPUTUNE_SIZES({"m", 40000})));
    assert_int_equal(gt_workload_bind(&w, t, &problem, &device, 0, NULL, 0), GPUTUNE_EINVAL);
    assert_string_equal(gt_message(), "m is 40000, which does not fit its type short");
}

TEST(test_alignments)
{
    static const struct {
        gputune_alignment alignment;
        const char *message;
    } cases[] = {
        {{"w", 8}, "no buffer 'w' to align; expected the name of one in args()"},
        {{"yy", 8}, "no buffer 'yy' to align; expected 'y'"},
        {{"x", 3}, "alignment of x is 3 bytes; expected a power of two up to 4096"},
        {{"x", 0}, "alignment of x is 0 bytes; expected a power of two up to 4096"},
    };
    gt_workload w;
    SETUP(b, text, "sm_90");
    const gputune_alignment x = {"x", 4};
    ASSERT_OK(gt_workload_bind(&w, b.template, &b.problem, &b.device, 32, &x, 1));
    assert_int_equal(w.alignment[0], 32);
    assert_int_equal(w.alignment[1], 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(
            gt_workload_bind(&w, b.template, &b.problem, &b.device, 0, &cases[i].alignment, 1),
            GPUTUNE_EINVAL);
        assert_string_equal(gt_message(), cases[i].message);
    }
}

static const char *odd_tail_of(const char *template)
{
    gt_problem odd_tail;
    static char kept[256];
    SETUP(b, template, "sm_90");
    const bool changed = gt_problem_odd_tail(&odd_tail, b.template, &b.problem, &b.device);
    (void)snprintf(kept, sizeof kept, "%s%s", changed ? "" : "same ",
                   problem_text(b.template, &odd_tail));
    return kept;
}

#define K(pragmas)                                                                                 \
    "#pragma gputune kernel(k) block(64) grid(1) " pragmas "\n"                                    \
    "__global__ void k(float *y) { y[0] = A + V; }\n"
#define K2(pragmas)                                                                                \
    "#pragma gputune kernel(k) block(64) grid(1) " pragmas "\n"                                    \
    "__global__ void k(float *y, const float *x) { y[0] = x[0]; }\n"

TEST(test_odd_tail)
{
    static const struct {
        const char *template, *odd_tail;
    } cases[] = {
        /* the size becomes odd, and much smaller if it is large */
        {K("problem(n = 1000) args(out float y[n])"), "n=987"},
        {K("problem(n = 1 << 28) args(out float y[n])"), "n=2097139"},
        {K("problem(d = 512, h = 512, w = 512) args(out float y[d][h][w])"), "d=115 h=113 w=111"},
        {K2("problem(n = 4096, const m = 1 << 28) args(out float y[n], in float x[m])"),
         "n=4083 m=268435456"},
        /* sizes on which a tunable or a vector depends are unchanged */
        {K("problem(const n = 1000) args(out float y[n])"), "same n=1000"},
        {K("problem(n = 100, m = 64) args(out float y[m][n]) tune(A = 4) require(m % A == 0)"),
         "n=87 m=64"},
        {K("problem(n = 64, m = 100) args(out float y[m][n]) vector(V = 1, 4 : y)"), "n=64 m=87"},
        /* equal sizes become different unless a require() forbids that */
        {K("problem(n = 100, m = 100) args(out float y[m][n])"), "n=87 m=85"},
        {K("problem(n = 100, m = 100) args(out float y[m][n]) require(n == m)"), "n=87 m=87"},
        {K("problem(n = 35) args(out float y[n]) require(n == 35)"), "same n=35"},
        {K("problem(n = 36) args(out float y[n]) require(n > 30)"), "n=31"},
        {K("problem(n = 1) args(out float y[n])"), "same n=1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(odd_tail_of(cases[i].template), cases[i].odd_tail);
    }
}

/* Reduces a problem to about one megabyte, whatever its dimensions are. */
TEST(test_small)
{
    static const struct {
        const char *template, *small;
    } cases[] = {
        {K("problem(n = 1 << 28) args(out float y[n])"), "n=65536"},
        {K("problem(n = 512, m = 4096) args(out float y[m][n])"), "n=256 m=256"},
        {K("problem(d = 512, h = 512, w = 512) args(out float y[d][h][w])"), "d=32 h=32 w=64"},
        {K2("problem(n = 64, const m = 1 << 28) args(out float y[n], in float x[m])"),
         "n=64 m=268435456"},
        /* half of n would not be a multiple of the default vector width */
        {K("problem(n = 1004, m = 512) args(out float y[m][n]) vector(V = 4, 2 : y)"),
         "n=1004 m=64"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SETUP(b, cases[i].template, "sm_90");
        const gt_problem small = gt_problem_small(b.template, &b.problem, &b.device);
        assert_string_equal(problem_text(b.template, &small), cases[i].small);
    }
}
