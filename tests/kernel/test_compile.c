/* Compiles the kernels that come with gputune for two generations of GPUs: the first and every
 * sixth distinct source of each space, or all sources with GPUTUNE_TEST_LONG. test_templates_h200
 * covers a third generation. Needs NVRTC but no GPU. */
#include "kernel_support.h"

#include "base/array.h"
#include "gpu/nvrtc.h"

static const char *const kernels[] = {"axpy", "copy", "paramsum", "histogram", "gather"};
static const char *const archs[] = {"sm_80", "sm_90", "sm_100"};
enum { SPACE_MAX = 300 };

static const gt_nvrtc *nvrtc;

static void compile(const gt_source *source, const char *kernel, const char *arch)
{
    GT_SCOPED(gt_compiled_free) gt_compiled result;
    const gt_nvrtc_request request = {.text = source->text,
                                      .arch = arch,
                                      .options = (const char *const *)source->options,
                                      .option_count = source->option_count};
    gputune_status status = gt_nvrtc_compile(&result, nvrtc, &request, NULL);
    if (status != GPUTUNE_OK) {
        fail_msg("%s for %s: %s\n%s", kernel, arch, gt_message(),
                 status == GPUTUNE_ECOMPILE ? result.log : "");
    }
    assert_true(result.resources.registers > 0);
    if (strstr(result.log, "warning") || strstr(result.log, "error")) {
        fail_msg("%s for %s: %s", kernel, arch, result.log);
    }
}

/* Returns true if source `number` of a space is compiled for this architecture. */
static bool has_turn(size_t number, const char *arch)
{
    enum { ARCHS = sizeof archs / sizeof *archs };
    bool elsewhere = strcmp(arch, "sm_90") == 0; /* compiled by test_templates_h200 as sm_90a */
    bool is_sixth = number % 2 == 0 && strcmp(archs[number % ARCHS], arch) == 0;
    return number == 0 || (is_sixth && !elsewhere) || getenv("GPUTUNE_TEST_LONG") != NULL;
}

/* Compiles all distinct sources of the space, or those that has_turn() selects. Returns the number
 * of distinct sources. */
static size_t compile_space(const setup *b, const char *prelude, const char *arch, bool all)
{
    GT_ARRAY(gt_hash) seen = {0};
    gt_config config;
    while (gt_space_next(b->space, &config)) {
        gt_source source;
        size_t i = 0;
        ASSERT_OK(
            gt_source_generate(&source, b->template, &b->problem, &config, &b->device, prelude));
        while (i < seen.count && !gt_hash_equal(seen.items[i], source.hash)) {
            i++;
        }
        if (i == seen.count) {
            ASSERT_OK(gt_array_push(&seen, source.hash));
            if (all || has_turn(i, arch)) {
                compile(&source, b->template->name, arch);
            }
        }
        gt_source_free(&source);
    }
    size_t count = seen.count;
    gt_array_free(&seen);
    return count;
}

/* Compiles all sources of the space that `only` restricts. Without `only`, compiles some of the
 * sources, different ones for each architecture. */
static void compile_kernel(const char *kernel, const char *arch, gputune_sizes sizes,
                           const char *const *only, size_t only_count)
{
    char path[128];
    GT_SCOPED(setup_close) setup b = {0};
    GT_SCOPED(gt_source_free) gt_source reference;
    (void)snprintf(path, sizeof path, "templates/%s.cu", kernel);
    GT_FREED char *text = read_text(path), *prelude = read_text("templates/gputune.cuh");
    setup_open_at(&b, text, arch, sizes, 32, only, only_count);
    const gt_config standard = gt_config_default(b.template);
    assert_null(gt_space_excludes(b.space, &standard));
    size_t valid = count_valid(b.space);
    assert_true(valid > 0 && valid <= SPACE_MAX);
    gt_space_rewind(b.space);
    size_t sources = compile_space(&b, prelude, arch, only != NULL);
    ASSERT_OK(gt_source_reference(&reference, b.template, &b.problem, &b.device, prelude));
    compile(&reference, kernel, arch);
    print_message("%s for %s: %zu variants, %zu sources\n", kernel, arch, valid, sources);
}

