/* Tests reducing a program to the code that its kernels need. */
#include "kernel_support.h"

#include "kernel/text/reach.h"

/* Removes blanks at the ends of lines, and replaces several blanks by one. */
static void remove_blanks(char *text)
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

static void check_read(const char *text, const char *read, const char *roots, const char *expected)
{
    GT_FREED char *left = NULL;
    ASSERT_OK(gt_reach_cut(&left, text, read, roots));
    remove_blanks(left);
    assert_string_equal(left, expected);
}

static void check(const char *text, const char *roots, const char *expected)
{
    check_read(text, text, roots, expected);
}

TEST(cut_drops_code_that_no_kernel_needs)
{
    static const char *const texts[] = {
        "int main() { return 0; }",
        "void f(int n) { k<<<n, 1>>>(n); }",
        "template <typename T = int> T *make(const std::vector<T> &x) { return 0; }",
        "extern \"C\" void f(void) { exit(1); }",
        "std::vector<float> data; float at(int i) { return data[i]; }",
        "template <> void same<half>(half *a) { std::cout << 1; }",
        "struct Timer { cudaEvent_t a, b; void go() {} }; void f(Timer &t) { t.go(); }",
        "namespace gt = gputune_cxx; gt::tuner &tuner() { static gt::tuner one; return one; }",
        "typedef struct { FILE *f; } Log; void g(Log *l) { }",
        "std::ostream &operator<<(std::ostream &out, const S &s) { return out; }",
        "GLuint buffers, *others; static Map<int, float> all[2];",
        "template class std::vector<int>; using std::cout;",
        "static const struct { char n; } rows[] = {{1}, {exit(2)}}; enum { C } e = f(sizeof(int));",
        "static void (*const all[2])(int *) = {&k, 0}; void (Host::*member)(int) = &Host::run;",
        "typedef std::map<int, std::string> Map; typedef std::string (*Text)(std::string, int);",
        "typedef void (S::*Member)(int); typedef std::string Function(int, float);",
        "__global__ void other(float *y) { y[0] = 1; } enum class E { A, B }; using enum E;",
        "template <class T> void k(T *y, int n) { k<T><<<n, 1>>>(y); }", /* a kernel's overload */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[256];
        snprintf(text, sizeof text, "__global__ void k(int *y) { } %s", texts[i]);
        check(text, "k", "__global__ void k(int *y) { }");
    }
    check("int main()\n{\n#ifdef X\n    f();\n#endif\n}", "k", "\n\n\n\n\n");
    check("#define CHECK(x) if (x != cudaSuccess) abort()\nvoid f() { CHECK(g()); }", "k",
          "#define CHECK(x) if (x != cudaSuccess) abort()\n");
}

/* Members, parameters and locals may have the names of host functions. */
TEST(cut_keeps_names_of_kernels_in_every_spelling)
{
    static const char *const texts[] = {
        "struct Ray { float enter, exit; }; __global__ void k(Ray *r) { r->exit = 1; }",
        "struct M { float map; int stdin; }; __device__ int f(M m) { return m.map; } "
        "__global__ void k(M m) { f(m); }",
        "float twice(float x) { return 2 * x; } __device__ float y = twice(1); "
        "__global__ void k() { y = 1; }",
        "int a(); int b() { return a(); } int a() { return 1; } __global__ void k() { b(); }",
        "inline float2 operator+(float2 a, float2 b) { return a; } __global__ void k() { 1 + 2; }",
        "struct P { float x = 0, y{1}; float n() const { return x; } }; "
        "__global__ void k(P p) { p.n(); }",
        "unsigned rand(unsigned s) { return s * 5 + 1; } __global__ void k() { rand(1); }",
        "typedef struct { int a; } Q; enum E { A, B }; const int N = 1 << 20; using V = float; "
        "__global__ void k(Q q, E e, V v) { q.a = N + A; }",
        "namespace a { inline int f() { return 1; } } __global__ void k() { a::f(); }",
        "template <class T> struct V { T x; }; template <> struct V<int> { short x; }; "
        "__global__ void k(V<int> v) { }",
        "struct alignas(16) Q { float x; }; __global__ void k(Q *q) { }",
        "enum class Mode { Fast, Safe }; static_assert(sizeof(Mode) == 4, \"\"); "
        "__global__ void k(Mode m) { }",
        "struct position { int row; position() { row = 0; } }; "
        "__global__ void k() { const position mine; }",
        "struct B { int n; __device__ int f(); }; __device__ int B::f() { return n; } "
        "__global__ void k(B b) { b.f(); }",
        "template <int N> struct B { int n; }; struct D : B<2> { int m; __device__ D(); }; "
        "__device__ D::D() : B<2>{1}, m{3} { } __global__ void k(D d) { }",
        "template <class T> struct Box { T t; }; template <class T> Box(T) -> Box<T>; "
        "__global__ void k() { Box box{1}; }",
        "template <class T> constexpr bool b = false; template <> constexpr bool b<float> = true; "
        "__global__ void k(int *y) { y[0] = b<float>; }",
        "template <class T> concept Real = true; template <class T> "
        "requires (Real<T> && sizeof(T) > 1) __global__ void k(T *x) { }",
        "enum class E { A, B }; using enum E; __global__ void k(int *y) { y[0] = (int)B; }",
        "API(a) __device__ int __f__() { return 1; } API(b) __global__ void k() { __f__(); }",
        "struct L { int n; }; __device__ int *begin(L l) { return 0; } "
        "__device__ int *end(L l) { return 0; } __global__ void k(L l) { for (auto x : l) { } }",
        "template <int I> __device__ int get(P p) { return I; } "
        "__global__ void k(P p) { auto &[a, b] = p; }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check(texts[i], "k", texts[i]);
    }
}

