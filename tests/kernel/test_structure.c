/* Tests structs in arguments: layout, how their members are filled, and mistakes. */
#include "kernel_support.h"

#include "kernel/template/structure.h"

#define HEAD                                                                                       \
    "#pragma gputune kernel(k) problem(n = 100, const R = 2, type T = float, double) block(1) "    \
    "grid(1)\n"
#define BODY "__global__ void k(S *y) {}\n"

static const char nested[] =
    "#define TRAIL 3\n"
    "typedef double real;\n"
    "using count = unsigned int;\n"
    "struct inner { char a; short b[R]; };\n"
    "struct [[nodiscard]] __align__(16) S {\n"
    "    float3 place, speed; // two of a line\n"
    "    real mass = 1;\n"
    "    inner parts[2][2] {};\n"
    "    __builtin_align__(8) bool on;\n"
    "    count trail[TRAIL];\n"
    "    T last;\n"
    "    static constexpr int K = 4;\n"
    "    __device__ S() : mass(2) {}\n"
    "    __device__ float f(int i) const { return place.x * i; }\n"
    "};\n" HEAD
    "#pragma gputune args(inout S y[n] = {.place = zero, .speed.z = uniform(2, 3), .parts = "
    "uniform(1, 5), .parts[0][1].b[1] = index, .on = constant(1), .trail = zero})\n" BODY;

static const gt_number *number_of(const gt_workload *w, const gt_buffer *buffer, const char *name)
{
    for (uint32_t i = 0; i < buffer->number_count; i++) {
        if (strcmp(w->numbers[buffer->first_number + i].name, name) == 0) {
            return &w->numbers[buffer->first_number + i];
        }
    }
    fail_msg("no number %s", name);
    return NULL;
}

TEST(test_layout)
{
    static const struct {
        const char *name;
        uint32_t offset;
        gt_type type;
        gt_fill_kind fill;
    } cases[] = {{"place.x", 0, GT_TYPE_F32, GT_FILL_ZERO},
                 {"speed.x", 12, GT_TYPE_F32, GT_FILL_UNIFORM},
                 {"speed.z", 20, GT_TYPE_F32, GT_FILL_UNIFORM},
                 {"mass", 24, GT_TYPE_F64, GT_FILL_UNIFORM},
                 {"parts[0][0].a", 32, GT_TYPE_I8, GT_FILL_UNIFORM},
                 {"parts[0][1].b[1]", 42, GT_TYPE_I16, GT_FILL_INDEX},
                 {"parts[1][1].b[1]", 54, GT_TYPE_I16, GT_FILL_UNIFORM},
                 {"on", 56, GT_TYPE_BOOL, GT_FILL_CONSTANT},
                 {"trail[2]", 68, GT_TYPE_U32, GT_FILL_ZERO},
                 {"last", 72, GT_TYPE_F32, GT_FILL_UNIFORM}};
    setup b;
    char name[2 * GT_NAME_MAX];
    setup_open(&b, nested, "sm_90");
    const gt_buffer *y = &b.workload.buffers[0];
    assert_int_equal(y->bytes, 8000);
    assert_int_equal(gt_buffer_element_bytes(y), 80);
    assert_int_equal(gt_buffer_alignment(y), 16);
    assert_int_equal(gt_buffer_count(y), 100);
    assert_int_equal(y->number_count, 24);
    assert_int_equal(y->type, GT_TYPE_F32);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const gt_number *number = number_of(&b.workload, y, cases[i].name);
        assert_int_equal(number->offset, cases[i].offset);
        assert_int_equal(number->type, cases[i].type);
        assert_int_equal(number->fill, cases[i].fill);
    }
    assert_true(number_of(&b.workload, y, "speed.z")->low == 2);
    assert_string_equal(gt_component_name(name, &b.workload, y, 24 + 5), "y[1].speed.z");
    setup_close(&b);
    setup_open_at(&b, nested, "sm_90", GPUTUNE_SIZES({"T=double", 0}, {"R", 4}), 0, NULL, 0);
    assert_int_equal(gt_buffer_element_bytes(&b.workload.buffers[0]), 96);
    setup_close(&b);
}

