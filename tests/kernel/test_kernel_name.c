/* Tests the sources generated for kernels that are C++ templates or are in namespaces, for files
 * with several kernels, and the messages about mistakes in them. */
#include "kernel_support.h"

#define P "#pragma gputune "
#define HEAD                                                                                       \
    P "problem(n = 4096, type T = float, double, const R = -2)\n" P                                \
      "args(inout T y[n], int n) tune(B = 64, 128) tune(U = 1, 2) block(B) grid(ceil_div(n, B))\n"

static const char template_text[] =
    P "kernel(scale<T, B, (R > 0 && B >> 1)>)\n" HEAD P "reference(slow<T>, rtol = 0)\n"
      "namespace a { inline namespace v1 {\n"
      "template <class T, int B, bool F> __global__ void scale(T *y, int n);\n"
      "template <class T, int B, bool F> requires (B > 0 && requires { B; })\n"
      "__global__ void scale(T *y, int n) { y[0] = U; }\n"
      "template <> __global__ void scale<float, 64, false>(float *y, int n) { y[0] = 1; }\n"
      "template __global__ void scale<float, 64, true>(float *y, int n);\n"
      "} }\n"
      "template <class T> __global__ void slow(double *y, int n) { y[0] = 2; }\n";

TEST(test_a_template)
{
    SETUP(b, template_text, "sm_90");
    assert_string_equal(b.template->name, "scale");
    gt_source source = source_of(&b, "B=128 U=2");
    assert_int_equal(source.instance_count, 1);
    assert_string_equal(source.instances[0], "a::v1::scale<float, 128, ((-2) > 0 && 128 >> 1)>");
    /* B and T are template arguments; only U is a macro */
    assert_non_null(strstr(source.text, "(B > 0 && requires { B; })\n__global__ void scale"));
    assert_null(strstr(source.text, "#define B "));
    assert_null(strstr(source.text, "#define T "));
    assert_non_null(strstr(source.text, "#define U 2"));
    /* specialisations are kept; explicit instances and the reference are removed */
    assert_non_null(strstr(source.text, "template <> __global__ void scale<float, 64, false>"));
    assert_null(strstr(source.text, "scale<float, 64, true>"));
    assert_null(strstr(source.text, "slow"));
    gt_source_free(&source);
    assert_string_equal(launch_of(&b, "").steps[0].entry, "a::v1::scale");
}

/* A kernel may be defined outside of its namespace. */
TEST(test_a_written_namespace)
{
    SETUP(b,
          P "kernel(a::b::k) problem(n = 100) args(out float y[n], int n)\n" P
            "tune(B = 64, 128) block(B) grid(1) launch_bounds(B, 2)\n"
            "namespace a { namespace b { __global__ void k(float *y, int n); } }\n"
            "__global__ void a::b::k(float *y, int n) { y[0] = B; }\n",
          "sm_90");
    GT_SCOPED(gt_source_free) gt_source source = source_of(&b, "B=128");
    assert_non_null(strstr(source.text, "__global__ void GPUTUNE_LAUNCH_BOUNDS a::b::k(float"));
    assert_string_equal(launch_of(&b, "").steps[0].entry, "k");
}

/* A parameter pack may be empty, or may take the last arguments of args(). Null pointers may be
 * written as in C++. */
