/* Makes allocations fail, from parsing a template to generating a source. The failures must not be
 * reported as mistakes of the template. */
#include "kernel_support.h"

#include "kernel/text/compiler_options.h"
#include "support/each_failure.h"

typedef struct job {
    const char *text;
    gt_device device;
    const char *const *only;
    size_t only_count;
} job;

static gputune_status generate(const job *j, const gt_template *template, const gt_problem *problem,
                               const gt_config *config)
{
    gt_source source;
    gt_launch launch;
    char *text;
    gt_config again;
    GT_TRY(gt_config_text(&text, template, config));
    gputune_status status = gt_config_parse(&again, template, text, true);
    free(text);
    GT_TRY(status);
    GT_TRY(gt_launch_bind(&launch, template, problem, config, &j->device));
    GT_TRY(gt_source_generate(&source, template, problem, config, &j->device, "// prelude\n"));
    gt_source_free(&source);
    if (strstr(j->text, "reference(slow")) {
        GT_TRY(gt_source_reference(&source, template, problem, &j->device, ""));
        gt_source_free(&source);
    }
    return GPUTUNE_OK;
}

static gputune_status walk_space(const job *j, const gt_template *template,
                                 const gt_problem *problem)
{
    gt_workload workload;
    gt_space *space;
    gt_config config;
    GT_TRY(gt_workload_bind(&workload, template, problem, &j->device, 16, NULL, 0));
    GT_TRY(gt_space_open(&space, template, problem, &workload, &j->device, j->only, j->only_count));
    gputune_status status = gt_space_prepare(space);
    if (status == GPUTUNE_OK && gt_space_next(space, &config)) {
        status = generate(j, template, problem, &config);
    }
    gt_space_free(space);
    return status;
}

static gputune_status include_anything(void *user, const gt_include *include, gt_included *out)
{
    *out = (gt_included){0};
    GT_TRY(gt_strdup(&out->path, "included.cuh"));
    gputune_status status = gt_strdup(&out->text, "#pragma once\n#include <cmath>\n"
                                                  "constexpr int WIDE = 4;\n");
    if (status < 0) {
        free(out->path);
    }
    return status;
}

static gputune_status go_through(void *user)
{
    const job *j = user;
    gt_template *template;
    gt_problem problem, odd_tail;
    GT_TRY(gt_template_parse(&template, "kernel.cu", j->text, NULL, include_anything, NULL));
    gputune_status status = gt_problem_bind(&problem, template, GPUTUNE_NO_SIZES);
    if (status == GPUTUNE_OK) {
        (void)gt_problem_odd_tail(&odd_tail, template, &problem, &j->device);
        status = walk_space(j, template, &problem);
    }
    gt_template_free(template);
    return status;
}

static void fail_each(const char *text, const char *const *only, size_t count)
{
    job j = {text, device_of("sm_90"), only, count};
    assert_true(each_failure("allocation", 1, go_through, NULL, &j) > 100);
}

