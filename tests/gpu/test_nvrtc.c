/* Tests finding NVRTC and compiling with it. Skipped without NVRTC. */
#include "base/file.h"
#include "base/text.h"
#include "gpu/nvrtc.h"
#include "gpu/toolkit.h"
#include "support/folder.h"
#include "support/test.h"

static const gt_nvrtc *nvrtc;

static const char axpy[] =
    "extern \"C\" __global__ void axpy(float *y, const float *x, float a, size_t n)\n"
    "{\n"
    "    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;\n"
    "    if (i < n) y[i] += a * x[i];\n"
    "}\n";

static void need_nvrtc(void)
{
    if (!nvrtc) {
        print_message("no NVRTC here: %s\n", gt_message());
        skip();
    }
}

static gputune_status compile_to(gt_compiled *out, bool ptx, const char *text,
                                 const char *const *options, size_t count)
{
    gt_nvrtc_request request = {
        .text = text, .arch = "sm_90", .options = options, .option_count = count, .ptx = ptx};
    return gt_nvrtc_compile(out, nvrtc, &request, NULL);
}

static gputune_status compile(gt_compiled *out, const char *text, const char *const *options,
                              size_t count)
{
    return compile_to(out, true, text, options, count);
}

TEST(test_cubins_and_ptx_have_the_same_figures)
{
    need_nvrtc();
    gt_compiled cubin, ptx;
    assert_int_equal(compile_to(&cubin, false, axpy, NULL, 0), 0);
    assert_int_equal(compile_to(&ptx, true, axpy, NULL, 0), 0);
    assert_true(cubin.image.bytes > 100);
    assert_memory_equal(cubin.image.data,
                        "\x7f"
                        "ELF",
                        4);
    assert_non_null(strstr(ptx.image.data, ".target sm_90"));
    assert_int_equal(((char *)ptx.image.data)[ptx.image.bytes - 1], 0);
    assert_in_range(cubin.resources.registers, 1, 255);
    assert_int_equal(cubin.resources.spill_bytes, 0);
    assert_memory_equal(&cubin.resources, &ptx.resources, sizeof cubin.resources);
    assert_true(cubin.compile_ns > 0);
    gt_compiled_free(&cubin);
    gt_compiled_free(&ptx);
}

TEST(test_equal_source_gives_equal_bytes)
{
    need_nvrtc();
    gt_compiled first, second;
    assert_int_equal(compile_to(&first, false, axpy, NULL, 0), 0);
    assert_int_equal(compile_to(&second, false, axpy, NULL, 0), 0);
    assert_int_equal(first.image.bytes, second.image.bytes);
    assert_memory_equal(first.image.data, second.image.data, first.image.bytes);
    gt_compiled_free(&first);
    gt_compiled_free(&second);
}

TEST(test_options_take_effect)
{
    need_nvrtc();
    const char *const options[] = {"-DNAME=other"};
    GT_SCOPED(gt_compiled_free) gt_compiled result;
    assert_int_equal(
        compile(&result, "extern \"C\" __global__ void NAME(int *p) { *p = 1; }", options, 1), 0);
    assert_non_null(strstr(result.image.data, ".entry other"));
}

/* Tests types that nvcc takes from the host's headers. */
TEST(test_headers_of_the_host_bring_integer_types)
{
    need_nvrtc();
    GT_SCOPED(gt_compiled_free) gt_compiled result;
    const char *text = "#include <iostream>\n#include <mutex>\n#include <omp.h>\n"
                       "#include <sys/mman.h>\n#include <unordered_set>\n"
                       "extern \"C\" __global__ void k(const char *p, int *out)\n"
                       "{ *out = reinterpret_cast<uintptr_t>(p) % 4 + sizeof(uint_fast8_t); }\n";
    ASSERT_OK(compile(&result, text, NULL, 0));
}

/* A header that does not compile is left out. If the kernel needs it, its error is reported. */
TEST(test_headers_that_fail_are_left_out)
{
    need_nvrtc();
    char *folder = folder_make();
    GT_FREED char *path = NULL;
    GT_FREED char *option = NULL;
    ASSERT_OK(gt_format(&path, "%s/host.h", folder));
    ASSERT_OK(gt_format(&option, "-I%s", folder));
    file_write(path, "inline Map a;\n__device__ int two() { return 2; }\n");
    static const char *const values[] = {"2", "two()"};
    for (int i = 0; i < 2; i++) {
        GT_SCOPED(gt_compiled_free) gt_compiled result;
        GT_FREED char *text = NULL;
        ASSERT_OK(gt_format(&text, "#include <host.h>\n__global__ void k(int *y) { *y = %s; }",
                            values[i]));
        const gputune_status status = compile(&result, text, (const char *const *)&option, 1);
        assert_int_equal(status, i ? GPUTUNE_ECOMPILE : GPUTUNE_OK);
    }
    assert_non_null(strstr(gt_message(), "/host.h(1): error: identifier \"Map\" is undefined"));
    folder_remove(folder);
}

TEST(test_errors_carry_place_and_log)
{
    need_nvrtc();
    GT_SCOPED(gt_compiled_free) gt_compiled result;
    assert_int_equal(
        compile(&result,
                "#line 12 \"mine.cu\"\nextern \"C\" __global__ void k(int *p) { *p = zz; }", NULL,
                0),
        GPUTUNE_ECOMPILE);
    assert_string_equal(gt_message(), "mine.cu(12): error: identifier \"zz\" is undefined");
    assert_non_null(strstr(result.log, "1 error"));
}

