/* What of a program's text is the host's. */
#include "kernel_support.h"

#include "kernel/host_code.h"

/* Blanks at the ends of lines, and more than one in a row, go. */
static void squeeze(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++) {
        bool begins = to == text || to[-1] == '\n' || to[-1] == ' ';
        to -= *at == '\n' && to > text && to[-1] == ' ';
        if (*at != ' ' || !begins) {
            *to++ = *at;
        }
    }
    to -= to > text && to[-1] == ' ';
    *to = '\0';
}

static void check(const char *text, const char *expected)
{
    GT_FREED char *left = NULL;
    ASSERT_OK(gt_host_code_cut(&left, text, NULL));
    squeeze(left);
    assert_string_equal(left, expected);
}

TEST(test_functions_of_the_host_are_cut)
{
    check("int main() { return 0; }", "");
    check("void f(int n) { k<<<n, 1>>>(n); }", "");
    check("void f(int n) { k << < n, 1 >> > (n); }", "");
    check("#ifndef C\n#define C\ninline void __check(cudaError_t e) { std::cerr << e; }\n#endif\n"
          "__device__ int d;",
          "#ifndef C\n#define C\n\n#endif\n__device__ int d;");
    check("float *make(size_t n) { float *p; cudaMalloc(&p, n); return p; }", "");
    check("template <typename T = int> T *make(const std::vector<T> &x) { return 0; }", "");
    check("static void f(cudaError_t e);", "");
    check("float r() { return rand() / 2.f; }", "");
    check("extern \"C\" void f(void) { exit(1); }", "");
    check("long ticks() { unsigned a, d; __asm__(\"rdtsc\" : \"=a\" (a), \"=d\" (d)); return a; }\n"
          "class timer {\n  public:\n    long begun;\n    timer() { begun = ticks(); }\n};",
          "\n\n\n\n\n");
    check("__device__ double twice(double a) { asm(\"add.f64 %0, %0, %0;\" : \"+d\" (a)); return "
          "a; }",
          "__device__ double twice(double a) { asm(\"add.f64 %0, %0, %0;\" : \"+d\" (a)); return "
          "a; }");
    check("float norm(float complex *a) { return 1; } __device__ float f(float norm) { return "
          "norm; }",
          "__device__ float f(float norm) { return norm; }");
    check("int main()\n{\n#ifdef X\n    f();\n#endif\n}", "\n\n\n\n\n");
}

TEST(test_what_uses_the_host_is_the_hosts)
{
    check("void g(int n); void f() { exit(1); } void g(int n) { f(); }", "");
    check("#define CHECK(x) if (x != cudaSuccess) abort()\nvoid f() { CHECK(g()); }",
          "#define CHECK(x) if (x != cudaSuccess) abort()\n");
    check("std::vector<float> data; float at(int i) { return data[i]; }", "");
    check("using namespace std; int f(vector<int> &v) { return v[0]; }", "using namespace std;");
    check("__device__ vector<int> g; int f(vector<int> &v) { return v[0]; }",
          "__device__ vector<int> g;");
    check("template <> void same<half>(half *a) { std::cout << 1; } __device__ int d;",
          "__device__ int d;");
    check("__host__ int f(int x) { return x; } struct S { __host__ int f() { return 1; } }; "
          "__device__ S s;",
          "struct S { }; __device__ S s;");
    check("struct Timer { cudaEvent_t a, b; void go() {} }; void f(Timer &t) { t.go(); }", "");
    check("static gputune *tuner; gputune_plan *plan_of(int n) { return find(tuner, n); }", "");
    check("namespace gt = gputune_cxx; gt::tuner &tuner() { static gt::tuner one; return one; }",
          "");
    check("struct alignas(16) Q { float x; }; __global__ void k(Q *q) { }",
          "struct alignas(16) Q { float x; }; __global__ void k(Q *q) { }");
    check("typedef struct { FILE *f; } Log; void g(Log *l) { } struct P { float x; } p;",
          "struct P { float x; } p;");
}

