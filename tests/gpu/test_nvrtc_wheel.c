/* Tests that NVRTC is found in a Python wheel if the loader's path contains no toolkit. */
#include "base/file.h"
#include "gpu/nvrtc.h"
#include "support/test.h"

TEST(builtins_beside_nvrtc_are_found)
{
    const gt_nvrtc *nvrtc;
    const gt_nvrtc_request request = {.text = "", .arch = "sm_90", .ptx = true};
    GT_SCOPED(gt_compiled_free) gt_compiled result;
    char *folder, *path;
    ASSERT_OK(gt_file_own_folder(&folder));
    ASSERT_OK(gt_format(&path, "%s/wheel/libnvrtc.so.12", folder));
    setenv("GPUTUNE_NVRTC", path, 1);
    ASSERT_OK(gt_nvrtc_open(&nvrtc, 13000));
    assert_int_equal(gt_nvrtc_version(nvrtc), 12090);
    if (gt_nvrtc_compile(&result, nvrtc, &request, NULL) != GPUTUNE_OK) {
        fail_msg("%s", gt_message());
    }
    free(path);
    free(folder);
}
