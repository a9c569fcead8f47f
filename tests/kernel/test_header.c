/* Tests writing rules as C headers: what the header contains, and which rules are refused. */
#include "kernel/rule/header.h"
#include "kernel_support.h"

#define CODE_WITH(type)                                                                            \
    "__global__ void k(float *y, const float *x, int n, " type " a) { y[0] = B * x[0]; }\n"
#define CODE CODE_WITH("float")

static const char plain[] =
    "#pragma gputune kernel(k) problem(m = 4096, n = 4096)\n"
    "#pragma gputune args(inout float y[m][n], in float x[n], int n, float a = 2)\n"
    "#pragma gputune tune(B = 64, 128) vector(V = 1, 4 : y) cluster(C = 1, 2)\n"
    "#pragma gputune block(B) shared(B * 4) grid(ceil_div(n, V * B), min(m, max_blocks))\n" CODE;

static const char pipeline[] =
    "#pragma gputune kernel(sums) problem(n = 4096)\n"
    "#pragma gputune args(out float y[1], in float x[n], unsigned int n)\n"
    "#pragma gputune tune(B = 64, 128) scratch(float parts[ceil_div(n, B)], unsigned int c[1] = "
    "zero)\n"
    "#pragma gputune launch(first, block = B, grid = ceil_div(n, B), args = (x, parts, n))\n"
    "#pragma gputune launch(second, block = 32, grid = 1, args = (y, parts, c, n, n / B))\n"
    "#pragma gputune reference(y[i] = 0)\n"
    "__global__ void first(const float *x, float *parts, unsigned int n) { parts[0] = B; }\n"
    "__global__ void second(float *y, float *parts, unsigned int *c, unsigned int n, short a) { "
    "}\n";

static gputune_status write_header_for(char **out, const char *text, const char *rule_text,
                                       const char *arch, const char *second)
{
    static const uint32_t codes[] = {0, 1};
    const char *const archs[] = {"sm_80", second};
    gt_header_code compiled[4];
    gt_rule *rule = NULL;
    gt_template *t = parse(text);
    const gt_device device = device_of(arch);
    ASSERT_OK(gt_rule_parse(&rule, t, rule_text));
    for (int i = 0; i < 4; i++) {
        compiled[i] = (gt_header_code){.image = {"0123456789", 10}, .entries = {"one", "two"}};
    }
    const gt_header header = {t, rule, rule_text, &device, false, codes, 2, 2, archs, compiled};
    gputune_status status = gt_header_write(out, &header);
    gt_rule_free(rule);
    gt_template_free(t);
    return status;
}

static gputune_status write_header(char **out, const char *text, const char *rule_text)
{
    return write_header_for(out, text, rule_text, "sm_90a", "sm_90a");
}

static void expect(const char *header, const char *const *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!strstr(header, lines[i])) {
            fail_msg("no '%s' in\n%s", lines[i], header);
        }
    }
}

TEST(test_header)
{
    static const char *const lines[] = {
        " *     if n % 4 == 0\n",
        "#define GPUTUNE_RULE_K\n",
        "static const unsigned long long k_code_sm_90a_1[] = {",
        "0x3736353433323130, 0x3938,",
        "{80, 0, {k_code_sm_80_0, k_code_sm_80_1}},",
        "{90, 1, {k_code_sm_90a_0, k_code_sm_90a_1}},",
        "K_API int k_choose(int64_t m, int64_t n)\n",
        "if (m < 64 || m > 16384) {\n        return K_OUTSIDE;",
        "    if (n % 4 == 0) {\n        return 1;\n    }\n    return 0;\n",
        "int64_t m, int64_t n, CUdeviceptr y, CUdeviceptr x, float a)",
        "if (y % 16 != 0) {\n            return K_MISALIGNED;",
        "if (x % 4 != 0) {\n            return K_MISALIGNED;",
        "int32_t n_value_ = (int32_t)n;",
        "grid_[3] = {k_ceil_div(n, 64), k_min(m, ",
        "grid_[3] = {k_round_up(k_ceil_div(n, 512), 2), k_min(m, ",
        "cluster_[3] = {2, 1, 1};",
        "void *arguments_[] = {&y, &x, &n_value_, &a};",
        "return \"B=128 V=4 C=2\";",
    };
    GT_FREED char *header = NULL;
    ASSERT_OK(write_header(&header, plain,
                           "region m=64:16K n=1:65536\nloss mean=1 p90=1 worst=1 sizes=9\n"
                           "variant B=64 V=1 C=1\nvariant B=128 V=4 C=2\n"
                           "if n % 4 == 0\nuse 1\nelse\nuse 0\n"));
    expect(header, lines, sizeof lines / sizeof *lines);
    assert_null(strstr(header, "k_log2"));
}

