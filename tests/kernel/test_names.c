/* Tests names of tunables in code: which become macros, which are ambiguous, and which have no
 * effect. */
#include "kernel_support.h"

#define P    "#pragma gputune "
#define ARGS P "problem(n = 64) args(out float y[n], int n)\n"

static bool generates(const char *text, const char *words)
{
    gt_template *t = parse(text);
    GT_SCOPED(gt_source_free) gt_source source = default_source(t);
    bool found = strstr(source.text, words);
    gt_template_free(t);
    return found;
}

static bool defines(const char *text, const char *macro)
{
    char line[128];
    (void)snprintf(line, sizeof line, "#define %s\n", macro);
    return generates(text, line);
}

/* If several functions have the kernel's name, args() selects one by its parameters. */
TEST(test_overloads)
{
    static const char code[] = "__global__ void twice(float *y, int n) { y[0] = 1; }\n"
                               "__global__ void twice(double *y, int n) { y[0] = 2; }\n"
                               "__global__ void twice(float *y, float a, int n) { y[0] = a; }\n";
    static const struct {
        const char *args, *kept, *others[2];
    } cases[] = {{"out float y[n], int n", "y[0] = 1;", {"y[0] = 2;", "y[0] = a;"}},
                 {"out double y[n], int n", "y[0] = 2;", {"y[0] = 1;", "y[0] = a;"}},
                 {"out float y[n], float a = 2, int n", "y[0] = a;", {"y[0] = 1;", "y[0] = 2;"}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       P "kernel(twice) problem(n = 64) block(32) grid(1) args(%s)\n%s",
                       cases[i].args, code);
        assert_true(generates(text, cases[i].kept));
        assert_false(generates(text, cases[i].others[0]));
        assert_false(generates(text, cases[i].others[1]));
    }
}

#define SUM(before, parameters, body)                                                              \
    P "kernel(sum<B, B * NUM>)\n" ARGS P                                                           \
      "tune(B = 32, 64) tune(NUM = 1, 2, 4) block(B) grid(ceil_div(n, B))\n" before                \
      "template <" parameters "> __global__ void sum(float *y, int n)\n"                           \
      "{\n" body "\n}\n"

TEST(test_template_arguments)
{
    static const char guarded[] = SUM("#ifndef NUM\n#define NUM 4\n#endif\n", "int T, int ALL",
                                      "    for (int i = 0; i < NUM; i++) y[i] = T;");
    static const char plain[] = SUM("", "int T, int ALL", "    y[0] = NUM;");
    static const char through[] =
        SUM("#define TWICE (2 * NUM)\n", "int T, int ALL", "    y[0] = TWICE;");
    static const char own[] = SUM("", "int B, int NUM", "    y[0] = NUM;");
    static const char helper[] = SUM("__device__ float f(float a, int *NUM) { return a + *NUM; }\n",
                                     "int T, int ALL", "    y[0] = f(T, &n);");
    assert_true(defines(guarded, "NUM 1"));
    assert_true(defines(plain, "NUM 1"));
    assert_true(defines(through, "NUM 1"));
    assert_false(defines(plain, "B 32"));
    assert_false(defines(own, "NUM 1"));
    assert_false(defines(own, "B 32"));
    assert_false(defines(helper, "NUM 1"));
}

TEST(test_arguments_of_the_reference)
{
    static const char text[] =
        P "kernel(twice)\n" ARGS P "tune(B = 32, 64) block(B) grid(ceil_div(n, B))\n" P
          "reference(slow<B>)\n"
          "#ifndef B\n#define B 256\n#endif\n"
          "__global__ void twice(float *y, int n) { y[0] = B; }\n"
          "template <int THREADS> __global__ void slow(float *y, int n) { y[0] = THREADS; }\n";
    assert_true(defines(text, "B 32"));
}

#define PLAIN(clauses, code)                                                                       \
    P "kernel(twice)\n" ARGS P "block(32) grid(ceil_div(n, 32))\n" P clauses "\n" code             \
      "__global__ void twice(float *y, int n)"