static const char clauses[] =
    "#include \"included.cuh\"\n"
    "#define TRAIL 3\n"
    "typedef double real;\n"
    "struct inner { char a; short b[R]; };\n"
    "struct __align__(16) S { float3 place; real mass = 1; inner parts[2]; int trail[TRAIL]; T "
    "last; };\n"
    "#pragma gputune kernel(k<B, T>) problem(n = 4096, const R = 2, type T = float, double)\n"
    "#pragma gputune args(inout S y[n] = {.place = zero, .parts = uniform(1, 5), .trail = index}, "
    "in T x[n][R], in int i[n] = n - 1 - index, int m = 3)\n"
    "#pragma gputune tune(B = 64, 128) tune(MODE = plain, fast) tune(O = 1, 2) cluster(C = 1, 2)\n"
    "#pragma gputune carveout(V = auto, 100) l2_persist(L2 = 0, 50 : x) default(B = 64)\n"
    "#pragma gputune require(B * C <= 256) require(MODE == fast || C == 1)\n"
    "#pragma gputune pass(c : float[100] = value, constant, global : uniform(0, 1)) constant(t : "
    "float[16])\n"
    "#pragma gputune block(B) grid(ceil_div(n, B)) shared(4 * B) scratch(float part[grid_x]) "
    "clear(part)\n"
    "#pragma gputune define(TILE = B * 2, TEXT = \"a + b\", FLAG) launch_bounds(256, O) maxreg(O "
    "== 2 ? 32 : 0)\n"
    "#pragma gputune options(\"--use_fast_math\", O == 2 ? \"--fmad=false\" : \"\") work(bytes = "
    "12 * n, flops = 2 * n)\n"
    "#pragma gputune reference(slow, block = 32, grid = 1, rtol = 1e-6 * sqrt(n), atol = 1e-7)\n"
    "#pragma gputune init(fill, block = 32, grid = 1)\n"
    "__constant__ float t[16];\n"
    "template <int N, typename E> __global__ void k(GPUTUNE_PARAM(c) S *y, const E *x, const int "
    "*i,\n"
    "    int m, float *part) { y[0].last = c(0) + TILE + FLAG + MODE_plain; }\n"
    "__global__ void slow(const float *c, S *y, const T *x, const int *i, int m) {}\n"
    "__global__ void fill(const float *c, S *y, T *x, int *i, int m, unsigned long long seed) {}\n";

static const char steps[] =
    "#pragma gputune kernel(both) problem(m = 100, n = 1000) tune(B = 64, 128) tune(EARLY = 0, 1)\n"
    "#pragma gputune args(inout float y[m][n], in half x[m][n], int n) scratch(double "
    "part[grid_x])\n"
    "#pragma gputune launch(first<B>, block = B, grid = ceil_div(n, B), shared = 8 * B, args = "
    "(part, x, n))\n"
    "#pragma gputune launch(second, block = 32, 2, grid = (3, B / 64), times = B / 32, "
    "programmatic = EARLY)\n"
    "#pragma gputune reference(self, B = 64)\n"
    "template <int N> __global__ void first(double *part, const half *x, int n) {}\n"
    "__global__ void second(float *y, const half *x, int n, double *part) {}\n";

static const char maps[] =
    "#pragma gputune kernel(k) problem(m = 100, n = 256) tune(B = 8, 64) tune(S = 0, 64) block(64) "
    "grid(1)\n"
    "#pragma gputune args(in half x[m][n] = sorted, out float y[m][n]) expect(y = "
    "file(\"y.npy\"))\n"
    "#pragma gputune tensormap(a : x, box = (1, B, 16), sizes = (m, n / 64, 64), strides = (n, "
    "64), swizzle = S)\n"
    "__global__ void k(const half *x, float *y, const __grid_constant__ CUtensorMap a) {}\n";

static const char loops[] =
    "#pragma gputune kernel(sort) problem(n = 64) tune(B = 32, 64)\n"
    "#pragma gputune args(inout float x[n], int n) scratch(float y[n])\n"
    "#pragma gputune for(k = 2; k <= n; k <<= 1) for(j = k / 2; j > 0; j--)\n"
    "#pragma gputune launch(s, block = B, grid = n / j, args = (x, j + B), when = j % 4)\n"
    "#pragma gputune swap(x, y) end(j) end(k)\n"
    "#pragma gputune launch(s, block = 1, grid = 1, args = (x, 7), times = 2)\n"
    "__global__ void s(float *x, int j) { x[0] = j; }\n";

TEST(test_every_clause)
{
    fail_each(clauses, NULL, 0);
}

TEST(test_restricted_axes)
{
    static const char *const only[] = {"B=32,64,96", "MODE=fast"};
    fail_each(clauses, only, 2);
}

TEST(test_several_kernels)
{
    fail_each(steps, NULL, 0);
    fail_each(maps, NULL, 0);
    fail_each(loops, NULL, 0);
}
