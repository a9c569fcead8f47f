/* Tests parsing the logs of `ptxas -v` in NVRTC's output. */
#include "gpu/nvrtc.h"
#include "support/test.h"

/* NVRTC 13.0, sm_90. */
static const char two_kernels[] =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'big' for 'sm_90'\n"
    "ptxas info    : Function properties for big\n"
    "ptxas         .     1088 bytes stack frame, 1588 bytes spill stores, 1764 bytes spill loads\n"
    "ptxas info    : Used 32 registers, used 0 barriers, 1088 bytes cumulative stack size\n"
    "ptxas info    : Compile time = 105.389 ms\n"
    "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
    "ptxas info    : Function properties for k\n"
    "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 12 registers, used 1 barriers, 256 bytes smem\n"
    "ptxas info    : Compile time = 2.937 ms\n";

/* NVRTC 12, sm_80: function properties are indented without a prefix, and constant memory is listed
 * by bank. */
static const char older[] =
    "ptxas info    : 0 bytes gmem, 400 bytes cmem[3]\n"
    "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
    "ptxas info    : Function properties for k\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 40 registers, 2048 bytes smem, 376 bytes cmem[0], 8 bytes cmem[2]\n";

TEST(kernel_with_most_registers_counts)
{
    gt_resources resources;
    gt_ptxas_parse(&resources, two_kernels);
    assert_int_equal(resources.registers, 32);
    assert_int_equal(resources.spill_bytes, 1588 + 1764);
    assert_int_equal(resources.local_bytes, 1088);
    assert_int_equal(resources.static_shared_bytes, 0);
}

TEST(test_older_logs)
{
    gt_resources resources;
    gt_ptxas_parse(&resources, older);
    assert_int_equal(resources.registers, 40);
    assert_int_equal(resources.static_shared_bytes, 2048);
    assert_int_equal(resources.spill_bytes, 0);
}

TEST(test_other_text_gives_zero)
{
    static const char *const logs[] = {"",
                                       "\n",
                                       "Used",
                                       "Used registers\n",
                                       " bytes smem",
                                       "x.cu(1): error: identifier \"z\" is undefined\n"};
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        gt_resources resources = {.registers = 9, .spill_bytes = 9};
        gt_ptxas_parse(&resources, logs[i]);
        assert_int_equal(resources.registers, 0);
        assert_int_equal(resources.spill_bytes, 0);
    }
}

static void expect_line(const char *log, const char *expected)
{
    GT_FREED char *line = NULL;
    assert_int_equal(gt_compile_error_line(&line, log), 0);
    assert_string_equal(line, expected);
}

TEST(error_line_of_a_failed_compilation)
{
    expect_line("axpy.cu(3): warning #161-D: unrecognized #pragma\n"
                "axpy.cu(9): error: identifier \"z\" is undefined\n    z\n    ^\n\n1 error\n",
                "axpy.cu(9): error: identifier \"z\" is undefined");
    expect_line("nvrtc: error: unrecognized option --bogus found\n\n",
                "nvrtc: error: unrecognized option --bogus found");
    expect_line("ptxas error   : Entry function 'k' uses too much shared data\n",
                "ptxas error   : Entry function 'k' uses too much shared data");
    expect_line("something\nlast words\n", "last words");
    expect_line("", "");
    expect_line("ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
                "ptxas info    : Used 10 registers, used 1 barriers, 80000 bytes smem\n"
                "ptxas info    : Compile time = 1.735 ms\n",
                "80000 bytes of static shared memory; a kernel may have at most 49152; use "
                "shared() for more");
}
