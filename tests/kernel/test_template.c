/* Tests what a parsed template contains. */
#include "kernel_support.h"

#include "kernel/template/declared.h"

static const char full[] =
    "/* Sums rows,\n   and more */\n"
    "#pragma gputune kernel(rows)\n"
    "#pragma gputune problem(n = 1 << 10, m = 3) problem(const R = 2, 3, type T = "
    "float, unsigned int)\n"
    "#pragma gputune args(out T y[n], in const T x[n][m] = uniform(0, R), float a = -0.5, \\ \t\n"
    "                     size_t n, int m) // spliced\n"
    "#pragma gputune vector(VEC = 1, 2 : x) tune(MODE = plain, clever, B = 64, 32)\n"
    "#pragma gputune cluster(CX = 1, 2; CY = 1, 2) carveout(C = auto, 8)\n"
    "#pragma gputune default(B = 32, MODE = clever)\n"
    "#pragma gputune block(B, 2) grid(ceil_div(n, B)) shared(4 * B)\n"
    "#pragma gputune scratch(double part[grid_x][B], int k[1]) clear(part, y)\n"
    "#pragma gputune work(bytes = 4.0 * n, flops = n)\n"
    "#pragma gputune reference(slow, block = 8, 4, grid = ceil_div(n, 32), rtol = 1e-6 * sqrt(n))\n"
    "__global__ void rows(T *y, const T *x, float a, size_t n, int m, double *part, int *k)\n"
    "{ int b = VEC + MODE; }\n"
    "__global__ void slow(double *y, const T *x, float a, size_t n, int m, float *scale) {}\n";

/* Replaces `from` by `to` in the template `full`, and returns the identity of the result. */
static gt_hash identity_with(const char *from, const char *to)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    const char *at = strstr(full, from);
    assert_non_null(at);
    gt_text_append_bytes(&text, full, (size_t)(at - full));
    gt_text_append(&text, to);
    gt_text_append(&text, at + strlen(from));
    gt_hash hash = identity_of(gt_text_string(&text));
    return hash;
}

TEST(test_identity)
{
    const gt_hash hash = identity_of(full);
    assert_true(gt_hash_equal(hash, identity_with("/* Sums rows,", "// Other\n/* ")));
    assert_true(gt_hash_equal(hash, identity_with("{ int b", "{\n\n  int /* c */   b")));
    assert_true(gt_hash_equal(hash, identity_with("B = 64, 32", "B = 64, 32, 16")));
    assert_true(gt_hash_equal(hash, identity_with("n = 1 << 10", "n = 1 << 11")));
    assert_false(gt_hash_equal(hash, identity_with("int b = VEC", "int b = 1 + VEC")));
    assert_false(gt_hash_equal(hash, identity_with("1e-6", "1e-5")));
    assert_false(gt_hash_equal(hash, identity_with("uniform(0, R)", "uniform(1, R)")));
    assert_false(gt_hash_equal(hash, identity_with("4.0 * n", "8.0 * n")));
}

/* Each start() is a configuration, and its axes may precede default(). Adding a start() changes
 * neither the identity nor a trial's hash. */
TEST(test_starts)
{
    static const char starts[] = "start(B = 64) start(VEC = 2, C = 8)\n#pragma gputune default(B";
    GT_SCOPED(gt_text_free) gt_text text = {0};
    const char *at = strstr(full, "default(B");
    gt_text_append_bytes(&text, full, (size_t)(at - full));
    gt_text_append(&text, starts);
    gt_text_append(&text, at + strlen("default(B"));
    gt_template *t = parse(gt_text_string(&text)), *plain = parse(full);
    const char *expected[] = {"VEC=1 MODE=clever B=64 CX=1 CY=1 C=auto",
                              "VEC=2 MODE=clever B=32 CX=1 CY=1 C=8"};
    assert_int_equal(t->start_count, 2);
    for (uint32_t i = 0; i < t->start_count; i++) {
        GT_FREED char *config = NULL;
        ASSERT_OK(gt_config_text(&config, t, &t->starts[i]));
        assert_string_equal(config, expected[i]);
    }
    const gt_config config = gt_config_default(t);
    assert_true(gt_hash_equal(t->identity, plain->identity));
    assert_true(gt_hash_equal(gt_trial_hash(t, &config, t->identity),
                              gt_trial_hash(plain, &config, t->identity)));
    gt_template_free(t);
    gt_template_free(plain);
}

static gputune_status read_include(void *user, const gt_include *include, gt_included *out)
{
    static const char *const files[][2] = {
        {"once.cuh", "#pragma once\n#pragma gputune tune(DEEP = 1, 2)\n__device__ int deep() { "
                     "return DEEP; }\n"},
        {"plain.cuh", "#include \"once.cuh\"\nint flat;"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strcmp(files[i][0], include->name) == 0) {
            GT_TRY(gt_strdup(&out->text, files[i][1]));
            return gt_strdup(&out->path, include->name);
        }
    }
    return gt_fail(GPUTUNE_ENOTFOUND, "no %s", include->name);
}

#define HEAD                                                                                       \
    "#pragma gputune kernel(k) args(out float y[4]) block(1) grid(1)\n"                            \
    "__global__ void k(float *y) { y[0] = deep() + after + x; }\n"

TEST(test_includes)
{
    GT_SCOPED(template_end) gt_template *t = NULL;
    ASSERT_OK(gt_template_parse(&t, "dir/k.cu",
                                HEAD
                                "#include <math.h>\n#include \"cuda_fp16.h\"\n"
                                "#include \"gputune.cuh\"\n#include \"plain.cuh\"\nint after;\n",
                                NULL, read_include, NULL));
    const gt_axis *deep = axis_of(t, "DEEP");
    assert_non_null(deep);
    assert_true(deep->in_source);
    GT_SCOPED(gt_source_free) gt_source source = default_source(t);
    assert_non_null(strstr(source.text, "#include <math.h>\n#include \"cuda_fp16.h\"\n\n"));
    assert_null(strstr(source.text, "plain.cuh\"\n#include"));
    assert_non_null(strstr(source.text, "int deep() { return DEEP; }"));
    assert_non_null(strstr(source.text, "#line 6 \"k.cu\"\n\nint after;"));
}