static const char scalar[] =
    "struct step { float g[2]; int limit; size_t n; };\n"
    "#pragma gputune kernel(k) problem(n = 100) block(1) grid(1)\n"
    "#pragma gputune args(out float y[n], step s = {0.5, .limit = 2 * n}, float4 a = 1.5, bool on "
    "= 1, int2 p = {3, 4})\n"
    "__global__ void k(float *y, const step s, float4 a, bool on, int2 p) {}\n";

TEST(test_values)
{
    SETUP(b, scalar, "sm_90");
    const gt_workload *w = &b.workload;
    const gt_number *step = &w->numbers[w->scalars[0].first_number];
    assert_int_equal(w->scalars[0].bytes, 24);
    assert_true(step[0].low == 0.5 && step[1].low == 0.5);
    assert_int_equal(step[2].integer, 200);
    assert_int_equal(step[3].integer, 100);
    assert_int_equal(step[3].problem_value, 0);
    assert_true(w->numbers[w->scalars[1].first_number + 3].low == 1.5);
    assert_int_equal(gt_scalar_number(w, &w->scalars[2])->integer, 1);
    assert_int_equal(w->numbers[w->scalars[3].first_number + 1].integer, 4);
    const gt_launch launch = launch_of(&b, "");
    const uint32_t bytes[] = {8, 24, 16, 1, 8};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(launch.parameters[i].bytes, bytes[i]);
    }
}

/* Members that args() omits get the default values in the code, as in C++. A member with the name
 * of a size gets this size instead. A functor occupies one byte. */
TEST(test_values_of_the_code)
{
    static const char text[] =
        "#define HALF 0.5f\n"
        "struct Plus { __device__ float operator()(float a, float b) const { return a + b; } };\n"
        "struct S { float a = HALF * 3, b = 4; int c{2 + 3}, n = 9; float w[2] = {1, 2};\n"
        "           float2 v = make_float2(1, 2); S() = default; S(float a) : a(a) {}\n"
        "           int u[4] = {1, 2 * 3,}; float z[2]{}; };\n"
        "#pragma gputune kernel(k) problem(n = 100) block(1) grid(1)\n"
        "#pragma gputune args(out float y[n], Plus op, S s = {.b = 7, .w = 6, .v = 8})\n"
        "__global__ void k(float *y, Plus op, S s) {}\n";
    static const int values[] = {-1, 7, 5, 100, 6, 6, 8, 8, 1, 6, 0, 0, 0, 0};
    SETUP(b, text, "sm_90");
    const gt_launch launch = launch_of(&b, "");
    assert_int_equal(launch.parameters[1].bytes, 1);
    const gt_scalar *s = &b.workload.scalars[1];
    assert_int_equal(s->number_count, 14);
    for (uint32_t i = 0; i < 14; i++) {
        const double value = b.workload.numbers[s->first_number + i].low;
        assert_true(value == (i ? values[i] : 1.5));
    }
}

/* Members of base classes are members, even if the base class is a template instance. An enum has
 * its underlying type. An enum type inside a struct is not data. */
