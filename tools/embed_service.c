/* Compiles the service kernels for every architecture that NVRTC supports, and to PTX for emulated
 * devices. Prints the results as a C table, which saves the first tuning these compiles. Without
 * NVRTC the table is empty, and the kernels are compiled when they are needed. */
#include "farm/farm.h"
#include "gpu/nvrtc.h"

#include <stdio.h>

static const char *const architectures[] = {"sm_75",  "sm_80",   "sm_86",   "sm_89",
                                            "sm_90a", "sm_100a", "sm_103a", "sm_120a"};
enum { ARCHITECTURES = sizeof architectures / sizeof *architectures };
static const char ptx_name[] = "ptx";

static void print_bytes(const char *name, const gt_image *image)
{
    printf("static const unsigned char %s[] = {", name);
    for (size_t i = 0; i < image->bytes; i++) {
        printf("%s%u,", i % 32 ? "" : "\n", ((const unsigned char *)image->data)[i]);
    }
    printf("\n};\n");
}

static bool compile(const gt_nvrtc *nvrtc, const char *name, const char *arch)
{
    gt_compiled result = {0};
    const gt_nvrtc_request request = {
        .text = gt_service_source, .arch = arch, .ptx = name == ptx_name};
    bool done = gt_nvrtc_compile(&result, nvrtc, &request, NULL) == GPUTUNE_OK;
    if (done) {
        print_bytes(name, &result.image);
    }
    gt_compiled_free(&result);
    return done;
}

int main(void)
{
    const gt_nvrtc *nvrtc = NULL;
    bool done[ARCHITECTURES] = {false};
    bool available = gt_nvrtc_open(&nvrtc, 0) == GPUTUNE_OK;
    printf("#include \"farm/farm.h\"\n");
    for (int i = 0; i < ARCHITECTURES && available; i++) {
        done[i] = compile(nvrtc, architectures[i], architectures[i]);
    }
    bool has_ptx = available && compile(nvrtc, ptx_name, architectures[0]);
    printf("const gt_service_image gt_service_images[] = {\n");
    for (int i = 0; i < ARCHITECTURES; i++) {
        if (done[i]) {
            printf("    {\"%s\", %s, sizeof %s},\n", architectures[i], architectures[i],
                   architectures[i]);
        }
    }
    if (has_ptx) {
        printf("    {\"%s\", %s, sizeof %s},\n", ptx_name, ptx_name, ptx_name);
    }
    printf("    {NULL, NULL, 0}};\n");
    return fflush(stdout) ? 1 : 0;
}