TEST(tunable_in_define_is_no_macro_so_values_share_code)
{
    static const char text[] =
        PLAIN("tune(C = 1, 2, 4) define(IS_WIDE = C > 1)", "") "{ y[0] = IS_WIDE; }";
    assert_true(defines(text, "IS_WIDE 0"));
    assert_false(defines(text, "C 1"));
}

static const struct {
    const char *text, *message;
} mistakes[] = {
    {SUM("#if NUM > 2\n#define FAST\n#endif\n", "int B, int NUM", "    y[0] = NUM;"),
     "a.cu:4:5: 'NUM' is tested as a macro here, but a macro would replace the parameter of that "
     "name on line 7; expected another name for the parameter"},
    {SUM("int NUM = 4;\n", "int B, int ALL", "    y[0] = NUM;"),
     "a.cu:4:5: 'NUM' is a tunable, but is declared here with a value of its own; expected no "
     "declaration, or another name"},
    {PLAIN("tune(U = 1, 2)", "enum { U = 4 };\n") "{ y[0] = U; }",
     "a.cu:5:8: 'U' is a tunable, but is declared here with a value of its own; expected no "
     "declaration, or another name"},
    {PLAIN("problem(type T = float, double)", "typedef float T;\n") "{ y[0] = (T)1; }",
     "a.cu:5:15: 'T' is a problem value, but is declared here with a value of its own; expected no "
     "declaration, or another name"},
    {PLAIN("tune(U = 1, 2)", "__device__ int f(int U) { return U; }\n") "{ y[0] = f(U); }",
     "a.cu:5:22: 'U' is a tunable, whose value is a macro, but is declared here; expected no "
     "declaration, or another name"},
    {PLAIN("tune(UNROL = 1, 2)", "#ifndef UNROLL\n#define UNROLL 1\n#endif\n") "{ y[0] = UNROLL; }",
     "a.cu:4:22: neither the kernel nor its launch depends on 'UNROL'; expected 'UNROLL', which "
     "the code has"},
    {PLAIN("tune(WIDE = 1, 2)", "") "{ y[0] = 1; }",
     "a.cu:4:22: neither the kernel nor its launch depends on 'WIDE'; expected its name in the "
     "code, in block(), grid() or another clause of the launch, or no such tunable"},
    {PLAIN("tune(WIDE = 1, 2) define(IS_WIDE = WIDE > 1)", "") "{ y[0] = 1; }",
     "a.cu:4:22: neither the kernel nor its launch depends on 'WIDE'; expected its name in the "
     "code, in block(), grid() or another clause of the launch, or no such tunable"},
    /* #ifndef UN, require(UN > 0) and default() do not count as uses of UN */
    {PLAIN("tune(UN = 1, 2) require(UN > 0) default(UN = 2)",
           "#ifndef UN\n#define UN 1\n#endif\n") "{ y[0] = 1; }",
     "a.cu:4:22: neither the kernel nor its launch depends on 'UN'; expected its name in the code, "
     "in block(), grid() or another clause of the launch, or no such tunable"},
    {PLAIN("tune(UN = 1, 2) reference(slow)", "__global__ void slow(float *y, int n)\n"
                                              "{ y[0] = UN; }\n") "{ y[0] = 1; }",
     "a.cu:4:22: only the reference reads 'UN', with the default's value; expected the kernel or "
     "its launch to depend on it, or a problem(const UN = …)"},
};

TEST(test_mistakes)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        gt_template *template = NULL;
        gputune_status status =
            gt_template_parse(&template, "a.cu", mistakes[i].text, NULL, NULL, NULL);
        if (status != GPUTUNE_ETEMPLATE || strcmp(gt_message(), mistakes[i].message) != 0) {
            fail_msg("%zu: %s: %s", i, gt_status_name(status), gt_message());
        }
    }
}

