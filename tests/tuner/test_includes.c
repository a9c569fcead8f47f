/* Tests what templates may include, the order in which folders are searched, and the effect of
 * includes on the template's identity. */
#include "base/file.h"
#include "base/text.h"
#include "support/folder.h"

#include "support/test.h"
#include "tuner/catalog.h"

#define KERNEL                                                                                     \
    "#pragma gputune kernel(k) args(out float y[4]) block(1) grid(1)\n"                            \
    "__global__ void k(float *y) {}\n"

static char *folder; /* the test's folder, with t/ for templates and lib/ for headers */

static void write_file(const char *name, const char *text)
{
    GT_FREED char *path = NULL;
    ASSERT_OK(gt_format(&path, "%s/%s", folder, name));
    ASSERT_OK(gt_file_make_parents(path));
    file_write(path, "%s", text);
}

static int open_folder(void **state)
{
    folder = folder_make();
    write_file("t/k.cu", KERNEL);
    write_file("lib/a.cuh", "#include \"b.cuh\"\n");
    write_file("lib/b.cuh", "int b;\n");
    write_file("toolkit/include/cuda_runtime_api.h", "#define CUDART_VERSION  13000\n");
    write_file("toolkit/include/cuda_fp16.h", "struct half;\n");
    GT_FREED char *toolkit = NULL;
    ASSERT_OK(gt_format(&toolkit, "%s/toolkit", folder));
    setenv("CUDA_HOME", toolkit, 1);
    unsetenv("GPUTUNE_NVRTC");
    unsetenv("GPUTUNE_INCLUDE");
    return 0;
}

static int close_folder(void **state)
{
    folder_remove(folder);
    return 0;
}

/* Reads t/k.cu, which consists of `head` and the kernel. If `named` is true, lib/ is an include
 * path. Sets *options to the compiler's options, which the caller frees; `options` may be NULL. */
static gputune_status parse(gt_hash *identity, char **options, const char *head, bool named)
{
    char *text, *path, *lib;
    const gt_template *template;
    gt_catalog *catalog;
    ASSERT_OK(gt_format(&text, "%s%s", head, KERNEL));
    write_file("t/k.cu", text);
    free(text);
    ASSERT_OK(gt_format(&path, "%s/t/k.cu", folder));
    ASSERT_OK(gt_format(&lib, "%s/lib", folder));
    ASSERT_OK(gt_catalog_open(&catalog, NULL, NULL));
    if (named) {
        const char *const paths[] = {lib};
        ASSERT_OK(gt_catalog_set_include_paths(catalog, paths, 1));
    }
    gputune_status status = gt_catalog_find(&template, catalog, path);
    if (status == GPUTUNE_OK && identity) {
        *identity = template->identity;
    }
    if (status == GPUTUNE_OK && options) {
        const char *const *items;
        size_t count;
        gt_text all = {0};
        ASSERT_OK(gt_catalog_compile_options(&items, &count, catalog, template));
        for (size_t i = 0; i < count; i++) {
            gt_text_printf(&all, "%s ", items[i]);
        }
        ASSERT_OK(gt_text_take(options, &all));
    }
    gt_catalog_close(catalog);
    free(path);
    free(lib);
    return status;
}

static gt_hash identity_of(const char *head, bool named)
{
    gt_hash identity = {0, 0};
    ASSERT_OK(parse(&identity, NULL, head, named));
    return identity;
}

TEST_WITHIN(test_a_header_counts_by_its_content_and_its_includes, open_folder, close_folder)
{
    static const char head[] = "#include <a.cuh>\n";
    const gt_hash first = identity_of(head, true);
    assert_true(gt_hash_equal(first, identity_of(head, true)));
    write_file("lib/b.cuh", "int c;\n");
    assert_false(gt_hash_equal(first, identity_of(head, true)));
    write_file("lib/b.cuh", "int b;\n");
    assert_true(gt_hash_equal(first, identity_of(head, true)));
    assert_false(gt_hash_equal(first, identity_of(head, false)));
}

TEST_WITHIN(test_a_toolkit_counts_by_its_version, open_folder, close_folder)
{
    static const char head[] = "#include <cuda_fp16.h>\n";
    const gt_hash first = identity_of(head, false), none = identity_of("", false);
    write_file("toolkit/include/cuda_fp16.h", "struct half2;\n");
    assert_true(gt_hash_equal(first, identity_of(head, false)));
    write_file("toolkit/include/cuda_runtime_api.h", "#define CUDART_VERSION  13010\n");
    assert_false(gt_hash_equal(first, identity_of(head, false)));
    assert_true(gt_hash_equal(none, identity_of("", false)));
}