TEST(test_whole_spaces)
{
    if (!nvrtc) {
        skip();
    }
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (size_t a = 0; a < sizeof archs / sizeof *archs; a++) {
            compile_kernel(kernels[k], archs[a], GPUTUNE_NO_SIZES, NULL, 0);
        }
    }
}

TEST(test_other_values)
{
    const char *const exact[] = {"VEC=1,2,4", "BLOCK=64,1024", "UNROLL=1,3,8"};
    const char *const few[] = {"UNROLL=2", "BLOCK=128", "WAVES=0"};
    if (!nvrtc) {
        skip();
    }
    compile_kernel("axpy", "sm_90", GPUTUNE_NO_SIZES, exact, 3);
    compile_kernel("copy", "sm_90", GPUTUNE_SIZES({"T=double", 0}), few, 3);
    compile_kernel("copy", "sm_90", GPUTUNE_SIZES({"T=short", 0}), few, 3);
    compile_kernel("copy", "sm_100", GPUTUNE_SIZES({"T=char", 0}), few, 3);
    compile_kernel("paramsum", "sm_90", GPUTUNE_SIZES({"COUNT", 100}), NULL, 0);
}

/* The space has hundreds of sources, so only a few corners are compiled: both ways of staging, both
 * layouts of A, both ways of storing C, clusters that split the depth, and scalars. */
TEST(test_corners_of_gemm)
{
    const char *const columns[] = {"BM=64",    "BN=128", "TN=4",    "VK=4",       "VN=4",
                                   "STAGES=1", "STEP=1", "GROUP=4", "WARPS=8,16", "SPLIT=1"};
    const char *const rows[] = {"BM=64",    "BN=128", "TN=4",    "VK=4",    "VN=4",
                                "STAGES=3", "STEP=4", "GROUP=4", "WARPS=8", "SPLIT=1,4"};
    const char *const scalars[] = {"BM=128",   "BN=64",  "TN=8",    "VK=1",     "VN=1",
                                   "STAGES=1", "STEP=1", "GROUP=1", "WARPS=12", "SPLIT=1"};
    if (!nvrtc) {
        skip();
    }
    compile_kernel("gemm", "sm_80", GPUTUNE_NO_SIZES, columns, sizeof columns / sizeof *columns);
    compile_kernel("gemm", "sm_90", GPUTUNE_NO_SIZES, rows, sizeof rows / sizeof *rows);
    compile_kernel("gemm", "sm_100", GPUTUNE_NO_SIZES, scalars, sizeof scalars / sizeof *scalars);
}

/* A shortened source has only the prelude's helpers that the kernel uses. */
TEST(test_shortened_sources)
{
    static const char *const all[] = {"axpy",      "copy",    "gather",   "gemm",
                                      "histogram", "lincomb", "paramsum", "polynomial"};
    GT_FREED char *prelude = read_text("templates/gputune.cuh");
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        char path[128], *shown;
        GT_SCOPED(setup_close) setup b = {0};
        (void)snprintf(path, sizeof path, "templates/%s.cu", all[k]);
        GT_FREED char *text = read_text(path);
        setup_open_at(&b, text, "sm_90", GPUTUNE_NO_SIZES, 32, NULL, 0);
        GT_SCOPED(gt_source_free) gt_source source = source_with(&b, "", prelude);
        ASSERT_OK(gt_source_shorten(&shown, &source, prelude));
        assert_null(strstr(shown, "gputune_grid_sync"));
        assert_null(strstr(shown, "M_PI"));
        assert_null(strstr(shown, "#line"));
        assert_true((strstr(shown, "gputune_each") != NULL) ==
                    (strstr(text, "gputune_each") != NULL));
        free(source.text);
        source.text = shown;
        if (nvrtc) {
            compile(&source, all[k], "sm_90a");
        }
    }
}

