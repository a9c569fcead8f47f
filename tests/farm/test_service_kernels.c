/* The service kernels compile for every architecture that NVRTC supports. */
#include "farm/farm.h"
#include "gpu/nvrtc.h"
#include "support/test.h"

#include <stddef.h>
#include <string.h>

static void compile_for(const gt_nvrtc *nvrtc, const char *arch)
{
    gt_nvrtc_request request = {.text = gt_service_source, .arch = arch};
    gt_compiled result = {0};
    gputune_status status = gt_nvrtc_compile(&result, nvrtc, &request, NULL);
    if (status < 0) {
        print_message("%s: %s\n", arch, gt_message());
    }
    ASSERT_OK(status);
    assert_true(result.image.bytes > 0);
    gt_compiled_free(&result);
}

TEST(service_kernels_compile_for_every_architecture)
{
    static const char *const archs[] = {"sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"};
    const gt_nvrtc *nvrtc;
    if (gt_nvrtc_open(&nvrtc, 0) < 0) {
        print_message("no compiler: %s\n", gt_message());
        skip();
    }
    for (size_t i = 0; i < sizeof archs / sizeof archs[0]; ++i) {
        bool is_new = strlen(archs[i]) > 5;
        if (!is_new || gt_nvrtc_version(nvrtc) >= 12080) {
            compile_for(nvrtc, archs[i]);
        }
    }
}