TEST(test_bases_and_enums)
{
    static const char text[] =
        "enum mode { LEFT, RIGHT = 5, BOTH };\n"
        "typedef enum { SLOW, FAST } speed;\n"
        "namespace ns { enum class kind : unsigned char { A, B = 7, C }; }\n"
        "template <typename T> struct pointer { typedef T type; enum { size = sizeof(T) }; T "
        "*data; pointer(T *t) : data{t} {} pointer &operator=(const pointer &a) = default; };\n"
        "template <typename T> struct step : public pointer<T> { ulong pitch; T &at(int i); };\n"
        "struct none {};\n"
        "template <typename T> struct image : step<T>, none { std::int32_t cols; enum mode m; "
        "ns::kind k; int dims[4]; };\n"
        "#pragma gputune kernel(k) problem(n = 100) block(1) grid(1)\n"
        "#pragma gputune args(image<float> i = {.pitch = 4 * n, .cols = n, .m = BOTH, .k = C, "
        ".dims = {n, 2}}, "
        "mode m = RIGHT, enum mode o = LEFT, speed s = FAST, ns::kind c = B, bool on = true, bool "
        "off "
        "= "
        "false, out float i.data[n])\n"
        "__global__ void k(image<float> i, mode m, mode o, speed s, ns::kind c, bool on, bool off) "
        "{}\n";
    static const int values[] = {6, 5, 0, 1, 7, 1, 0}, bytes[] = {48, 4, 4, 4, 1, 1, 1};
    SETUP(b, text, "sm_90");
    const gt_workload *w = &b.workload;
    const gt_number *image = &w->numbers[w->scalars[0].first_number];
    assert_int_equal(w->scalars[0].number_count, 8);
    assert_int_equal(image[0].offset, 8);
    assert_int_equal(image[0].integer, 400);
    assert_int_equal(image[1].offset, 16);
    assert_int_equal(image[2].integer, 6);
    assert_int_equal(image[3].offset, 24);
    assert_int_equal(image[3].integer, 8);
    assert_int_equal(image[4].integer, 100);
    assert_int_equal(image[5].integer, 2);
    assert_int_equal(image[7].integer, 0);
    for (uint32_t i = 1; i < 7; i++) {
        assert_int_equal(gt_scalar_number(w, &w->scalars[i])->integer, values[i]);
    }
    const gt_launch launch = launch_of(&b, "");
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(launch.parameters[i].bytes, bytes[i]);
    }
}

/* C's `typedef struct S S;` before the definition does not hide the struct. */
TEST(test_a_name_of_itself)
{
    SETUP(b,
          "typedef struct S S;\n"
          "struct S { int a; float *p; };\n"
          "#pragma gputune kernel(k) problem(n = 100) block(1) grid(1)\n"
          "#pragma gputune args(S s = {.a = 3}, out float s.p[n])\n"
          "__global__ void k(S s) {}\n",
          "sm_90");
    assert_int_equal(b.workload.scalars[0].number_count, 1);
    assert_int_equal(b.workload.numbers[b.workload.scalars[0].first_number].integer, 3);
}

/* A type may be declared in a struct, which may be a template. */
TEST(test_nested_types)
{
    static const uint32_t bytes[] = {16, 4, 8, 1, 16};
    SETUP(b,
          "namespace a { template <class T> class A { T z[9]; public: struct B { T x; int n; }; "
          "typedef T V; template <class U> struct C { struct D { U d; }; }; void f() {} }; }\n"
          "struct E { E() : z(1) {} enum M : char { X, Y }; int z; };\n"
          "class F { struct G; struct G { double d; }; struct H final { G g; } h; enum { N }; E::M "
          "m; "
          "enum class K { A } k; };\n"
          "#pragma gputune kernel(k) problem(n = 100) block(1) grid(1)\n"
          "#pragma gputune args(out float y[n], a::A<double>::B b = {1, 2}, A<float>::V v = 2, "
          "A<int>::C<double>::D d = {1}, E::M m = 1, F f = {{{1}}, 1, 0})\n"
          "__global__ void k(float *y, a::A<double>::B b, a::A<float>::V v, "
          "a::A<int>::C<double>::D d, "
          "E::M m, F f) {}\n",
          "sm_90");
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(b.workload.scalars[i].bytes, bytes[i]);
    }
}