TEST(test_pipeline)
{
    static const char *const lines[] = {
        "SUMS_KERNELS = 4",
        "{\"one\", \"two\", \"one\", \"two\"},",
        "int64_t n, CUdeviceptr y, CUdeviceptr x, CUdeviceptr scratch_)",
        "bytes_ += (size_t)((INT64_C(4) * sums_ceil_div(n, 64) + 255) / 256 * 256);",
        "CUdeviceptr parts = scratch_;",
        "const size_t bytes_ = (size_t)(INT64_C(4) * 1);",
        "SUMS_CU(cuMemsetD8Async)(c, 0, bytes_, stream_)",
        "arguments_[] = {&x, &parts, &n_value_};",
        "int16_t computed_4_ = (int16_t)(n / 128);",
        "arguments_[] = {&y, &parts, &c, &n_value_, &computed_4_};",
        "shared_ = 0, cooperative_ = 0;",
        "sums_start(rule_, 3, stream_, grid_, block_, cluster_, shared_, cooperative_, arguments_)",
    };
    GT_FREED char *header = NULL;
    ASSERT_OK(write_header(&header, pipeline,
                           "region n=1:65536\nloss mean=1 p90=1 worst=1 sizes=9\n"
                           "variant B=64\nvariant B=128\nif n <= 9\nuse 1\nelse\nuse 0\n"));
    expect(header, lines, sizeof lines / sizeof *lines);
}

TEST(test_tensor_maps)
{
    static const char text[] =
        "#pragma gputune kernel(k) problem(n = 4096) tune(B = 64)\n"
        "#pragma gputune args(out float y[n][n], in float x[n][n]) block(B) grid(n)\n"
        "#pragma gputune tensormap(x, box = (B, 32), swizzle = n > 50 ? 64 : 128, fill = nan)\n"
        "#pragma gputune tensormap(v : y, box = (1, 8, 4), sizes = (n, 2, 4), strides = (n, 8))\n"
        "__global__ void k(float *y, const __grid_constant__ CUtensorMap x,\n"
        "                  const __grid_constant__ CUtensorMap v) { y[0] = B; }\n";
    static const char rule[] =
        "region n=8:65536\nloss mean=1 p90=1 worst=1 sizes=9\nvariant B=64\nuse 0\n";
    static const char *const lines[] = {
        "if (x % 16 != 0)",
        "cuuint64_t sizes_[] = {(cuuint64_t)(n), (cuuint64_t)(n)};",
        "cuuint32_t box_[] = {(cuuint32_t)(32), (cuuint32_t)(64)};",
        "strides_[0] = strides_[0] * sizes_[0];",
        "&map_0_, (CUtensorMapDataType)7, 2, (void *)(uintptr_t)x, sizes_,",
        "(CUtensorMapSwizzle)2,",
        "strides_[0] = 4 * (cuuint64_t)(8);",
        "strides_[1] = 4 * (cuuint64_t)(n);",
        "void *arguments_[] = {&y, &map_0_, &map_1_};",
    };
    GT_FREED char *header = NULL, *fixed = strdup(text);
    assert_int_equal(write_header(&header, text, rule), GPUTUNE_EUNSUPPORTED);
    assert_string_equal(gt_message(), "k: no header can be written: k: a header cannot launch a "
                                      "kernel with tensor maps whose modes depend on a size; use "
                                      "options.unseen = GPUTUNE_RULE in a program with gputune "
                                      "instead");
    memset(strstr(fixed, "n > 50 ?"), ' ', strlen("n > 50 ?"));
    memset(strstr(fixed, ": 128"), ' ', strlen(": 128"));
    ASSERT_OK(write_header(&header, fixed, rule));
    expect(header, lines, sizeof lines / sizeof *lines);
}

TEST(test_cluster_that_depends_on_a_size)
{
    static const char *const lines[] = {
        "grid_[3] = {sums_round_up(sums_ceil_div(n, 64), n > 4096 ? 2 : 1), 1, 1};",
        "cluster_[3] = {n > 4096 ? 2 : 1, 1, 1};",
    };
    GT_FREED char *header = NULL;
    ASSERT_OK(write_header(
        &header,
        "#pragma gputune kernel(sums) problem(n = 4096) args(out float y[n]) tune(B = 64)\n"
        "#pragma gputune launch(k, block = B, grid = ceil_div(n, B), cluster = n > 4096 ? 2 : 1)\n"
        "__global__ void k(float *y) { y[0] = B; }\n",
        "region n=1:65536\nloss mean=1 p90=1 worst=1 sizes=9\nvariant B=64\nuse 0\n"));
    expect(header, lines, sizeof lines / sizeof *lines);
}

TEST(test_values_above_32_bits)
{
    static const char *const lines[] = {
        "bytes_ = (size_t)(INT64_C(4) * 65536 * 65536);",
        "grid_[3] = {k_ceil_div((int64_t)1 << n, 64), (int64_t)(n > 9) * 2000000000 * 3, 1};",
    };
    GT_FREED char *header = NULL;
    ASSERT_OK(write_header(
        &header,
        "#pragma gputune kernel(k) problem(m = 64K, n = 20) args(out float y[m][m]) tune(B = 64)\n"
        "#pragma gputune clear(y) block(B) grid(ceil_div(1 << n, B), (n > 9) * 2000000000 * 3)\n"
        "__global__ void k(float *y) { y[0] = B; }\n",
        "region m=64K n=1:40\nloss mean=1 p90=1 worst=1 sizes=9\nvariant B=64\nuse 0\n"));
    expect(header, lines, sizeof lines / sizeof *lines);
}

