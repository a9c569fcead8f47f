/* Fuzzes templates: parses and binds them, enumerates some configurations and generates their
 * sources. */
#include "fuzz/device.h"
#include "fuzz/fuzz.h"

#include "kernel/bind/source.h"
#include "kernel/space/space.h"

#include <string.h>

static const char axpy[] =
    "// axpy\n"
    "#pragma gputune kernel(axpy)\n"
    "#pragma gputune problem(n = 1 << 26)\n"
    "#pragma gputune args(inout float y[n], in float x[n], float a = 1.5, size_t n)\n"
    "#pragma gputune vector(VEC = 1, 2, 4 : x, y)\n"
    "#pragma gputune tune(BLOCK = 64, 128)\n"
    "#pragma gputune default(VEC = 1, BLOCK = 64)\n"
    "#pragma gputune require(BLOCK * VEC <= 512)\n"
    "#pragma gputune block(BLOCK)\n"
    "#pragma gputune grid(ceil_div(n, BLOCK * VEC))\n"
    "#pragma gputune work(bytes = 12 * n, flops = 2 * n)\n"
    "#pragma gputune reference(ref, block = 256, grid = ceil_div(n, 256), rtol = 1e-6)\n"
    "__global__ void ref(float *y, const float *x, float a, size_t n) { y[0] = a; }\n"
    "__global__ void axpy(float *y, const float *x, float a, size_t n) { y[0] = VEC; }\n";

static const char pass[] =
    "#pragma gputune kernel(p)\n"
    "#pragma gputune problem(n = 8, const R = 2, type T = float, half)\n"
    "#pragma gputune pass(coeffs : int[8000] = value, split, constant, global : uniform(0, 9))\n"
    "#pragma gputune args(out T y[n][R])\n"
    "#pragma gputune cluster(C = 1, 2, 4)\n"
    "#pragma gputune carveout(CARVE = auto, 0, 100)\n"
    "#pragma gputune shared(n * 4)\n"
    "#pragma gputune scratch(float part[grid_x])\n"
    "#pragma gputune clear(y)\n"
    "#pragma gputune launch_bounds(32)\n"
    "#pragma gputune maxreg(64)\n"
    "#pragma gputune define(A = 1)\n"
    "#pragma gputune block(32)\n"
    "#pragma gputune grid(C)\n"
    "#pragma gputune default(C = 1)\n"
    "__global__ void p(GPUTUNE_PARAM(coeffs) T *y, float *part) { y[0] = coeffs(0); }\n";

static const char loops[] =
    "#pragma gputune kernel(sort)\n"
    "#pragma gputune problem(n = 64)\n"
    "#pragma gputune args(inout float x[n], int n) scratch(float y[n])\n"
    "#pragma gputune tune(B = 32, 64)\n"
    "#pragma gputune for(k = 2; k <= n; k <<= 1)\n"
    "#pragma gputune for(j = k / 2; j > 0; j /= 2)\n"
    "#pragma gputune launch(s, block = B, grid = n / j, args = (x, j + B), when = j % 4)\n"
    "#pragma gputune swap(x, y)\n"
    "#pragma gputune end(j) end(k)\n"
    "#pragma gputune launch(s, block = 1, grid = 1, args = (x, 7), times = 2)\n"
    "__global__ void s(float *x, int j) { x[0] = j; }\n";

const char *const fuzz_seeds[] = {axpy, pass, loops, NULL};
const char *const fuzz_words[] = {
    "#pragma gputune ",
    "kernel(",
    "problem(",
    "args(",
    "vector(",
    "pass(",
    "cluster(",
    "carveout(",
    "tune(",
    "default(",
    "require(",
    "block(",
    "grid(",
    "shared(",
    "scratch(",
    "clear(",
    "launch_bounds(",
    "maxreg(",
    "work(",
    "check(",
    "include(",
    "reference(",
    "define(",
    "for(",
    "end(",
    "swap(",
    "launch(",
    "args = (",
    "when = ",
    "times = ",
    "++",
    ";",
    "cooperative",
    "tensormap",
    "texture",
    "const ",
    "type ",
    "inout ",
    "in ",
    "out ",
    "float ",
    "half ",
    "size_t ",
    "int ",
    "[n]",
    "uniform(0, 1)",
    "index",
    "nan_ok",
    "rtol = ",
    "grid_x",
    "cc",
    "max_clusters",
    "\\\n",
    "/*",
    "*/",
    "//",
    "\"",
    "'",
    "R\"x(",
    ")",
    ":",
    ",",
    "=",
    "\n",
    NULL,
};

static void generate(const gt_template *template, const gt_problem *problem,
                     const gt_config *config, const gt_device *device)
{
    gt_source source;
    gt_launch launch;
    GT_FREED char *text = NULL;
    if (gt_source_generate(&source, template, problem, config, device, "// prelude\n") == 0) {
        FUZZ_REQUIRE(source.text);
        gt_source_free(&source);
    }
    if (gt_launch_bind(&launch, template, problem, config, device) == 0) {
        (void)gt_launch_kernels(&launch);
    }
    FUZZ_REQUIRE(gt_config_text(&text, template, config) == 0);
    gt_config again;
    FUZZ_REQUIRE(gt_config_parse(&again, template, text, true) == 0);
    FUZZ_REQUIRE(memcmp(again.choice, config->choice, template->axis_count) == 0);
}

/* With some constraints no valid configuration can be found, so the search is limited. */
static bool is_out_of_patience(void *user)
{
    return ++*(int *)user > 20;
}

static void look_around(gt_space *space, const gt_config *config)
{
    gt_random random = {1};
    gt_config other;
    FUZZ_REQUIRE(!gt_space_excludes(space, config) && gt_space_has(space, config));
    if (gt_space_draw(space, &random, &other)) {
        FUZZ_REQUIRE(gt_space_has(space, &other));
    }
}

static void enumerate(const gt_template *template, const gt_problem *problem,
                      const gt_device *device)
{
    gt_workload *workload = calloc(1, sizeof *workload);
    gt_space *space;
    FUZZ_REQUIRE(workload);
    if (gt_workload_bind(workload, template, problem, device, 16, NULL, 0) == 0) {
        (void)gt_workload_device_bytes(workload);
        if (gt_space_open(&space, template, problem, workload, device, NULL, 0) == 0) {
            gt_config config;
            int asked = 0;
            gt_space_set_cancel(space, is_out_of_patience, &asked);
            for (int i = 0; i < 3 && gt_space_next(space, &config); i++) {
                generate(template, problem, &config, device);
                look_around(space, &config);
            }
            gt_space_free(space);
        }
    }
    free(workload);
}

static void use(const gt_template *template)
{
    const gt_device device = fuzz_device();
    gt_problem problem;
    if (gt_problem_bind(&problem, template, GPUTUNE_NO_SIZES) != 0) {
        return;
    }
    gt_problem odd_tail;
    (void)gt_problem_odd_tail(&odd_tail, template, &problem, &device);
    gt_config standard = gt_config_default(template);
    generate(template, &problem, &standard, &device);
    enumerate(template, &problem, &device);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    gt_template *template;
    char *text = strndup((const char *)data, bytes);
    FUZZ_REQUIRE(text);
    if (gt_template_parse(&template, "fuzz.cu", text, NULL, NULL, NULL) == 0) {
        use(template);
        gt_template_free(template);
    } else {
        FUZZ_REQUIRE(strncmp(gputune_error(), "fuzz.cu:", 8) == 0);
    }
    free(text);
    return 0;
}