/* In the pragmas of a shortened source, macros are expanded, even if a macro uses other macros or
 * is defined twice. */
TEST(test_pragmas_of_shortened_sources)
{
    static const char text[] =
        "#pragma gputune kernel(k) problem(n = 4096) args(out float y[n], int n) tune(U = 2, 4)\n"
        "#pragma gputune block(128) grid(ceil_div(n, 128))\n"
        "#if __CUDA_ARCH__ >= 900\n#define TIMES 1\n#else\n#define TIMES (2 * U)\n#endif\n"
        "__global__ void k(float *y, int n)\n{\n"
        "  #pragma unroll TIMES\n    for (int i = 0; i < n; i++) {\n        y[i] = 0;\n    }\n}\n";
    char *shown;
    GT_SCOPED(setup_close) setup b = {0};
    GT_FREED char *prelude = read_text("templates/gputune.cuh");
    setup_open_at(&b, text, "sm_90", GPUTUNE_NO_SIZES, 2, NULL, 0);
    GT_SCOPED(gt_source_free) gt_source source = source_with(&b, "U=4", prelude);
    ASSERT_OK(gt_source_shorten(&shown, &source, prelude));
    assert_non_null(strstr(shown, "\n  #pragma unroll (2 * 4)\n"));
    free(shown);
}

/* Features of the newest GPUs: loads of 256 bits, launch bounds and register limits as axes, and
 * launch axes. */
TEST(test_newest_gpus)
{
    static const char text[] =
        "#pragma gputune kernel(k) problem(n = 4096) args(out float y[n], in float x[n], size_t "
        "n)\n"
        "#pragma gputune vector(V = 1, 8 : x, y) tune(BLOCKS = 0, 2) tune(REGISTERS = 0, 64)\n"
        "#pragma gputune l2_persist(L2 = 0, 50 : x) cluster(C = 1, 2)\n"
        "#pragma gputune block(128) grid(ceil_div(n, 128 * V)) launch_bounds(128, BLOCKS)\n"
        "#pragma gputune maxreg(REGISTERS)\n"
        "__global__ void k(float *y, const float *x, size_t n)\n{\n"
        "    gputune_each<V, 1>(n, [&](auto part) { part.store(y, part.load(x)); });\n}\n";
    static const char *const newest[] = {"sm_100", "sm_103", "sm_120"};
    if (!nvrtc) {
        skip();
    }
    GT_FREED char *prelude = read_text("templates/gputune.cuh");
    for (size_t a = 0; a < sizeof newest / sizeof *newest; a++) {
        GT_SCOPED(setup_close) setup b = {0};
        gt_compiled result;
        setup_open_at(&b, text, newest[a], GPUTUNE_NO_SIZES, 32, NULL, 0);
        assert_int_equal(count_valid(b.space), 32);
        gt_space_rewind(b.space);
        assert_int_equal(compile_space(&b, prelude, b.device.arch, true), 8);
        GT_SCOPED(gt_source_free)
        gt_source source = source_with(&b, "V=8 BLOCKS=2 REGISTERS=64", prelude);
        const gt_nvrtc_request request = {.text = source.text,
                                          .arch = b.device.arch,
                                          .options = (const char *const *)source.options,
                                          .option_count = source.option_count,
                                          .ptx = true};
        ASSERT_OK(gt_nvrtc_compile(&result, nvrtc, &request, NULL));
        assert_non_null(strstr(result.image.data, ".v8."));
        assert_non_null(strstr(result.image.data, ".minnctapersm 2"));
        gt_compiled_free(&result);
    }
}

static int open_compiler(void **state)
{
    if (gt_nvrtc_open(&nvrtc, 0) != GPUTUNE_OK) {
        print_message("nothing is compiled: %s\n", gt_message());
        nvrtc = NULL;
    }
    return 0;
}

TESTS_WITHIN(open_compiler, NULL)
