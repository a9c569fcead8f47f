/* Tests matching the sizes and GPUs that a user selects in a text. */
#include "base/selection.h"
#include "base_support.h"

TEST(sizes_match_one_value_of_each_name)
{
    static const struct {
        const char *wanted;
        bool fits;
    } cases[] = {{"", true},
                 {"n=1048576", true},
                 {"n=1M", true},
                 {"n=2^20 T=half", true},
                 {"n=1,2,1M", true},
                 {"T=float,half n=1024K", true},
                 {"n=1M,T=half", true},
                 {"n=2M", false},
                 {"n=2M,T=half", false},
                 {"n=1M T=float", false},
                 {"T=halfs", false},
                 {"m=1M", false},
                 {"N=1M", false},
                 {"n=1M n=2M", false},
                 {"n=", false},
                 {"1M", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool fits = gt_sizes_match("n=1048576 T=half", cases[i].wanted, false);
        if (fits != cases[i].fits) {
            fail_msg("'%s': %d", cases[i].wanted, fits);
        }
    }
    assert_false(gt_sizes_match("", "n=1", false));
    assert_true(gt_sizes_match("n=1:8 T=half", "n=9,8 T=half", true));
    assert_false(gt_sizes_match("n=1:8 T=half", "n=8 T=float", true));
    assert_false(gt_sizes_match("n=1:8", "n=8", false));
}

TEST(types_match_by_each_of_their_names)
{
    assert_true(gt_sizes_match("T=half", "T=__half", false));
    assert_true(gt_sizes_match("T=__half", "T=float,half", false));
    assert_true(gt_sizes_match("T=__nv_bfloat16", "T=bfloat16", false));
    assert_true(gt_sizes_match("T=bfloat16", "T=nv_bfloat16", false));
    assert_false(gt_sizes_match("T=half2", "T=__half", false));
    assert_true(gt_sizes_match("T=unsigned int n=4", "T=half,unsigned int n=4", false));
    assert_false(gt_sizes_match("T=unsigned int n=4", "T=unsigned char n=4", false));
    assert_false(gt_sizes_match("T=half", "T=__nv_bfloat16", false));
}

TEST(gpus_match_part_of_a_name_or_environment)
{
    assert_true(gt_gpu_matches("NVIDIA H200", "00ff", "h200"));
    assert_true(gt_gpu_matches("NVIDIA H200", "00ff", "00ff"));
    assert_false(gt_gpu_matches("NVIDIA H200", "00ff", "ff"));
    assert_false(gt_gpu_matches("NVIDIA H200", "00ff", "H100"));
}
