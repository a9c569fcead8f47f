/* Tests generated sources (lines, macros, hashes, parameter blocks) and launches. */
#include "kernel_support.h"

static const char text[] =
    "// twice\n"
    "#pragma gputune kernel(k)\n"
    "#pragma gputune problem(n = 4096, const R = -2, type T = float, double) args(inout T y[n], "
    "\\\n"
    "                        size_t n)\n"
    "#pragma gputune tune(B = 64, 128) tune(U = 1, 2) tune(MODE = plain, fast) cluster(C = 1, 2)\n"
    "#pragma gputune block(B) grid(ceil_div(n, B)) define(TILE = B * 2, TEXT = \"a + b\", FLAG, W "
    "= T)\n"
    "#pragma gputune launch_bounds(256, U) maxreg(U == 2 ? 32 : 0)\n"
    "#pragma gputune reference(slow, rtol = 0)\n"
    "__device__ int helper() { return R; }\n"
    "__global__ void k(T *y, size_t n) // U\n"
    "{   y[1] = helper() + last;\n"
    "#if MODE_fast\n"
    "    y[0] = U;\n"
    "#endif\n"
    "}\n"
    "__global__ void slow(T *y, size_t n)\n"
    "{   y[0] = helper();\n"
    "    // one }\n"
    "}\n"
    "int last;\n";

static gt_source generate(const setup *b, const char *config)
{
    return source_with(b, config, "int prelude;\n");
}

static gt_hash hash_of(const setup *b, const char *config)
{
    gt_source source = generate(b, config);
    gt_hash hash = source.hash;
    gt_source_free(&source);
    return hash;
}

static gt_hash trial_of(const setup *b, const char *config)
{
    const gt_config parsed = config_of(b->template, config);
    return gt_trial_hash(b->template, &parsed, hash_of(b, config));
}

/* Checks line `number` of the part that begins with #line 1 "kernel.cu". */
static void assert_line(const char *source, int number, const char *expected)
{
    const char *line = strstr(source, "#line 1 \"kernel.cu\"\n");
    assert_non_null(line);
    for (int i = 0; i < number; i++) {
        line = strchr(line, '\n') + 1;
    }
    if (strncmp(line, expected, strlen(expected)) != 0 || line[strlen(expected)] != '\n') {
        fail_msg("line %d is %.60s", number, line);
    }
}

TEST(test_lines)
{
    SETUP(b, text, "sm_90");
    GT_SCOPED(gt_source_free) gt_source source = generate(&b, "");
    assert_line(source.text, 1, "// twice");
    assert_line(source.text, 2, "");
    assert_line(source.text, 4, "");
    assert_line(source.text, 9, "__device__ int helper() { return R; }");
    assert_line(source.text, 10,
                "extern \"C\" __global__ void GPUTUNE_LAUNCH_BOUNDS k(T *y, size_t n) // U");
    assert_line(source.text, 13, "    y[0] = U;");
    assert_line(source.text, 20, "int last;");
    assert_null(strstr(source.text, "slow"));
    assert_null(strstr(source.text, "#pragma gputune"));
}

TEST(source_rewrites_extensions_of_nvcc)
{
    static const char lists[] =
        "// lists\n"
        "#pragma gputune kernel(k) problem(n = 64) args(out int y[n], size_t n) block(64) grid(1)\n"
        "struct T { int a, b; };\n"
        "__global__ void k(int *y, size_t n)\n"
        "{\n"
        "    y[0] = ({ (struct T){1, 2}; }).a;\n"
        "    y[1] = ({ int one = 1; T{one, 2}; }).b;\n"
        "    register int i = 2;\n"
        "    T t{.a = 1, .b = 2};\n" /* it needs C++20 */
        "}\n";
    SETUP(b, lists, "sm_90");
    GT_SCOPED(gt_source_free) gt_source source = generate(&b, "");
    assert_line(source.text, 6, "    y[0] = ([&]{ return  T{1, 2}; }()).a;");
    assert_line(source.text, 7, "    y[1] = ([&]{ int one = 1; return T{one, 2}; }()).b;");
    assert_line(source.text, 8, "     int i = 2;");
    assert_int_equal(source.option_count, 1);
    assert_string_equal(source.options[0], "--std=c++20");
}