TEST(cut_follows_macros)
{
    static const char *const texts[] = {
        "#define HD __host__ __device__\nHD int f() { return 1; }\n"
        "__global__ void k() { f(); }",
        "#define JOIN(a, b) a##b\n#define CAT(a, b) JOIN(a, b)\n#define T int\n"
        "int f_int() { return 1; } __global__ void k() { CAT(f_, T)(); }",
        "#define ADD(name, op) __device__ int name(int a) { return a op 1; }\nADD(up, +)\n"
        "__global__ void k() { up(1); }",
        "#define BEGIN namespace n {\n#define END }\nBEGIN struct S { int a; }; END\n"
        "__global__ void k(n::S s) { }",
        "#define ADD(name) __global__ void name() { up(); }\n#define MAKE ADD\n"
        "__device__ void up() { }\nMAKE(k)",
        "#define USE help()\nvoid help() { } __global__ void k() { USE; }",
        "#define CAT(a, b) a##b\n#define EACH_1(m, x) m(x)\n#define EACH(m, x) CAT(EACH_, 1)(m, "
        "x)\n"
        "#define ADD(name) __device__ int name() { return 1; }\nEACH(ADD, up)\n"
        "__global__ void k() { up(); }",
        "#if __CUDA_ARCH__ < 800\n#define USE\n#else\n#define USE help()\n#endif\n"
        "void help() { } __global__ void k() { USE; }\n#undef USE",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check(texts[i], "k", texts[i]);
    }
    check("#define C(x) report(x)\nvoid report(int x) { std::exit(x); }\n#undef C\n#define C(x)\n"
          "__global__ void k() { C(1); }",
          "k", "#define C(x) report(x)\n\n#undef C\n#define C(x)\n__global__ void k() { C(1); }");
    check("#define ADD(name) void name() { std::exit(1); }\nADD(a)\nADD(k)", "k",
          "#define ADD(name) void name() { std::exit(1); }\n\nADD(k)");
}

TEST(cut_keeps_the_parts_of_a_class_that_kernels_use)
{
    check("struct M { float *x; void make() { cudaMalloc(&x, 4); } int n; }; "
          "__global__ void k(M m) { m.n; }",
          "k", "struct M { float *x; int n; }; __global__ void k(M m) { m.n; }");
    check("class A { public: A() { exit(1); } private: int n; }; __global__ void k(A a) { }", "k",
          "class A { public: private: int n; }; __global__ void k(A a) { }");
    check("class A { public: A &operator=(const A &b) { return *this; } void f() { exit(1); } int "
          "n; }; __global__ void k(A a) { }",
          "k",
          "class A { public: A &operator=(const A &b) { return *this; } int n; }; "
          "__global__ void k(A a) { }");
    check("__host__ int f(int x) { return x; } struct S { __host__ int f() { return 1; } "
          "__device__ S() {} S(Config c) {} friend ostream &operator<<(ostream &o, S s) {} }; "
          "__global__ void k(S s) { s.f(); f(1); S t; }",
          "k", "struct S { __device__ S() {} }; __global__ void k(S s) { s.f(); f(1); S t; }");
    check("struct B { B(const std::list<int> &l); int n; }; __global__ void k(B b) { b.n; }", "k",
          "struct B { int n; }; __global__ void k(B b) { b.n; }");
    check("struct W { W(int n); ~W(); int n; }; W::W(int n) { exit(n); } W::~W() { exit(1); } "
          "__global__ void k(W *w) { w->n; }",
          "k", "struct W { W(int n); ~W(); int n; }; __global__ void k(W *w) { w->n; }");
    check("struct S { __device__ S() {} S(int n); }; S::S(int n) { exit(n); } "
          "__global__ void k() { S s; }",
          "k", "struct S { __device__ S() {} }; __global__ void k() { S s; }");
    check("struct D { static std::map<int, D> all; static int n; static const int two = 2; }; "
          "std::map<int, D> D::all; int D::n; __global__ void k(D d) { D::n; }",
          "k",
          "struct D { static int n; static const int two = 2; }; int D::n; "
          "__global__ void k(D d) { D::n; }");
}