TEST(test_a_pack)
{
    static const char *const cases[][2] = {{"k<2>", ""}, {"k<2, int>", ", int a = 1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        GT_SCOPED(setup_close) setup b = {0};
        (void)snprintf(text, sizeof text,
                       P "kernel(%s) problem(n = 100)\n" P
                         "args(out float y[n], float *b = nullptr%s) tune(B = 64, 128) block(B) "
                         "grid(1)\n"
                         "template <int N, typename... R>\n"
                         "__global__ void k(float *y, float *b, R... rest) { y[0] = N; }\n",
                       cases[i][0], cases[i][1]);
        setup_open(&b, text, "sm_90");
        GT_SCOPED(gt_source_free) gt_source source = source_of(&b, "B=128");
        assert_string_equal(source.instances[0], cases[i][0]);
    }
}

/* A char pointer accepts any buffer, because the strides of tensors are in bytes. */
TEST(test_bytes)
{
    SETUP(b,
          "struct S { float a; short b; };\n" P "kernel(k) problem(n = 100)\n" P
          "args(in float x[n], out S y[n], size_t nb = 8) tune(B = 64, 128) block(B) grid(1)\n"
          "__global__ void k(const char *x, char *y, size_t nb) { y[0] = B; }\n",
          "sm_90");
    assert_int_equal(b.workload.buffers[0].bytes, 400);
    assert_int_equal(b.workload.buffers[1].bytes, 800);
}

TEST(test_a_reference)
{
    GT_SCOPED(gt_source_free) gt_source source = {0};
    SETUP(b, template_text, "sm_90");
    ASSERT_OK(gt_source_reference(&source, b.template, &b.problem, &b.device, ""));
    assert_int_equal(source.instance_count, 1);
    assert_string_equal(source.instances[0], "slow<float>");
    assert_null(strstr(source.text, "void scale"));
    assert_string_equal(b.workload.reference.steps[0].entry, "slow");
}

TEST(test_a_plain_kernel_in_a_namespace)
{
    static const char text[] =
        P "kernel(a::scale)\n" HEAD "namespace b { __global__ void scale(T *y) {} }\n"
          "namespace a { __global__ void scale(T *y, int n) { y[0] = B + U; } }";
    SETUP(b, text, "sm_90");
    GT_SCOPED(gt_source_free) gt_source source = source_of(&b, "");
    assert_int_equal(source.instance_count, 0);
    assert_null(strstr(source.text, "scale(T *y) {}"));
    assert_non_null(strstr(source.text, "namespace a { extern \"C\" __global__ void scale"));
    assert_string_equal(launch_of(&b, "").steps[0].entry, "scale");
    assert_string_equal(b.template->name, "a::scale");
}

/* A kernel may use macros, which are expanded. A tunable in a macro stays a tunable, even if the
 * code defines a default value for it. */
TEST(test_kernels_and_macros)
{
    static const char *const cases[][2] = {
        {"#define BEGIN(name) namespace name {\n#define END }\nBEGIN(a)\n"
         "__device__ float f() { return 1; }\nEND\n__global__ void k(float *y) { y[0] = B * "
         "a::f(); }",
         "END\nextern \"C\" __global__ void k"},
        {"#define NAME k\n#define TAKES float *y\n__global__ void NAME(TAKES) { y[0] = B; }",
         "void k(float * y) { y[0] = B; }"},
        {"#ifndef B\n#define B 256\n#endif\n"
         "#define MAKE(name, ...) __global__ void name(float *y, ##__VA_ARGS__) { f(#name, B); }\n"
         "MAKE(k)",
         "k ( float * y ) { f ( \"k\" , B ) ; }"},
        {"#if __CUDA_ARCH__ > 800\n__global__ void k(float *y)\n#else\n"
         "__attribute__((global)) void k(float *y)\n#endif\n{ y[0] = B; }",
         "800\nextern \"C\" __global__ void k"},
        {"#define CAT(a, b) a##b\n#define B 9\n#define F CAT(f_, B)\n"
         "__device__ void f_1() {} __device__ void f_2() {} __global__ void k(float *y) { F(); }",
         "void f_1() {} __device__ void f_2() {}"},
        {"%:define FIRST 1\n#define TPL(N) template <int N>\nTPL(N) __global__ void k(float *y);\n"
         "template <int N> __global__ void k(int y, int n);\n"
         "template <> __global__ void k<1>(float *y) <% y<:0:> = FIRST; %>",
         " \ntemplate <> __global__ void k<1>(float *y) {  y[ 0]  = FIRST; } "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       P "kernel(%s) args(out float y[8]) tune(B = 1, 2) block(B) grid(1)\n%s\n",
                       strstr(cases[i][0], "<int N>") ? "k<B>" : "k", cases[i][0]);
        GT_SCOPED(template_end)
        gt_template *t = parse(text);
        GT_SCOPED(gt_source_free) gt_source source = default_source(t);
        assert_non_null(strstr(source.text, cases[i][1]));
    }
}

/* Kernels that no clause names are not compiled, so they may use the names of tunables. If an #if
 * depends on the architecture, the functions of both branches are kept. */
TEST(test_other_kernels_of_a_file)
{
    static const char text[] =
        P "kernel(scale)\n" HEAD P "reference(slow)\n"
          "template <int B> __global__ void other(float *y) { y[0] = B; }\n"
          "#if __CUDA_ARCH__ >= 900\n#define NEW \\ \n1\n#endif\n"
          "__device__ int old() { return 1; }\n"
          "dim3 block(B), grid(f()); int n = g(), y; void args(int *n) { exit(1); }\n"
          "__global__ void scale(T *y, int n) {\n#ifdef NEW\n y[0] = B + U;\n#else\n"
          "y[0] = U * old();\n#endif\n}\n"
          "__global__ void slow(T *y, int n) { y[0] = 1; }\n"
          "__global__ void more(float *y) { some_function_of_another_file(y); }\n";
    SETUP(b, text, "sm_90");
    GT_SCOPED(gt_source_free) gt_source source = source_of(&b, ""), reference = {0};
    ASSERT_OK(gt_source_reference(&reference, b.template, &b.problem, &b.device, ""));
    assert_null(strstr(source.text, "void other"));
    assert_null(strstr(source.text, "void more"));
    assert_null(strstr(source.text, "dim3 block"));
    assert_null(strstr(source.text, "int n = g()"));
    assert_null(strstr(source.text, "void args"));
    assert_null(strstr(reference.text, "void more"));
    assert_non_null(strstr(source.text, "void scale"));
    assert_non_null(strstr(source.text, "int old()"));
    assert_non_null(strstr(source.text, "NEW  \\\n1\n")); /* no blank after the backslash */
    assert_non_null(strstr(reference.text, "void slow"));
}

static const char *const mistakes[][2] = {
    {"scale<T, n>", "a.cu:1:33: 'n' is a run-time size; expected a tunable, a compile-time problem "
                    "value or a constant as template argument"},
    {"scale<T, sm_count>", "a.cu:1:33: 'sm_count' is a device property; expected a tunable, a "
                           "compile-time problem value or a constant as template argument"},
    {"scale<T", "a.cu:1:31: the pragma ends here; expected '>' after the template arguments"},
    {"scale<T>>", "a.cu:1:31: found '>>'; expected '>' after the template arguments"},
    {"scale<T>, 4", "a.cu:1:32: found ','; expected ',' or ')'"},
    {"a::", "a.cu:1:27: the pragma ends here; expected the kernel function's name"},
    {"b::scale",
     "a.cu:1:17: no __global__ function 'b::scale'; expected its definition in this file"},
    {"scale", "a.cu:1:17: 'scale' is a C++ template; expected its arguments, as in scale<T, "
              "BLOCK>, each a tunable, a compile-time problem value or a constant"},
    {"plain<T>",
     "a.cu:1:17: 'plain' is not a C++ template; expected it without template arguments"},
};

TEST(test_mistakes)
{
    EXPECT_MISTAKES("a.cu",
                    P "kernel(%s)\n" HEAD
                      "template <class T> __global__ void scale(T *y, int n) {}\n"
                      "__global__ void plain(T *y, int n) {}\n",
                    mistakes);
}

#define TWO                                                                                        \
    P "problem(n = 8) define(SHARED)\n" P                                                          \
      "kernel(one) args(out int y[n]) tune(A = 1, 2) block(A) grid(1) reference(same)\n" P         \
      "kernel(two) args(out int y[n]) tune(B = 1, 2) block(B) grid(1) reference(other<B>)\n"       \
      "__global__ void one(int *y) { y[0] = A; }\n"                                                \
      "__global__ void two(int *y) { y[0] = B; }\n"                                                \
      "__global__ void same(int *y) {}\n"                                                          \
      "template <int B> __global__ void other(int *y) {}\n"

/* Clauses before the first kernel() apply to every kernel. The source of a kernel does not contain
 * the functions of other kernels, because they may use other macros. */
TEST(test_several_kernels)
{
    for (int i = 0; i < 2; i++) {
        gt_template *t;
        const char *const names[] = {"one", "two"};
        ASSERT_OK(gt_template_parse(&t, "k.cu", TWO, i ? names[i] : NULL, NULL, NULL));
        assert_string_equal(t->name, names[i]);
        assert_int_equal(t->axis_count, 1);
        assert_string_equal(t->axes[0].name, i ? "B" : "A");
        GT_SCOPED(gt_source_free) gt_source source = default_source(t);
        assert_non_null(strstr(source.text, "#define SHARED"));
        assert_non_null(strstr(source.text, i ? "void two" : "void one"));
        assert_null(strstr(source.text, i ? "void one" : "void two"));
        assert_null(strstr(source.text, "void same"));
        assert_null(strstr(source.text, "void other"));
        gt_template_free(t);
    }
}

/* A clause after kernel() overrides the file's clause for that kernel only. */
TEST(test_clauses_of_all_kernels)
{
    static const char text[] =
        P "problem(n = 8) args(out int y[n]) block(8) grid(1) reference(same)\n" P "kernel(one)\n" P
          "kernel(two) args(out int y[2 * n]) args(int z = 1) block(4)\n"
          "__global__ void one(int *y) {}\n"
          "__global__ void two(int *y, int z) {}\n"
          "__global__ void same(int *y) {}\n";
    for (uint32_t i = 0; i < 2; i++) {
        gt_template *t;
        gt_launch launch;
        gt_problem problem;
        const gt_device device = device_of("sm_90");
        static const char with_reference[] = P "reference(y[i] = z)\n";
        char all[sizeof text + sizeof with_reference];
        (void)snprintf(all, sizeof all, "%s%s", text, i ? with_reference : "");
        ASSERT_OK(gt_template_parse(&t, "k.cu", all, i ? "two" : "one", NULL, NULL));
        const gt_config config = gt_config_default(t);
        ASSERT_OK(gt_problem_bind(&problem, t, (gputune_sizes){0, NULL}));
        ASSERT_OK(gt_launch_bind(&launch, t, &problem, &config, &device));
        assert_int_equal(launch.steps[0].block[0], i ? 4 : 8);
        assert_int_equal(t->argument_count, 1 + i);
        gt_template_free(t);
    }
}

static gputune_status append_kernel(void *to, const char *name)
{
    gt_text_printf(to, "%s ", name);
    return GPUTUNE_OK;
}

TEST(test_names)
{
    gt_text names = {0};
    gt_template *t;
    ASSERT_OK(gt_template_names("k.cu", TWO, NULL, NULL, append_kernel, &names));
    assert_string_equal(gt_text_string(&names), "one two ");
    gt_text_free(&names);
    ASSERT_OK(gt_template_names("k.cu", "int x;\n", NULL, NULL, append_kernel, &names));
    assert_int_equal(names.length, 0);
    assert_int_equal(gt_template_parse(&t, "k.cu", TWO, "three", NULL, NULL), GPUTUNE_ENOTFOUND);
    assert_string_equal(gt_message(), "no kernel 'three' in k.cu");
    expect_mistake(
        "k.cu", TWO P "kernel(one)\n",
        "k.cu:8:17: 'kernel' is given twice for 'one'; expected it once (first on line 2)");
}