TEST(test_macros)
{
    static const char *const present[] = {
        "#define R (-2)\n",
        "#define T float\n",
        "#define T_float 1\n",
        "#define T_double 0\n",
        "#define U 2\n",
        "#define MODE fast\n",
        "#define MODE_plain 0\n",
        "#define MODE_fast 1\n",
        "#define TILE 128\n",
        "#define TEXT a + b\n",
        "#define FLAG \n",
        "#define W float\n",
        "#define GPUTUNE_LAUNCH_BOUNDS __launch_bounds__(256, 2)\n",
        "#line 1 \"gputune.cuh\"\nint prelude;\n"};
    static const char *const absent[] = {"#define B ", "#define C ", "#define n "};
    SETUP(b, text, "sm_90");
    gt_source source = generate(&b, "U=2 MODE=fast C=2");
    for (size_t i = 0; i < sizeof present / sizeof *present; i++) {
        if (!strstr(source.text, present[i])) {
            fail_msg("no %s", present[i]);
        }
    }
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        assert_null(strstr(source.text, absent[i]));
    }
    assert_int_equal(source.option_count, 1);
    assert_string_equal(source.options[0], "--maxrregcount=32");
    gt_source_free(&source);
    source = generate(&b, "U=1");
    assert_int_equal(source.option_count, 0);
    gt_source_free(&source);
}

TEST(test_hashes)
{
    SETUP(b, text, "sm_90");
    assert_true(gt_hash_equal(hash_of(&b, "C=1"), hash_of(&b, "C=2")));
    assert_false(gt_hash_equal(hash_of(&b, "U=1"), hash_of(&b, "U=2")));
    assert_false(gt_hash_equal(hash_of(&b, "B=64"), hash_of(&b, "B=128"))); /* TILE depends on B */
    assert_false(gt_hash_equal(trial_of(&b, "C=1"), trial_of(&b, "C=2")));
    assert_false(gt_hash_equal(trial_of(&b, "B=64"), trial_of(&b, "B=128")));
    assert_true(gt_hash_equal(trial_of(&b, "B=64"), trial_of(&b, "B=64 U=1")));
}

/* The launch bounds before a kernel's name may be under an #if. If the kernel is removed, the #if
 * is removed, too. */
TEST(test_bounds_under_a_condition)
{
    static const char text[] =
        "#pragma gputune kernel(k) problem(n = 64) args(out float y[n], int n)\n"
        "#pragma gputune tune(B = 32, 64) tune(M = 0, 2) block(B) grid(ceil_div(n, B))\n"
        "#pragma gputune reference(slow)\n"
        "__global__ void\n#if M > 0\n__launch_bounds__(B, M)\n#endif\nk(float *y, int n) { y[0] = "
        "last; }\n"
        "__global__\n#ifdef SLOW\n__launch_bounds__(32)\n#endif\nvoid slow(float *y, int n) {}\n"
        "int last;\n";
    SETUP(b, text, "sm_90");
    GT_SCOPED(gt_source_free) gt_source source = generate(&b, "M=2");
    assert_non_null(strstr(source.text,
                           "extern \"C\" __global__ void\n#if M > 0\n__launch_bounds__(B, "
                           "M)\n#endif\nk(float *y, int n) { y[0] = last; }\n"));
    assert_non_null(strstr(source.text, "#define M 2\n"));
    assert_null(strstr(source.text, "SLOW"));
    const char *cut = strstr(source.text, "y[0] = last; }") + 14;
    int lines = 0;
    for (; *cut == ' ' || *cut == '\n'; cut++) {
        lines += *cut == '\n';
    }
    assert_int_equal(lines, 6); /* the code after the removed part keeps its line number */
    assert_memory_equal(cut, "int last;", 9);
}