TEST(cut_drops_what_only_has_the_name_of_kept_code)
{
    check(
        "std::ofstream out; float index() { exit(1); } struct in { int n; void out() { exit(1); } "
        "}; __global__ void k(in a) { }",
        "k ; in out index", "struct in { int n; }; __global__ void k(in a) { }");
    check("struct P { std::string s; }; int N = std::stoi(s); template <class P, int N = 2> "
          "struct A { P p[N]; __device__ P f() { return p[N - 1]; } }; __global__ void k(A<int> a) "
          "{ }",
          "k",
          "template <class P, int N = 2> struct A { P p[N]; __device__ P f() { return p[N - 1]; } "
          "}; __global__ void k(A<int> a) { }");
    check("namespace host { struct P { std::string s; }; static_assert(sizeof(P) > 4); } "
          "struct P { int n; }; __global__ void k(P p) { p.n; }",
          "k", "namespace host { } struct P { int n; }; __global__ void k(P p) { p.n; }");
    check("namespace a { struct P { std::string s; }; } namespace b { struct P { int n; }; } "
          "__global__ void k(b::P p) { }",
          "k ; b ::P",
          "namespace a { } namespace b { struct P { int n; }; } "
          "__global__ void k(b::P p) { }");
    static const char *const texts[] = {
        "namespace a::b { inline namespace c { namespace { struct P { int n; }; } } } "
        "namespace d = a; __global__ void k(d::b::P p) { }",
        "namespace a { int f(int) { return 1; } namespace b { __global__ void k() { f(1); } } }",
        "#define NAME a\nnamespace NAME { int f() { return 1; } } __global__ void k() { a::f(); }",
        "namespace a { struct P { int n; }; bool operator<(P, P) { return 1; } } "
        "using a::P; __global__ void k(P p) { p < p; }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check(texts[i], "k", texts[i]);
    }
}

TEST(cut_keeps_text_that_it_cannot_read)
{
    static const char torn[] = "#if A\nvoid f() {\n#else\nvoid g() {\n#endif\nexit(1); }";
    static const char heads[] = "#if A\nvoid f()\n#else\nvoid g()\n#endif\n{ exit(1); }";
    check(torn, "k", torn);
    check(heads, "k", "\n\n\n\n\n");
    check(heads, "f", heads);
    check(heads, "g", heads);
    check_read("#if A\nint f()\n#else\nint g()\n#endif\n{ }",
               "     \n       \n     \nint g()\n      \n{ }", "k",
               "#if A\nint f()\n#else\n\n#endif\n");
}

TEST(cut_keeps_assertions_only_with_their_library)
{
    check(
        "#include <type_traits>\nstatic_assert(std::is_same_v<int, int>); __global__ void k() { }",
        "k", "\n__global__ void k() { }");
    static const char text[] = "#include <type_traits>\n__device__ std::size_t n; "
                               "static_assert(std::is_same_v<int, int>); "
                               "__global__ void k() { n = 1; }";
    check(text, "k", text);
}

TEST(cut_gives_a_namespace_to_each_using_directive)
{
    check("using namespace a::b; int x;", "k",
          "namespace a { namespace b { } } using namespace "
          "a::b;");
    check("namespace { namespace n { struct S { }; } } using namespace n;", "S",
          "namespace { namespace n { struct S { }; } } using namespace n;");
    check("namespace c = a; using namespace c; __global__ void k() { c::f(); }", "k",
          "namespace c = a; using namespace c; __global__ void k() { c::f(); }");
}

TEST(cut_drops_headers_that_no_kernel_needs)
{
    static const char code[] = "void f() { std::g(); thrust::sort(); } __global__ void k() { ";
    const char *headers = "#include <functional>\n#include <cmath>\n#include <thrust/sort.h>\n"
                          "#include <thrust/pair.h>\n#include <thrust/functional.h>\n";
    static const char *const bodies[][2] = {
        {"}", "\n#include <cmath>\n\n\n\n__global__ void k() { }"},
        {"thrust::pair<int, int> p; }",
         "\n#include <cmath>\n\n#include <thrust/pair.h>\n#include <thrust/functional.h>\n"
         "__global__ void k() { thrust::pair<int, int> p; }"},
        {"std::g(); }",
         "#include <functional>\n#include <cmath>\n\n\n\n__global__ void k() { std::g(); }"}};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s%s", headers, code, bodies[i][0]);
        check(text, "k", bodies[i][1]);
    }
}

TEST(cut_survives_endless_nesting)
{
    static const char *const words[] = {"struct a{", "namespace a{", "extern \"C\" {", "f(", "{"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]), count = 200000;
        GT_FREED char *text = calloc(count, length + 1);
        GT_FREED char *left = NULL;
        assert_non_null(text);
        for (size_t k = 0; k < count; k++) {
            memcpy(text + k * length, words[i], length);
        }
        ASSERT_OK(gt_reach_cut(&left, text, text, "k"));
        assert_int_equal(strlen(left), count * length);
    }
}