/* Tunables that affect the variants although the kernel's code does not contain them. */
static const char *const right[] = {
    PLAIN("tune(U = 1, 2)", "#ifndef U\n#define U 1\n#endif\n") "{ y[0] = U; }",
    PLAIN("tune(U = 1, 2)", "#if !defined(U)\n#define U 1\n#endif\n") "{ y[0] = U; }",
    PLAIN("tune(U = 1, 2)", "#ifdef U\n#else\n#define U 1\n#endif\n") "{ y[0] = U; }",
    PLAIN("tune(U = 1, 2)", "#ifndef __CUDACC_RTC__\n#define U 1\n#endif\n") "{ y[0] = U; }",
    PLAIN("tune(U = 1, 2)", "#if VERSION > 4\n#define U 1\n#endif\n") "{ y[0] = U; }",
    PLAIN("tune(U = 1, 2)", "") "{ constexpr int U = 4; y[0] = U; }",
    PLAIN("tune(U = 1, 2)", "") "{\n#pragma unroll U\nfor (;;) {} }",
    PLAIN("tune(U = 1, 2)", "#if U > 1\n#define V\n#endif\n") "{ y[0] = 1; }",
    PLAIN("tune(U = 1, 2)", "#define V (2 * W)\n#define W (1 + U)\n") "{ y[0] = V; }",
    PLAIN("tune(U = 1, 2)",
          "#if __CUDA_ARCH__ < 800\n#define V 1\n#else\n#define V U\n#endif\n") "{ y[0] = V; }",
    PLAIN("tune(U = 1, 2)",
          "#define TEXT_(x) #x\n#define TEXT(x) TEXT_(x)\n") "{ asm(\"mov \" TEXT(U)); }",
    PLAIN("tune(UNROLL = 1, 2)", "#define UN(x) x + UN##x\n") "{ y[0] = UN(ROLL); }",
    PLAIN("tune(MODE = slow, fast)", "") "{ if (MODE_fast) y[0] = 1; }",
    PLAIN("tune(MODE = slow, fast)", "#define IS(mode) MODE_##mode\n") "{ y[0] = IS(fast); }",
    PLAIN("tune(U = 1, 2) define(ALL = 4 * U)", "") "{ y[0] = ALL; }",
    PLAIN("tune(U = 1, 2) define(ALL = \"4 * U\")", "#define MORE ALL\n") "{ y[0] = MORE; }",
    PLAIN("tune(U = 1, 2) options(U > 1 ? \"--use_fast_math\" : \"\")", "") "{ y[0] = 1; }",
    PLAIN("tune(U = 32, 64) maxreg(U)", "") "{ y[0] = 1; }",
    PLAIN("tune(U = 32, 64) launch_bounds(32, U)", "") "{ y[0] = 1; }",
    PLAIN("tune(U = 32, 64) shared(U)", "") "{ y[0] = 1; }",
    PLAIN("tune(ALL = 4, 8) tune(A = 1, 2) tune(B = 2, 4) require(A * B == ALL)",
          "") "{ y[0] = A + B; }",
    PLAIN("tune(OP = SMALL, LARGE) tune(SMALL = 1, 2)", "#define LARGE 8\n") "{ y[0] = OP; }",
    PLAIN("carveout(KB = auto, 0)", "") "{ y[0] = 1; }",
    PLAIN("cluster(C = 1, 2)", "") "{ y[0] = 1; }",
};

/* A macro is defined for each word that a problem value may be. An #if would treat an undefined
 * word as 0, and silently choose the wrong branch. */
TEST(test_code_may_ask_for_a_word_of_the_problem)
{
    static const char asking[] =
        PLAIN("problem(type OP = sum, max)", "#if OP_max\n#endif\n") "{ y[0] = 1; }";
    assert_true(generates(asking, "#define OP_sum 1\n"));
    assert_true(generates(asking, "#define OP_max 0\n"));
}