TEST(test_the_gpus_part_stays)
{
    static const char *const texts[] = {
        "__global__ void k(float *y) { y[0] = 1; }",
        "float twice(float x) { return 2 * x; } __device__ float y = twice(1);",
        "int a(); int b() { return a(); } int a() { return 1; } __device__ int y = b();",
        "#define ALL(f) f(float)\nint ALL(int x) { return x; }",
        "__host__ __device__ float f(float x) { if (x < 0) { fprintf(stderr, \"?\"); } return x; }",
        "inline float2 operator+(float2 a, float2 b) { return a; } __device__ float2 f(float2 a) { "
        "return a + a; }",
        "__constant__ float c[4]; __device__ cudaTextureObject_t t;",
        "struct P { float x = 0, y{1}; P(float a) : x(a), y{a} {} float n() const { return x; } } "
        "p;",
        "unsigned rand(unsigned s) { return s * 5 + 1; } __device__ int y = rand(1);",
        "struct alignas(16) A { int a; }; struct A f(int a); enum B : int { C };",
        "typedef struct { int a; } Q; enum E { A, B }; const int N = 1 << 20; using V = float;",
        "namespace a { inline int f() { return 1; } __device__ int y = f(); }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check(texts[i], texts[i]);
    }
    check("#define HD __host__ __device__\nHD int f() { exit(1); }",
          "#define HD __host__ __device__\nHD int f() { exit(1); }");
    check("#if A\nvoid f() {\n#else\nvoid g() {\n#endif\nexit(1); }",
          "#if A\nvoid f() {\n#else\nvoid g() {\n#endif\nexit(1); }");
}

TEST(test_a_class_keeps_what_kernels_use)
{
    check("struct M { float *x; void make() { cudaMalloc(&x, 4); } int n; }; __device__ int f(M m) "
          "{ return m.n; }",
          "struct M { float *x; int n; }; __device__ int f(M m) { return m.n; }");
    check("class A { public: A() { exit(1); } private: int n; }; __device__ A a;",
          "class A { public: private: int n; }; __device__ A a;");
    check("class A { public: A &operator=(const A &b) { return *this; } void f() { exit(1); } int "
          "n; }; __device__ A a;",
          "class A { public: A &operator=(const A &b) { return *this; } int n; }; __device__ A a;");
}

TEST(test_a_class_that_no_kernel_reads_is_cut)
{
    check("struct Head { int n; }; class Image : Head { public: Image() : n(0) {} FILE *file() "
          "const; }; int f(Image &i) { return i.n; } __device__ int d;",
          "struct Head { int n; }; __device__ int d;");
    check("struct P { int n; }; __device__ int d;", "struct P { int n; }; __device__ int d;");
    check("struct Inner { int n; }; struct Outer { Inner i; }; __device__ int f(Outer *o);",
          "struct Inner { int n; }; struct Outer { Inner i; }; __device__ int f(Outer *o);");
    check("template <class T> struct V { T x; }; template <> struct V<int> { short x; }; "
          "__device__ V<int> v;",
          "template <class T> struct V { T x; }; template <> struct V<int> { short x; }; "
          "__device__ V<int> v;");
}

TEST(test_variables_that_no_kernel_reads_are_cut)
{
    check("GLuint buffers, *others; static Map<int, float> all[2]; __device__ int d;",
          "__device__ int d;");
    check("static struct option options[] = {\n {\"size\", 1},\n {0, 0}};\n__device__ int d;",
          "\n\n\n__device__ int d;");
    check("namespace own { Timer *timer = 0; } float plain; struct P { int n; } p; DECLARE;",
          "namespace own { } float plain; struct P { int n; } p; DECLARE;");
    check("Pair first, second = {1, 2}; __device__ int f() { return second.n; }",
          "Pair first, second = {1, 2}; __device__ int f() { return second.n; }");
    check("const Pair one = {1, 2}; extern Pair other;",
          "const Pair one = {1, 2}; extern Pair other;");
}

TEST(test_sizes_of_files_and_the_whole_library_are_the_hosts)
{
    check("typedef struct { float *at; ssize_t bytes; } Weights; __device__ int d;",
          "__device__ int d;");
    assert_true(gt_header_is_hosts("bits/stdc++.h"));
    assert_false(gt_header_is_hosts("bit.h"));
}

TEST(test_endless_nesting)
{
    static const char *const words[] = {"struct a{", "namespace a{", "extern \"C\" {", "f(", "{"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]), count = 200000;
        char *text = calloc(count, length + 1);
        char *left;
        assert_non_null(text);
        for (size_t k = 0; k < count; k++) {
            memcpy(text + k * length, words[i], length);
        }
        ASSERT_OK(gt_host_code_cut(&left, text, NULL));
        assert_string_equal(left, text);
        free(left);
        free(text);
    }
}
