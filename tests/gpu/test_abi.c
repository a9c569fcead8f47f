/* Compares src/gpu/abi.h with cuda.h. Skipped if the compiler does not find cuda.h: give its folder
 * with EXTRA_CFLAGS=-I... */
#include "emulator/attributes.h"
#include "emulator/driver_abi.h"
#include "gpu/driver.h"
#include "support/cuda_layout.h"
#include "support/test.h"

static const cuda_layout_row ours[] = {CUDA_LAYOUT_ROWS{NULL, 0}};

static void need_cuda_h(void)
{
    if (!cuda_layout[0].what) {
        print_message("the compiler finds no cuda.h; EXTRA_CFLAGS=-I... names its folder\n");
        skip();
    }
}

TEST(test_layouts_and_values)
{
    need_cuda_h();
    for (size_t i = 0; ours[i].what; i++) {
        assert_string_equal(ours[i].what, cuda_layout[i].what);
        if (ours[i].value != cuda_layout[i].value) {
            fail_msg("%s is %lld, in cuda.h %lld", ours[i].what, ours[i].value,
                     cuda_layout[i].value);
        }
    }
}

static void expect_code(const char *name, long long value)
{
    if (cuda_code(name) != value) {
        fail_msg("%s is %lld, in cuda.h %lld", name, value, cuda_code(name));
    }
}

TEST(test_result_codes_and_attributes)
{
    need_cuda_h();
#define EXPECT(name, value) expect_code(#name, value);
    GT_CUDA_RESULT_LIST(EXPECT)
    EMU_ATTRIBUTE_LIST(EXPECT)
}

TEST(test_fatal_codes)
{
    static const int fatal[] = {226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 911, 999};
    static const int survivable[] = {0, 1, 2, 209, 218, 222, 600, 701, 801, 900, 912};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        assert_true(gt_cuda_fatal((CUresult)fatal[i]));
    }
    for (size_t i = 0; i < sizeof survivable / sizeof *survivable; i++) {
        assert_false(gt_cuda_fatal((CUresult)survivable[i]));
    }
}