/* Tests errors of code that nvcc accepts, or accepts with an option. */
TEST(errors_name_a_remedy)
{
    static const struct {
        const char *code, *expected;
    } cases[] = {
        {"__device__ int far(int); __global__ void k(int *p) { *p = far(1); }",
         "_Z3fari'; no file that is compiled defines it; #include the file with its definition"},
        {"__global__ void k(float *p) { *p = pow(*p, 2.0); }",
         "matches the argument list; for NVRTC, give the function arguments of one type, as in "
         "pow(x, 2.0f) for a float x"},
        {"__global__ void k(int *p) { *p = []<class T>(T x) { return x; }(1); }",
         "are a C++20 feature; expected options(\"--std=c++20\") in a pragma"},
        {"__global__ void k(int *p) { *p = __COUNTER__; }",
         "is undefined; nvcc has __COUNTER__, NVRTC does not: use another number, such as "
         "__LINE__"},
    };
    need_nvrtc();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GT_SCOPED(gt_compiled_free) gt_compiled result;
        ASSERT_FAILS(compile(&result, cases[i].code, NULL, 0), GPUTUNE_ECOMPILE, cases[i].expected);
    }
}

TEST(too_much_static_shared_memory_is_reported)
{
    need_nvrtc();
    GT_SCOPED(gt_compiled_free) gt_compiled result;
    ASSERT_FAILS(compile(&result,
                         "extern \"C\" __global__ void k(int *p, int i)\n"
                         "{ __shared__ int s[20000]; s[threadIdx.x] = i; __syncthreads();\n"
                         "  *p = s[i]; }",
                         NULL, 0),
                 GPUTUNE_ECOMPILE, "80000");
}

TEST(test_unknown_option_or_architecture)
{
    need_nvrtc();
    const char *const options[] = {"--bogus"};
    gt_compiled result;
    ASSERT_FAILS(compile(&result, axpy, options, 1), GPUTUNE_ECOMPILE, "--bogus");
    gt_compiled_free(&result);
    gt_nvrtc_request request = {.text = axpy, .arch = "sm_12345"};
    assert_int_equal(gt_nvrtc_compile(&result, nvrtc, &request, NULL), GPUTUNE_ECOMPILE);
    gt_compiled_free(&result);
}

TEST(test_an_older_driver_refuses_a_newer_nvrtc)
{
    need_nvrtc();
    const gt_nvrtc *none = NULL;
    int older = (gt_nvrtc_version(nvrtc) / 1000 - 2) * 1000;
    ASSERT_FAILS(gt_nvrtc_open(&none, older), GPUTUNE_ENOCOMPILER, "too new for the driver");
    assert_null(none);
}

static void expect_candidate(const gt_nvrtc_candidates *found, const char *path)
{
    for (size_t i = 0; i < found->paths.count; i++) {
        if (strcmp(found->paths.items[i], path) == 0) {
            return;
        }
    }
    fail_msg("%s is not among the %zu candidates", path, found->paths.count);
}

/* Creates an empty file and its folders in a new temporary folder. */
static char *make_file(const char *root, const char *below)
{
    char *path;
    assert_int_equal(gt_format(&path, "%s/%s", root, below), 0);
    assert_int_equal(gt_file_make_parents(path), 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    return path;
}

TEST(test_search_finds_toolkits_and_wheels)
{
    static const struct {
        const char *variable, *file;
    } rows[] = {
        {"CUDA_HOME", "lib64/libnvrtc.so.12"},
        {"GPUTUNE_NVRTC", "libnvrtc.so.13"},
        {"GPUTUNE_NVRTC", "nvidia/cu13/lib/libnvrtc.so.13"},
        {"VIRTUAL_ENV", "lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"},
    };
    GT_FREED char *given = getenv("GPUTUNE_NVRTC") ? strdup(getenv("GPUTUNE_NVRTC")) : NULL;
    unsetenv("GPUTUNE_NVRTC"); /* GPUTUNE_NVRTC would replace the search */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *root = folder_make();
        char *file = make_file(root, rows[i].file);
        char *before = getenv(rows[i].variable) ? strdup(getenv(rows[i].variable)) : NULL;
        setenv(rows[i].variable, root, 1);
        gt_nvrtc_candidates found;
        assert_int_equal(gt_nvrtc_find(&found), 0);
        expect_candidate(&found, file);
        assert_non_null(strstr(gt_text_string(&found.searched), root));
        gt_nvrtc_candidates_free(&found);
        before ? setenv(rows[i].variable, before, 1) : unsetenv(rows[i].variable);
        free(before);
        free(file);
        folder_remove(root);
    }
    if (given) {
        setenv("GPUTUNE_NVRTC", given, 1);
    }
}

TEST(test_newer_versions_come_first)
{
    char *root = folder_make();
    free(make_file(root, "lib64/libnvrtc.so.12"));
    char *newest = make_file(root, "lib/libnvrtc.so.13");
    setenv("GPUTUNE_NVRTC", root, 1);
    gt_nvrtc_candidates found;
    assert_int_equal(gt_nvrtc_find(&found), 0);
    assert_int_equal(found.paths.count, 2);
    assert_string_equal(found.paths.items[0], newest);
    gt_nvrtc_candidates_free(&found);
    unsetenv("GPUTUNE_NVRTC");
    free(newest);
    folder_remove(root);
}

int main(void)
{
    if (gt_nvrtc_open(&nvrtc, 0) < 0) {
        nvrtc = NULL;
    }
    return tests_run(NULL, NULL);
}
