/* Tests finding the toolkit's headers and version, and hints about missing headers. */
#include "base/file.h"
#include "gpu/toolkit.h"
#include "support/folder.h"
#include "support/test.h"

static char *folder;

static void write_header(const char *name, const char *text)
{
    GT_FREED char *path = NULL;
    ASSERT_OK(gt_format(&path, "%s/%s", folder, name));
    ASSERT_OK(gt_file_make_parents(path));
    file_write(path, "%s", text);
}

static void set_variable(const char *name, const char *below)
{
    GT_FREED char *path = NULL;
    ASSERT_OK(gt_format(&path, "%s/%s", folder, below));
    setenv(name, path, 1);
}

static int open_folder(void **state)
{
    folder = folder_make();
    unsetenv("CUDA_HOME");
    unsetenv("GPUTUNE_NVRTC");
    unsetenv("VIRTUAL_ENV");
    return 0;
}

static int close_folder(void **state)
{
    folder_remove(folder);
    return 0;
}

static void expect(const char *version, const char *first, const char *second)
{
    GT_SCOPED(gt_toolkit_free) gt_toolkit toolkit;
    ASSERT_OK(gt_toolkit_find(&toolkit));
    assert_string_equal(toolkit.version, version);
    assert_true(toolkit.folders.count >= 2);
    assert_string_equal(toolkit.folders.items[0] + strlen(folder), first);
    assert_string_equal(toolkit.folders.items[1] + strlen(folder), second);
}

static const char runtime[] = "#define CUDART_VERSION  13000\n";
static const char cub[] = "/* CUB_VERSION */\n#define CUB_VERSION 300002 // three\n";

TEST_WITHIN(test_a_toolkit_with_cccl_below, open_folder, close_folder)
{
    write_header("cuda[13]/include/cuda_runtime_api.h", runtime);
    write_header("cuda[13]/include/cccl/cub/version.cuh", cub);
    set_variable("CUDA_HOME", "cuda[13]");
    expect("cuda 13.0 cccl 3.0.2", "/cuda[13]/include", "/cuda[13]/include/cccl");
}

/* The wheels of CUDA 12 are separate folders; those of CUDA 13 share one folder. */
TEST_WITHIN(headers_are_found_in_wheels, open_folder, close_folder)
{
    static const char site[] = "env/lib/python3.12/site-packages/nvidia";
    char name[256];
    (void)snprintf(name, sizeof name, "%s/cuda_runtime/include/cuda_runtime_api.h", site);
    write_header(name, "#define CUDART_VERSION  12080\n");
    (void)snprintf(name, sizeof name, "%s/cuda_cccl/include/cub/version.cuh", site);
    write_header(name, "#define CUB_VERSION 200700\n");
    (void)snprintf(name, sizeof name, "%s/cuda_nvrtc/lib/libnvrtc.so.12", site);
    write_header(name, "");
    set_variable("GPUTUNE_NVRTC", name);
    GT_SCOPED(gt_toolkit_free) gt_toolkit toolkit;
    ASSERT_OK(gt_toolkit_find(&toolkit));
    assert_string_equal(toolkit.version, "cuda 12.8 cccl 2.7.0");
    assert_int_equal(toolkit.folders.count, 2);
}

TEST_WITHIN(named_nvrtc_uses_its_own_headers, open_folder, close_folder)
{
    write_header("other/include/cuda_runtime_api.h", "#define CUDART_VERSION  12000\n");
    write_header("env/nvidia/cu13/include/cuda_runtime_api.h", runtime);
    write_header("env/nvidia/cu13/include/cccl/cub/version.cuh", cub);
    write_header("env/nvidia/cu13/lib/libnvrtc.so.13", "");
    set_variable("CUDA_HOME", "other");
    set_variable("GPUTUNE_NVRTC", "env/nvidia/cu13/lib/libnvrtc.so.13");
    expect("cuda 13.0 cccl 3.0.2", "/env/nvidia/cu13/include", "/env/nvidia/cu13/include/cccl");
}

TEST(hints_about_missing_headers)
{
    static const char *const options[] = {"--fmad=false", "-I/a", "-I/b"};
    static const char unknown[] = "k.cu(3): error: identifier \"f\" is undefined";
    GT_SCOPED(gt_text_free) gt_text none = {0};
    GT_SCOPED(gt_text_free) gt_text hint = {0};
    GT_SCOPED(gt_texts_free) gt_texts missing = {0};
    gt_header_hint_append(&none, unknown, &missing, options, 3);
    ASSERT_OK(gt_texts_add(&missing, "a.h", 3));
    ASSERT_OK(gt_texts_add(&missing, "b/c.h", 5));
    gt_header_hint_append(&none, "k.cu(3): error: expected a \";\"", &missing, options, 3);
    assert_string_equal(gt_text_string(&none), "");
    gt_header_hint_append(&hint, unknown, &missing, options, 3);
    assert_string_equal(gt_text_string(&hint),
                        "; headers that were not found: a.h, b/c.h; looked in /a, /b; install the "
                        "CUDA toolkit or set CUDA_HOME, or pass the header's folder with -I, "
                        "include_paths or GPUTUNE_INCLUDE");
    gt_text_free(&hint);
    gt_header_hint_append(&hint, "/b/c.h(3): error: identifier \"f\" is undefined", &missing,
                          options, 3);
    assert_non_null(strstr(gt_text_string(&hint), "; leave out -I/b if the kernel does not need"));
}
