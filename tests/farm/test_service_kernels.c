/* Tests that the service kernels compile for every architecture that NVRTC supports. Kernels that
 * the build could not compile are compiled here to show the error. */
#include "farm/farm.h"
#include "gpu/nvrtc.h"
#include "support/test.h"

static bool is_built_in(const char *arch)
{
    const gt_service_image *image = gt_service_images;
    while (image->arch && strcmp(image->arch, arch) != 0) {
        image++;
    }
    return image->arch && image->bytes > 0;
}

static void compile_for(const gt_nvrtc *nvrtc, const char *arch)
{
    gt_nvrtc_request request = {.text = gt_service_source, .arch = arch};
    GT_SCOPED(gt_compiled_free) gt_compiled result = {0};
    gputune_status status = gt_nvrtc_compile(&result, nvrtc, &request, NULL);
    if (status < 0) {
        print_message("%s: %s\n", arch, gt_message());
    }
    ASSERT_OK(status);
    assert_true(result.image.bytes > 0);
}

TEST(service_kernels_compile_for_every_architecture)
{
    static const char *const archs[] = {"sm_75",  "sm_80",   "sm_86",   "sm_89",
                                        "sm_90a", "sm_100a", "sm_103a", "sm_120a"};
    const gt_nvrtc *nvrtc;
    if (gt_nvrtc_open(&nvrtc, 0) < 0) {
        print_message("no compiler: %s\n", gt_message());
        skip();
    }
    for (size_t i = 0; i < sizeof archs / sizeof archs[0]; ++i) {
        bool is_known = strlen(archs[i]) < 7 || gt_nvrtc_version(nvrtc) >= 12090;
        if (is_known && !is_built_in(archs[i])) {
            compile_for(nvrtc, archs[i]);
        }
    }
    assert_true(is_built_in("ptx") || !is_built_in("sm_75"));
}
