/* Tests that the expressions of clauses can use constants of the code, and define(). */
#include "kernel_support.h"

#define P         "#pragma gputune "
#define K         "__global__ void k(float *y, int m) { y[0] = B; }\n"
#define MORE_OF_K "__global__ void k(float *y, int m, int p, int q, bool r) { y[0] = B; }\n"

static const char text[] =
    "#define WIDTH 64\n"
    "#define AREA (WIDTH * HEIGHT) /* of both */\n"
    "#define TILE (2 * B)\n"
    "#define CALL(x) x\n"
    "constexpr int HEIGHT = 32, DEPTH = 2;\n"
    "#define WIDTH 64 // as before\n"
    "enum side { NONE, ONE, COUNT = 3, MORE, LAST = MORE * 4, BEHIND };\n"
    "namespace a { static const unsigned int LIMIT = 1 << 4; }\n"
    "__device__ int f() { const int LOCAL = 5; return LOCAL; }\n" P
    "kernel(k) problem(n = 100) define(OWN = COUNT * LIMIT)\n" P
    "args(inout float y[AREA + OWN], int m = HEIGHT, int p = NONE + ONE + "
    "2 * MORE, int q = BEHIND, bool r = !false && true)\n" P "tune(B = 32, 64)\n" P
    "block(B) grid(ceil_div(AREA, TILE)) shared(WIDTH * sizeof(float))\n" P
    "init(fill, grid = OWN)\n" MORE_OF_K
    "__global__ void fill(float *y, int m, int p, int q, bool r, "
    "unsigned long long seed) {}\n";

TEST(test_values)
{
    SETUP(b, text, "sm_90");
    const gt_launch launch = launch_of(&b, "B=64");
    assert_int_equal(b.workload.buffers[0].elements, 64 * 32 + 48);
    assert_int_equal(b.workload.numbers[0].integer, 32);
    assert_int_equal(b.workload.numbers[1].integer, 9);
    assert_int_equal(b.workload.numbers[2].integer, 17);
    assert_int_equal(b.workload.numbers[3].integer, 1);
    assert_int_equal(launch.steps[0].grid[0], 16); /* TILE depends on the configuration */
    assert_int_equal(launch.steps[0].shared_bytes, 256);
    assert_int_equal(b.workload.init.steps[0].grid[0], 48);
}

static const struct {
    const char *code, *extent, *message;
} mistakes[] = {
    {"#define SIZE 4\n#undef SIZE\n#define SIZE 8\n", "SIZE",
     "unknown name 'SIZE'; expected a problem value or a device property"},
    {"__device__ int f() {\nconst int SIZE = 5;\n}\n", "SIZE",
     "unknown name 'SIZE'; expected a problem value or a device property"},
    {"#define SIZE(x) x\n", "SIZE",
     "unknown name 'SIZE'; expected a problem value or a device property"},
    {"#define SIZE MORE\n#define MORE (SIZE + 1)\n", "SIZE",
     "the value that the code gives 'SIZE' cannot be evaluated here; expected a number, or an "
     "expression of names that are allowed here"},
    {"const int SIZE = f(3);\n", "SIZE",
     "the value that the code gives 'SIZE' cannot be evaluated here; expected a number, or an "
     "expression of names that are allowed here"},
    {"#define SIZE (2 * B)\n", "SIZE",
     "the value that the code gives 'SIZE' cannot be evaluated here; expected a number, or an "
     "expression of names that are allowed here"},
};

TEST(test_mistakes)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char all[1024];
        gt_template *template = NULL;
        (void)snprintf(all, sizeof all,
                       "%s" P "kernel(k) problem(n = 100) args(inout float y[%s], int m = 1)\n" P
                       "tune(B = 32, 64) block(B) grid(1)\n" K,
                       mistakes[i].code, mistakes[i].extent);
        assert_int_equal(gt_template_parse(&template, "a.cu", all, NULL, NULL, NULL),
                         GPUTUNE_ETEMPLATE);
        const char *message = strstr(gt_message(), ": ");
        assert_non_null(message);
        assert_string_equal(message + 2, mistakes[i].message);
    }
}

/* The driver finds kernels by name, so a static kernel becomes extern "C". */
TEST(test_static_kernel)
{
    SETUP(b,
          P "kernel(k) args(inout float y[8]) block(32) grid(1)\n"
            "static __global__ void k(float *y);\n"
            "static __global__ void k(float *y) { static int kept; }\n",
          "sm_90");
    GT_SCOPED(gt_source_free) gt_source source = source_of(&b, "");
    assert_non_null(strstr(source.text, "extern \"C\"  __global__ void k(float *y);"));
    assert_non_null(strstr(source.text, "extern \"C\"  __global__ void k(float *y) { static int"));
}