/* A type is searched in the namespaces of its name, and in those of the struct that uses it. */
TEST(test_namespaces)
{
    SETUP(b,
          "namespace a { struct P { std::string s; }; struct S { P p; }; }\n"
          "namespace b { struct P { int n; }; struct S { P p; float x; }; }\n"
          "#pragma gputune kernel(k) problem(n = 100) block(1) grid(1)\n"
          "#pragma gputune args(out float y[n], S s = {.p.n = 3, .x = 1}, b::S t = {{2}, n})\n"
          "namespace b { __global__ void k(float *y, S s, S t) {} }\n",
          "sm_90");
    assert_int_equal(b.workload.scalars[0].bytes, 8);
    assert_int_equal(b.workload.scalars[1].bytes, 8);
}

/* A matching specialisation of a struct template is preferred to the template. */
TEST(test_specialisations)
{
    static const char text[] =
        "enum kind { SCALE, SHIFT, NONE };\n"
        "template <kind K, typename T> struct op { char none; };\n"
        "template <typename U> struct op<SCALE, U> { U alpha, beta; };\n"
        "template <> struct op<SHIFT, double> { int by; };\n"
        "#pragma gputune kernel(k) problem(n = 100) block(1) grid(1)\n"
        "#pragma gputune args(out float y[n], op<SCALE, float> a = {1, 2}, op<SCALE, double> b = "
        "{3, "
        "4}, op<SHIFT, double> c = {5}, op<SHIFT, float> d = {6})\n"
        "__global__ void k(float *y, op<SCALE, float> a, op<SCALE, double> b, op<SHIFT, double> c, "
        "op<SHIFT, float> d) {}\n";
    static const uint32_t bytes[] = {8, 16, 4, 1};
    SETUP(b, text, "sm_90");
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(b.workload.scalars[i].bytes, bytes[i]);
    }
}