TEST(test_hash_ignores_comments)
{
    setup a, b;
    GT_SCOPED(gt_text_free) gt_text changed = {0};
    gt_text_printf(&changed, "/* new */\n%s\n// more\n", text);
    setup_open(&a, text, "sm_90");
    setup_open(&b, gt_text_string(&changed), "sm_90");
    assert_true(gt_hash_equal(hash_of(&a, ""), hash_of(&b, "")));
    assert_true(gt_hash_equal(trial_of(&a, ""), trial_of(&b, "")));
    setup_close(&a);
    setup_close(&b);
}

TEST(test_reference)
{
    GT_SCOPED(gt_source_free) gt_source source;
    SETUP(b, text, "sm_90");
    ASSERT_OK(gt_source_reference(&source, b.template, &b.problem, &b.device, ""));
    assert_line(source.text, 16, "extern \"C\" __global__ void slow(T *y, size_t n)");
    assert_line(source.text, 9, "__device__ int helper() { return R; }");
    assert_null(strstr(source.text, "void k("));
}

#define BLOCK(count)                                                                               \
    "#pragma gputune kernel(k) problem(const N = " count ") args(out float y[4], int m = 3)\n"     \
    "#pragma gputune pass(c : double[N] = value, split, constant, global) block(1) grid(1)\n"      \
    "#pragma gputune scratch(float part[grid_x]) clear(y, part)\n"                                 \
    "__global__ void k(GPUTUNE_PARAM(c) float *y, int m, float *part) { *y = c(m); }\n"

static void assert_pass(const setup *b, const char *config, const char *needle)
{
    GT_SCOPED(gt_source_free) gt_source source = generate(b, config);
    if (!strstr(source.text, needle)) {
        fail_msg("%s: no %s in %s", config, needle, source.text);
    }
}

TEST(test_pass)
{
    SETUP(b, BLOCK("1000"), "sm_90");
    assert_pass(&b, "c=value", "struct gputune_pass_block_c { double data[1000]; };");
    assert_pass(&b, "c=value", "#define c(i) (gputune_pass_value_c.data[i])\n");
    /* the parameters have 4096 bytes, minus two pointers and an int with padding */
    assert_pass(&b, "c=split", "struct gputune_pass_block_c { double data[509]; };");
    assert_pass(&b, "c=split", "__constant__ double " GT_PASS_SYMBOL "c[491];");
    assert_pass(&b, "c=split", "#define GPUTUNE_FIRST_c 509\n");
    assert_pass(&b, "c=constant", "#define GPUTUNE_PARAM_c\n");
    assert_pass(&b, "c=constant", "__constant__ double " GT_PASS_SYMBOL "c[1000];");
    assert_pass(&b, "c=global",
                "#define GPUTUNE_PARAM_c const double *__restrict__ gputune_pass_global_c,\n");
}

TEST(test_pass_launches)
{
    static const struct {
        const char *config;
        gt_pass pass;
        uint32_t parameters, first_bytes, by_value;
    } cases[] = {{"c=value", GT_PASS_VALUE, 4, 8000, 8000},
                 {"c=split", GT_PASS_SPLIT, 4, 4072, 4072},
                 {"c=constant", GT_PASS_CONSTANT, 3, 8, 0},
                 {"c=global", GT_PASS_GLOBAL, 4, 8, 0}};
    SETUP(b, BLOCK("1000"), "sm_90");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const gt_launch launch = launch_of(&b, cases[i].config);
        assert_int_equal(launch.blocks[0].pass, cases[i].pass);
        assert_int_equal(launch.argument_count, 3);
        assert_int_equal(launch.parameter_count, cases[i].parameters);
        assert_int_equal(launch.parameters[0].bytes, cases[i].first_bytes);
        assert_int_equal(launch.blocks[0].bytes, 8000);
        assert_int_equal(launch.blocks[0].by_value_bytes, cases[i].by_value);
        const gt_parameter *last = &launch.parameters[launch.parameter_count - 1];
        assert_int_equal(last->kind, GT_PARAMETER_SCRATCH);
        assert_int_equal(last->scratch_bytes, 4);
        assert_int_equal(launch.parameters[launch.parameter_count - 2].argument, 2);
        assert_int_equal(launch.parameters[launch.parameter_count - 3].clear_bytes, 16);
        assert_int_equal(last->clear_bytes, 4);
    }
}