/* Macros of gputune are defined after the headers, which may use the same names. */
TEST(test_headers_see_no_macros)
{
    gt_template *t = NULL;
    ASSERT_OK(gt_template_parse(&t, "k.cu",
                                "// k\n#pragma gputune tune(T = 1, 2)\n#include \"once.cuh\"\n"
                                "#include <a.h>\n#pragma once\n#include <b.h>\n#define T 8\n" HEAD
                                "int x = T;\n#include <c.h>\n",
                                NULL, NULL, NULL));
    gt_source source = default_source(t);
    assert_non_null(strstr(
        source.text, "\n#line 1 \"k.cu\"\n// k\n\n#include \"once.cuh\"\n"
                     "#include <a.h>\n\n#include <b.h>\n\n#line 1 \"gputune\"\n"
                     "#define T 1\n#line 7 \"k.cu\"\n           \n\nextern \"C\" __global__"));
    gt_source_free(&source);
    gt_template_free(t);
    ASSERT_OK(gt_template_parse(&t, "k.cu",
                                "#include \"once.cuh\"\n#include <b.h>\nint x = DEEP;\n" HEAD, NULL,
                                read_include, NULL));
    source = default_source(t);
    assert_non_null(strstr(source.text, "#define DEEP 1\n#line 1 \"k.cu\"\n#ifndef GPUTUNE_ONCE_"));
    gt_source_free(&source);
    gt_template_free(t);
}

#define EIGHT(text)  text text text text text text text text
#define NESTED(text) EIGHT(EIGHT(text)) EIGHT(text)

/* Pragmas in comments, strings and disabled code are ignored, and so are comments inside of a
 * pragma. */
TEST(template_ignores_pragmas_outside_of_the_code)
{
    GT_SCOPED(template_end)
    gt_template *t = parse(
        HEAD
        "/* \n#pragma gputune tune(A = 1)\n*/\n"
        "// #pragma gputune tune(B = 1)\n"
        "const char *s = \"\\\n#pragma gputune tune(C = 1)\";\n"
        "#if 0\n#pragma gputune tune(E = 1) )\n# is no directive\n#endif\n"
        "#ifndef __CUDACC_RTC__\n#include CONFIGURATION\n#endif\n"
        "#if 1\n" NESTED("#ifdef A\n")
            NESTED("#endif\n") "#pragma /* x */ gputune /* y */ tune(D /* z */ = 1) // w\\\n 2\n"
                               "__device__ int deep() { return D; }\n#endif\n");
    assert_int_equal(t->axis_count, 1);
    assert_string_equal(t->axes[0].name, "D");
    assert_int_equal(t->axes[0].count, 1);
}

/* The type of a __constant__ array may have several words. */
TEST(test_types_of_constants)
{
    static const char *const types[] = {"long int", "unsigned short int", "unsigned  int"};
    static const char *const stated[] = {"long", "unsigned short", "unsigned int"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       HEAD "#pragma gputune constant(c : %s[4] : zero)\n"
                            "__constant__ %s c[4];\n",
                       stated[i], types[i]);
        gt_template_free(parse(text));
    }
}

/* Types that the compiler knows without a header are also types in args(). */
TEST(test_names_of_types)
{
    static const char *const names[] = {"uint", "unsigned", "size_t", "char", "bool"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        GT_SCOPED(gt_text_free) gt_text text = {0};
        gt_text_printf(&text,
                       "#pragma gputune kernel(k) problem(n = 64) args(out %s y[n], %s m = 1)\n"
                       "#pragma gputune block(64) grid(1) reference(r)\n"
                       "__global__ void k(%s *y, %s m) {}\n__global__ void r(%s *y, %s m) {}\n",
                       names[i], names[i], names[i], names[i], names[i], names[i]);
        SETUP(b, gt_text_string(&text), "sm_90");
    }
}

/* `block = 16, 16` equals `block = (16, 16)`. Other parentheses belong to an expression. */
TEST(test_dimensions)
{
    static const struct {
        const char *block;
        int64_t sizes[3];
    } cases[] = {
        {"16, 8", {16, 8, 1}},           {"(16, 8)", {16, 8, 1}},
        {"(2, 3, 4)", {2, 3, 4}},        {"(4 + 4) * 2", {16, 1, 1}},
        {"(4), (min(8, 2))", {4, 2, 1}}, {"((4), max(1, 2))", {4, 2, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GT_SCOPED(gt_text_free) gt_text text = {0};
        gt_text_printf(&text,
                       "#pragma gputune kernel(k) problem(n = 64) args(out float y[n])\n"
                       "#pragma gputune block(%s) grid(1)\n"
                       "#pragma gputune reference(r, block = %s, grid = (2, 2), rtol = 1e-5)\n"
                       "__global__ void k(float *y) {}\n__global__ void r(float *y) {}\n",
                       cases[i].block, cases[i].block);
        SETUP(b, gt_text_string(&text), "sm_90");
        for (int d = 0; d < 3; d++) {
            assert_int_equal(b.workload.reference.steps[0].block[d], cases[i].sizes[d]);
        }
        assert_int_equal(b.workload.reference.steps[0].grid[1], 2);
        assert_int_equal(b.template->parts->steps[0].block.count == 1, cases[i].sizes[1] == 1);
    }
}