/* Nested lists initialise members as in C. */
TEST(test_nested_lists)
{
    static const struct {
        const char *list;
        int values[10]; /* in memory order */
    } cases[] = {
        {"{1, {2, 3, 4}, {5, 6}, {{7, 8}, {9, 10}}}", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
        {"{1, 2, 3, 4}", {1, 2, 2, 2, 3, 3, 4, 4, 4, 4}},
        {"{1, .f = {2, 3, 4}, .p.y = 6, .p.x = 5, .in = {{7, .b = 8}}, .in[1] = {9, 10}, .in[0].b "
         "= 3}",
         {1, 2, 3, 4, 5, 6, 7, 3, 9, 10}},
        {"{{1}, {.z = 4, 3}, {5, 6}, {7, {8, 9}}, .f.x = 2}", {1, 2, 3, 4, 5, 6, 7, 7, 8, 9}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        GT_SCOPED(setup_close) setup b = {0};
        char source[512];
        (void)snprintf(source, sizeof source,
                       "struct inner { int a; short b; };\n"
                       "struct S { double a; float3 f; int2 p; inner in[2]; };\n"
                       "#pragma gputune kernel(k) problem(n = 100) block(1) grid(1)\n"
                       "#pragma gputune args(out float y[n], S s = %s)\n"
                       "__global__ void k(float *y, S s) {}\n",
                       cases[c].list);
        setup_open(&b, source, "sm_90");
        const gt_scalar *s = &b.workload.scalars[0];
        assert_int_equal(s->number_count, 10);
        for (uint32_t i = 0; i < 10; i++) {
            assert_true(b.workload.numbers[s->first_number + i].low == cases[c].values[i]);
        }
    }
}

/* The layout of a template instance depends on its arguments, which may be problem values. The
 * compiler confirms the layout. */
TEST(test_instances)
{
    static const char text[] =
        "template <typename E, int N = 1> struct vec { E v[N]; __device__ E &at(int i); };\n"
        "template <class A, class B> struct Pair { A first; vec<B, 2> second; };\n"
        "using Both = Pair<double, unsigned short>;\n" HEAD
        "#pragma gputune args(out vec<T, R> y[n], in Pair<char,vec<float, 3>> x[n] = {zero, "
        "uniform(1, 2)}, Both b = {1, .second.v = 2})\n"
        "__global__ void k(vec<T, R> *y, const Pair<char, vec<float, 3>> *x, Both b) {}\n";
    GT_SCOPED(setup_close) setup b = {0};
    setup_open_at(&b, text, "sm_90", GPUTUNE_SIZES({"T=double", 0}, {"R", 4}), 0, NULL, 0);
    assert_int_equal(gt_buffer_element_bytes(&b.workload.buffers[0]), 32);
    assert_int_equal(gt_buffer_element_bytes(&b.workload.buffers[1]), 28);
    assert_int_equal(number_of(&b.workload, &b.workload.buffers[1], "second.v[1].v[2]")->offset,
                     24);
    assert_int_equal(b.workload.scalars[0].bytes, 16);
    GT_SCOPED(gt_source_free) gt_source source = source_of(&b, "");
    assert_non_null(strstr(source.text, "static_assert(sizeof(vec<double,4>) == 32"));
}

/* Other code cannot name private members of a class, so only the size is confirmed. */
TEST(test_private_members)
{
    static const char text[] =
        "class S { float hidden; public: float seen; private: float kept; };\n" HEAD
        "#pragma gputune args(out S y[n])\n" BODY;
    SETUP(b, text, "sm_90");
    GT_SCOPED(gt_source_free) gt_source source = source_of(&b, "");
    assert_non_null(strstr(source.text, "->seen) == 4, "));
    assert_null(strstr(source.text, "->hidden"));
    assert_null(strstr(source.text, "->kept"));
}

static const struct {
    const char *declaration, *argument, *message;
} mistakes[] = {
    {"struct S { float *p; };", "out S y[n]",
     "a.cu:3:28: elements of 'y' have a pointer, 'p'; expected an init() kernel, which sets it to "
     "the address of another buffer of args()"},
    {"struct S { float *p; };", "out float y[n], S s",
     "a.cu:3:40: 's.p' is a pointer and has no buffer; expected one at the end of args(), as in "
     "'in float s.p[n]', or 'float *s.p = null'"},
    {"struct S { float *p; };", "out float y[n], S s = {1}, in float s.p[n]",
     "a.cu:3:40: s.p is a pointer, but the list gives it a number; expected a list without it, as "
     "in {.n = 2}"},
    {"struct S { float *p; };", "out float y[n], S s, in double s.p[n]",
     "a.cu:3:53: 's.p' points to float; expected that as its type"},
    {"struct S { float *p; int q; };", "out float y[n], S s, in float s.q[n]",
     "a.cu:3:52: 's.q' is not a pointer in a struct; expected a pointer member of an argument "
     "before it, as x of 'Grid g' in 'in float g.x[n]'"},
    {"struct S { float *p; };", "S s, out float s.p[n], int y = 1",
     "a.cu:3:49: parameter 'y' is after 's.p', which a struct points to; expected all parameters "
     "first"},
    {"struct S { float *p; };", "S s, out float s.p[n])\n#pragma gputune reference(s.p[i] = 1",
     "a.cu:4:27: reference() by elements does not reach 's.p', which a struct points to; expected "
     "a kernel in reference()"},
    {"struct S { int a : 3; };", "out S y[n]",
     "a.cu:1:18: a bit-field in struct 'S', which an argument uses; expected whole numbers"},
    {"struct S : B { int a; };", "out S y[n]",
     "a.cu:1:12: an unknown base class in struct 'S', which an argument uses; expected a struct of "
     "this file"},
    {"struct B { int b; };\nstruct S : virtual B { int a; };", "out S y[n]",
     "a.cu:2:12: a virtual base class in struct 'S', which an argument uses; expected a plain "
     "struct of numbers"},
    {"typedef B S;\ntypedef S B;", "out S y[n]",
     "a.cu:1:1: type 'B' is an alias of itself; expected a struct or number type"},
    {"union S { int a; float b; };", "out S y[n]",
     "a.cu:1:1: a union in struct 'S', which an argument uses; expected a plain struct of numbers"},
    {"template <int N> struct S { int a[N]; };", "out S y[n]",
     "a.cu:1:18: a template without arguments in struct 'S', which an argument uses; expected a "
     "plain struct of numbers"},
    {"template <class A, int N> struct S { A a[N]; };", "out S<float> y[n]",
     "a.cu:1:46: unknown name 'N'; expected a number or a compile-time problem value"},
    {"struct W;\nstruct S { float a; W b; };\nstruct W { S back; };", "out S y[n]",
     "a.cu:1:1: struct 'S' contains itself; expected a pointer to it, or another type"},
    {"namespace a { struct S { int a; }; }\nnamespace b { struct S { int a; }; }", "out S y[n]",
     "a.cu:4:28: 'S' is declared in the namespaces 'a' and 'b'; expected one of them before its "
     "name"},
    {"struct S { flaot a; };", "out S y[n]",
     "a.cu:1:12: unknown type 'flaot' in struct 'S'; expected 'float'"},
    {"struct S { };", "out S y[n]",
     "a.cu:3:28: elements of 'y' are S, which has no data; expected a type with numbers"},
    {"struct S { float a; int b; };", "inout S y[n]",
     "a.cu:3:30: 'y.b' has integers but no fill; expected { …, .b = uniform(low, high) }, index, "
     "zero or constant(value)"},
    {"struct S { float a; int2 b; };", "out S y[n], S s = {1, {2, 3, 4}}",
     "a.cu:3:36: item 3 of a list in the list has no member in S; expected at most one for each "
     "member; a member with several numbers takes them in { }, members of a base class have no { } "
     "around them"},
    {"struct B { float a; int b; };\nstruct S : B { int c; };", "out S y[n], S s = {{1, 2}, 3}",
     "a.cu:4:36: item 2 of a list in the list has no member in S; expected at most one for each "
     "member; a member with several numbers takes them in { }, members of a base class have no { } "
     "around them"},
    {"struct S { float a; int2 b; };", "out S y[n], S s = {1, .b = {2, .z = 4}}",
     "a.cu:3:36: S has no member 'b.z'; expected one of its members"},
    {"struct S { float a; int b; };", "inout S y[n] = {zero, .c = zero}",
     "a.cu:3:30: S has no member 'c'; expected one of its members"},
    {"struct S { float a; int b; };", "out S y[n], S s = {.a = 1}",
     "a.cu:3:36: s.b without a value; expected { .b = value }, or the name of a problem value"},
    {"struct S { float a; int b; };", "out S y[n], S s = {1, 0.5}",
     "a.cu:3:44: '0.5' is floating-point, but s.b is not; expected an integer expression"},
};

TEST(test_mistakes)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char text[1024];
        gt_template *template = NULL;
        gt_problem problem;
        GT_FREED gt_workload *workload = calloc(1, sizeof *workload);
        const gt_device device = device_of("sm_90");
        (void)snprintf(text, sizeof text,
                       "%s\n" HEAD "#pragma gputune args(%s)\n"
                       "__global__ void k(%s%s) {}\n",
                       mistakes[i].declaration, mistakes[i].argument,
                       strstr(mistakes[i].argument, "S y") ? "S *y" : "float *y",
                       strstr(mistakes[i].argument, "S s") ? ", S s" : "");
        gputune_status status = gt_template_parse(&template, "a.cu", text, NULL, NULL, NULL);
        if (status == GPUTUNE_OK) {
            ASSERT_OK(gt_problem_bind(&problem, template, GPUTUNE_NO_SIZES));
            status = gt_workload_bind(workload, template, &problem, &device, 0, NULL, 0);
        }
        assert_int_equal(status, GPUTUNE_ETEMPLATE);
        assert_string_equal(gt_message(), mistakes[i].message);
        gt_template_free(template);
    }
}