TEST_WITHIN(test_the_compiler_gets_the_folders_in_order, open_folder, close_folder)
{
    char *options, *expected;
    ASSERT_OK(parse(NULL, &options, "#include <a.cuh>\n", true));
    ASSERT_OK(gt_format(&expected, "-I%s/lib -I%s/toolkit/include", folder, folder));
    assert_ptr_equal(strstr(options, expected), options);
    free(options);
    ASSERT_OK(parse(NULL, &options, "", true));
    assert_string_equal(options, "");
    free(options);
    free(expected);
}

TEST_WITHIN(test_folders_of_the_environment, open_folder, close_folder)
{
    GT_FREED char *lib = NULL;
    const gt_hash without = identity_of("#include <a.cuh>\n", false);
    ASSERT_OK(gt_format(&lib, "/nowhere:%s/lib:", folder));
    setenv("GPUTUNE_INCLUDE", lib, 1);
    assert_false(gt_hash_equal(without, identity_of("#include <a.cuh>\n", false)));
}

static void expect_refusal(const char *head, const char *message)
{
    ASSERT_FAILS(parse(NULL, NULL, head, false), GPUTUNE_EINVAL, message);
}

/* Contents of files outside the template's folder would leak into the compiler's messages. */
TEST_WITHIN(test_nothing_outside_is_read, open_folder, close_folder)
{
    write_file("secret.h", "secret\n");
    expect_refusal("#include \"/etc/passwd\"\n",
                   "k.cu:1:10: include of '/etc/passwd': a template may not read /etc/passwd");
    expect_refusal("#include </etc/passwd>\n", "k.cu:1:10: include of '/etc/passwd'");
    expect_refusal("#include \"../secret.h\"\n", "k.cu:1:10: include of '../secret.h'");
    expect_refusal("#if 1\n  #  include \"../lib/a.cuh\"\n#endif\n", "expected a file below");
    expect_refusal("%:include </etc/passwd>\n", "k.cu:1:11: include of");
    expect_refusal("#include <../../../../../../../../../../etc/passwd>\n",
                   "a template may not read");
    write_file("t/link.h", "");
    char *link;
    ASSERT_OK(gt_format(&link, "%s/t/link.h", folder));
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("/etc/passwd", link), 0);
    free(link);
    expect_refusal("#include \"link.h\"\n", "a template may not read /etc/passwd");
    ASSERT_OK(parse(NULL, NULL, "#include \"../lib/a.cuh\"\n", true));
}

static void expect_mistake(const char *head, const char *message)
{
    ASSERT_FAILS(parse(NULL, NULL, head, false), GPUTUNE_ETEMPLATE, message);
}

TEST_WITHIN(hidden_includes_are_refused, open_folder, close_folder)
{
    expect_mistake(
        "#define F </etc/passwd>\n#include F\n",
        "k.cu:2:10: an #include of a macro, which is not expanded here; expected \"file\" "
        "or <file>");
    expect_mistake("#inc\\\nlude </etc/passwd>\n", "expected a directive such as #include");
    expect_mistake("#include_next </etc/passwd>\n", "found 'include_next'; expected a directive");
    expect_mistake("#embed \"/etc/passwd\"\n", "found 'embed'; expected a directive");
}

/* Reading these files would fill the memory or block forever. */
TEST_WITHIN(test_devices_and_fifos_are_no_headers, open_folder, close_folder)
{
    GT_FREED char *fifo = NULL;
    ASSERT_OK(gt_format(&fifo, "%s/t/fifo.h", folder));
    assert_int_equal(mkfifo(fifo, 0600), 0);
    ASSERT_FAILS(parse(NULL, NULL, "#include \"fifo.h\"\n", false), GPUTUNE_ETEMPLATE,
                 "expected a regular file");
    assert_int_equal(parse(NULL, NULL, "#include \"/dev/zero\"\n", false), GPUTUNE_EINVAL);
}

TEST_WITHIN(test_own_files_may_include_each_other, open_folder, close_folder)
{
    write_file("t/one.cuh", "#pragma once\n#include \"sub/two.cuh\"\n");
    write_file("t/sub/two.cuh", "#ifndef TWO\n#define TWO\n#include \"../one.cuh\"\n#endif\n");
    ASSERT_OK(parse(NULL, NULL, "#include \"one.cuh\"\n", false));
}

TEST_WITHIN(test_a_path_that_is_no_folder, open_folder, close_folder)
{
    gt_catalog *catalog;
    const char *const paths[] = {"/nowhere/at/all"};
    ASSERT_OK(gt_catalog_open(&catalog, NULL, NULL));
    assert_int_equal(gt_catalog_set_include_paths(catalog, paths, 1), GPUTUNE_EINVAL);
    assert_string_equal(gt_message(),
                        "include path '/nowhere/at/all' is not a folder; expected one that exists");
    gt_catalog_close(catalog);
}