/* Sizes at which a divisor is 0, or the chosen variant is excluded, are outside of the rule. */
TEST(test_sizes_without_a_variant)
{
    static const char *const lines[] = {
        "    if (n % 4 == 0) {\n        return 1;\n    }\n"
        "    return n != 5 ? 0 : K_OUTSIDE;\n",
        "shared_ = n > 50 ? m / k_nonzero(n - 5, &result_) : 0, cooperative_ = 0;",
        "K_API int64_t k_nonzero(int64_t value, int *result)\n",
    };
    static const char *const choice[] = {
        "    int result_ = 0;\n    if (m < 64 ",
        "    return n != 5 && !result_ ? 0 : K_OUTSIDE;\n",
    };
    static const char clauses[] =
        "#pragma gputune kernel(k) problem(m = 4096, n = 4096) args(out float y[m]) tune(B = 1, "
        "4)\n"
        "#pragma gputune require(B == 1 ? n != 5 : n % B == 0) shared(n > 50 ? m / (n - 5) : 0)\n"
        "#pragma gputune block(64) grid(ceil_div(m, 64))\n"
        "__global__ void k(float *y) { y[0] = B; }\n";
    static const char rule[] = "region m=64:16K n=1:65536\nloss mean=1 p90=1 worst=1 sizes=9\n"
                               "variant B=1\nvariant B=4\nif %s\nuse 1\nelse\nuse 0\n";
    static const char *const conditions[] = {"n % 4 == 0", "n / (m - 99) == 3"};
    for (int i = 0; i < 2; i++) {
        char text[256];
        GT_FREED char *header = NULL;
        (void)snprintf(text, sizeof text, rule, conditions[i]);
        ASSERT_OK(write_header(&header, clauses, text));
        expect(header, i ? choice : lines, i ? 2 : 3);
    }
}

TEST(test_alignment)
{
    static const char *const archs[] = {"sm_90a", "sm_100a", "sm_90a"};
    static const char *const seconds[] = {"sm_90a", "sm_100a", "sm_100a"};
    static const char *const checks[] = {"if (y % 16 != 0) {", "if (y % 32 != 0) {",
                                         "if (y % 32 != 0) {"};
    for (int i = 0; i < 3; i++) {
        GT_FREED char *header = NULL;
        ASSERT_OK(write_header_for(
            &header,
            "#pragma gputune kernel(k) problem(n = 4096) args(out double y[n])\n"
            "#pragma gputune vector(V = 1, 4 : y) block(64) grid(ceil_div(n, 64 * V))\n"
            "__global__ void k(double *y) { y[0] = V; }\n",
            "region n=1:65536\nloss mean=1 p90=1 worst=1 sizes=9\nvariant V=4\nuse 0\n", archs[i],
            seconds[i]));
        expect(header, &checks[i], 1);
    }
}

TEST(test_refused)
{
    static const struct {
        const char *clauses, *code, *part;
    } cases[] = {
        {"args(inout float y[n], in float x[n], int n, __half a = 2)", CODE_WITH("__half"),
         "k: a header cannot pass the scalar 'a' of type __half; expected an integer, float or "
         "double"},
        {"args(inout float y[n], in float x[n], int n, float a = 2) carveout(S = 8)", CODE,
         "k: a header cannot launch a kernel with carveout; use options.unseen = GPUTUNE_RULE in a "
         "program with gputune instead"},
        {"args(inout float y[n], in float x[n], int n, float a = 2) shared(n * n * n * n)", CODE,
         "k: no header can be written: kernel.cu:2:82: overflow of 64 bits in 'n * n * n * n'; "
         "expected "
         "a value that can be computed"},
        {"args(inout float y[n], in float x[n], int n, float a = 2) pass(c : float[4] = value)",
         "__global__ void k(GPUTUNE_PARAM(c) float *y, const float *x, int n, float a) { y[0] = B; "
         "}\n",
         "k: a header cannot launch a kernel with pass() blocks; use options.unseen = "
         "GPUTUNE_RULE in a program with gputune instead"},
        {"args(inout float y[n], in float x[n], int n, float a = 2) constant(c : float[4])",
         "__constant__ float c[4];\n" CODE,
         "k: a header cannot launch a kernel with constant() variables; use options.unseen = "
         "GPUTUNE_RULE in a program with gputune instead"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GT_SCOPED(gt_text_free) gt_text text = {0};
        char *header = NULL;
        gt_text_printf(&text,
                       "#pragma gputune kernel(k) problem(n = 4096) tune(B = 64)\n"
                       "#pragma gputune %s\n#pragma gputune block(B) grid(ceil_div(n, B))\n%s",
                       cases[i].clauses, cases[i].code);
        assert_int_equal(write_header(&header, gt_text_string(&text),
                                      "region n=1:65536\nloss mean=1 p90=1 worst=1 sizes=9\n"
                                      "variant B=64\nvariant B=64\nuse 0\n"),
                         GPUTUNE_EUNSUPPORTED);
        assert_string_equal(gt_message(), cases[i].part);
    }
}
