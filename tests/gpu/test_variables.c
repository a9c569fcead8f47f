/* Tests finding variables in images from NVRTC. Skipped without NVRTC. */
#include "gpu/image.h"
#include "gpu/nvrtc.h"
#include "support/test.h"

static const gt_nvrtc *nvrtc;

static const char *const architectures[] = {"sm_75", "sm_80",  "sm_86",  "sm_89",
                                            "sm_90", "sm_100", "sm_103", "sm_120"};

static void note_name(void *user, const char *name, size_t length)
{
    char *list = user;
    size_t used = strlen(list);
    snprintf(list + used, 256 - used, "%.*s ", (int)length, name);
}

static void assert_names(const gt_image *image, const char *arch)
{
    char names[256] = "";
    gt_image_each_variable(image, note_name, names);
    bool right = strstr(names, "ticket ") && strstr(names, "starts ") &&
                 strstr(names, "_ZN2ns4listE ") && !strstr(names, "filter");
    if (!right) {
        fail_msg("%s, %s: the variables are '%s'", arch, gt_image_is_ptx(image) ? "PTX" : "cubin",
                 names);
    }
}

TEST(test_variables_that_kernels_may_write)
{
    static const char text[] = "__device__ unsigned ticket;\n"
                               "__device__ int starts = 5;\n"
                               "namespace ns { __device__ float list[4]; }\n"
                               "__constant__ float filter[4];\n"
                               "extern \"C\" __global__ void k(float *y, int i)\n"
                               "{ atomicAdd(&ticket, 1u); starts++; ns::list[i] = filter[i];\n"
                               "  y[i] = ns::list[i ^ 1]; }\n";
    SKIP_IF(!nvrtc || gt_nvrtc_version(nvrtc) < 12080);
    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        for (int ptx = 0; ptx < 2; ptx++) {
            gt_compiled result;
            const gt_nvrtc_request request = {.text = text, .arch = architectures[a], .ptx = ptx};
            if (gt_nvrtc_compile(&result, nvrtc, &request, NULL) != GPUTUNE_OK) {
                fail_msg("%s: %s", architectures[a], gt_message());
            }
            assert_names(&result.image, architectures[a]);
            gt_compiled_free(&result);
        }
    }
}

int main(void)
{
    if (gt_nvrtc_open(&nvrtc, 0) < 0) {
        nvrtc = NULL;
    }
    return tests_run(NULL, NULL);
}