TEST(tunable_may_reach_variants_through_macros)
{
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        gt_template *template = NULL;
        gputune_status status = gt_template_parse(&template, "a.cu", right[i], NULL, NULL, NULL);
        if (status < 0) {
            fail_msg("%zu: %s: %s", i, gt_status_name(status), gt_message());
        }
        gt_template_free(template);
    }
}

/* A file may define a tunable or compile-time problem value for use without gputune. Such a
 * definition is removed. */
TEST(test_values_of_the_file)
{
    static const struct {
        const char *text, *gone, *macro;
    } cases[] = {
        {PLAIN("tune(U = 1, 2)", "#define U 8 // as ever\n") "{ y[0] = U; }", "U 8", "U 1"},
        {PLAIN("tune(U = 1, 2)",
               "#ifndef SIZES_H\n#define SIZES_H\n#define U 8\n#endif\n") "{ y[0] = U; }",
         "U 8", "U 1"},
        {PLAIN("tune(U = 1, 2)", "#if U > 4\n#undef U\n#define U 4\n#endif\n") "{ y[0] = U; }",
         "U 4", "U 1"},
        {PLAIN("tune(U = 1, 2)", "#if __CUDA_ARCH__ >= 800\n#define U 8\n#else\n#define U 4\n"
                                 "#endif\n") "{ y[0] = U; }",
         "U 8", "U 1"},
        {PLAIN("tune(U = 1, 2)", "static const int U = 8;\n") "{ y[0] = U; }", "int U = 8", "U 1"},
        {PLAIN("tune(MODE = slow, fast)", "#define MODE_fast 1\n") "{ y[0] = MODE_fast; }",
         "MODE_fast 1", "MODE_slow 1"},
        {PLAIN("problem(const R = 2)", "constexpr int R = 3;\n") "{ y[0] = R; }", "int R", "R 2"},
        {PLAIN("tune(U = 1, 2)", "const int A = f(1, 2), U = f(A, 3), B = U;\n") "{ y[0] = B; }",
         ", U = f", "U 1"},
        {PLAIN("tune(U = 1, 2)", "#define U 1'000\n") "{ y[0] = 1'000 * U; }", "U 1'000", "U 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (generates(cases[i].text, cases[i].gone) || !defines(cases[i].text, cases[i].macro)) {
            fail_msg("%zu", i);
        }
    }
}

/* A value gets no macro if it is passed to the kernel or is used only in expressions of clauses, so
 * a function in the code may have a parameter with the name of the value. */
TEST(test_parameters_of_the_same_name)
{
    static const char defined[] =
        P "kernel(k)\n" ARGS P
          "tune(B = 32, 64) define(halves = B / 2, other = B) block(B) grid(halves)\n"
          "__device__ int f(int halves) { return halves; }\n"
          "__global__ void k(float *y, int n) { y[0] = f(other); }\n";
    static const char passed[] =
        P "kernel(k) problem(n = 64, const R = 2) args(out float y[n], int R) block(1) grid(1)\n" P
          "reference(y[i] = R)\n"
          "__global__ void k(float *y, const int R) { y[0] = R; }\n";
    assert_false(generates(defined, "#define half"));
    assert_true(defines(defined, "other 32"));
    assert_false(generates(passed, "#define R"));
}

/* A name must be a macro if the code builds it with ##, or if an option or a text contains it. */
TEST(test_macros_that_no_code_has)
{
    assert_true(defines(
        PLAIN("tune(UNROLL = 1, 2)", "#define JOIN(a, b) a##b\n") "{ y[0] = JOIN(UN, ROLL); }",
        "UNROLL 1"));
    assert_true(
        defines(PLAIN("tune(U = 1, 2) options(\"-DALL=4*U\")", "") "{ y[0] = ALL; }", "U 1"));
    assert_true(
        defines(PLAIN("tune(U = 1, 2) define(ALL = \"4 * U\")", "") "{ y[0] = ALL; }", "U 1"));
    assert_true(
        defines(PLAIN("tune(U = 1, 2)", "") "{ _Pragma(\"unroll U\") for (;;) {} }", "U 1"));
}