/* Parameter blocks that fit one by one may be too large together. */
TEST(test_blocks_together)
{
    static const char two[] =
        "#pragma gputune kernel(k) pass(a : float[5000] = value, constant, global) block(1) "
        "grid(1)\n"
        "#pragma gputune pass(b : float[5000] = value, constant, global) args(out float y[1])\n"
        "#pragma gputune constant(t : float[8000])\n"
        "__constant__ float t[8000];\n"
        "__global__ void k(GPUTUNE_PARAM(a) GPUTUNE_PARAM(b) float *y) { *y = a(0) + b(1) + t[2]; "
        "}\n";
    SETUP(b, two, "sm_90");
    /* Only one of a and b fits by value. Constant memory has 4 * (5000 + 8000) bytes, which is
     * enough for t and one of a and b. */
    assert_int_equal(count_valid(b.space), 7);
    const gt_launch launch = launch_of(&b, "a=value b=global");
    assert_int_equal(launch.block_count, 3);
    assert_string_equal(launch.blocks[2].symbol, "t");
    assert_true(launch.blocks[2].may_lack);
    assert_int_equal(launch.parameter_count, 3);
    assert_int_equal(launch.parameters[1].argument, 1);
    assert_int_equal(launch.parameters[2].argument, 3);
}

/* `split` passes a block by value, as `value` does, if the block fits into the parameters. */
TEST(test_small_split)
{
    SETUP(b, BLOCK("10"), "sm_90");
    assert_int_equal(launch_of(&b, "c=split").blocks[0].pass, GT_PASS_VALUE);
    assert_true(gt_hash_equal(hash_of(&b, "c=split"), hash_of(&b, "c=value")));
}

TEST(test_launch)
{
    setup b;
    setup_open(&b, text, "sm_90");
    const gt_launch launch = launch_of(&b, "B=128 C=2");
    assert_string_equal(launch.steps[0].entry, "k");
    assert_int_equal(launch.block_count, 0);
    assert_int_equal(launch.steps[0].block[0], 128);
    assert_int_equal(launch.steps[0].grid[0], 32);
    assert_int_equal(launch.steps[0].cluster[0], 2);
    assert_int_equal(launch.carveout_kb, -1);
    assert_int_equal(launch.parameter_count, 2);
    assert_int_equal(launch.parameters[1].kind, GT_PARAMETER_SCALAR);
    assert_int_equal(launch.parameters[1].bytes, 8);
    setup_close(&b);
    setup_open(&b,
               "#pragma gputune kernel(k) problem(n = 4) args(out float y[n], size_t n)\n"
               "#pragma gputune block(32) grid(1, 65536)\n"
               "__global__ void k(float *y, size_t n) {}\n",
               "sm_90");
    gt_launch refused;
    const gt_config only = config_of(b.template, "");
    assert_int_equal(gt_launch_bind(&refused, b.template, &b.problem, &only, &b.device),
                     GPUTUNE_ENOVARIANT);
    assert_string_equal(gt_message(), "k cannot be launched at these sizes: grid exceeds the GPU's "
                                      "limit (2147483647 in x, 65535 in y and z)");
    setup_close(&b);
}
