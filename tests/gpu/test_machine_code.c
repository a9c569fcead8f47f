/* Access widths in machine code from NVRTC. Skipped without NVRTC. The expected widths are those
 * that nvdisasm 13.0 shows. */
#include "gpu/image.h"
#include "gpu/nvrtc.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

static const gt_nvrtc *nvrtc;

#define MOVE(type, more)                                                                           \
    "struct alignas(32) wide { float v[8]; };\n"                                                   \
    "extern \"C\" __global__ void k(" type " *y, const " type " *__restrict__ x)\n"                \
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = x[i]; " more " }\n"

static const struct {
    const char *text;
    uint32_t loads, stores;
} kernels[] = {
    {MOVE("unsigned char", ""), 1, 1},
    {MOVE("short", ""), 2, 2},
    {MOVE("float", ""), 4, 4},
    {MOVE("double", ""), 8, 8},
    {MOVE("float4", ""), 16, 16},
    {MOVE("float4", "((float *)y)[7] = 1; ((short *)y)[i * 8 + 999] = 2;"), 16, 16 | 4 | 2},
    {MOVE("float4",
          "__stcs(y + i + 9, __ldcg(x + i + 99)); __stwt((float2 *)y, make_float2(1, 2));"),
     16, 16 | 8},
};

static const char *const architectures[] = {"sm_75", "sm_80",  "sm_86",  "sm_89",
                                            "sm_90", "sm_100", "sm_103", "sm_120"};

static gt_resources widths_of(const char *text, const char *arch)
{
    gt_compiled result;
    const gt_nvrtc_request request = {.text = text, .arch = arch};
    if (gt_nvrtc_compile(&result, nvrtc, &request, NULL) != GPUTUNE_OK) {
        fail_msg("%s: %s", arch, gt_message());
    }
    gt_resources resources = result.resources;
    gt_compiled_free(&result);
    return resources;
}

static void assert_widths(const char *text, const char *arch, uint32_t loads, uint32_t stores)
{
    gt_resources found = widths_of(text, arch);
    if (found.load_widths != loads || found.store_widths != stores) {
        fail_msg("%s: loads %u, stores %u instead of %u, %u: %s", arch, found.load_widths,
                 found.store_widths, loads, stores, text);
    }
}

static void need_nvrtc(void)
{
    SKIP_IF(!nvrtc || gt_nvrtc_version(nvrtc) < 12080);
}

TEST(test_every_width_on_every_architecture)
{
    need_nvrtc();
    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            assert_widths(kernels[k].text, architectures[a], kernels[k].loads, kernels[k].stores);
        }
    }
}

/* 256 bits from Blackwell on, twice 128 before. */
TEST(widest_accesses)
{
    need_nvrtc();
    assert_widths(MOVE("wide", ""), "sm_90", 16, 16);
    assert_widths(MOVE("wide", ""), "sm_100", 32, 32);
    assert_widths(MOVE("wide", ""), "sm_120", 32, 32);
}

/* Generic accesses, and copies to shared memory, whose size field has moved. */
TEST(test_generic_and_asynchronous)
{
    static const char generic[] =
        "extern \"C\" __global__ void k(float4 *y, const float4 *x, int c)\n"
        "{ __shared__ float4 s[32]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads();\n"
        "  float4 *p = c ? s : y; ((double *)p)[c + 1] = 5; __syncthreads();\n"
        "  float4 *q = c > 5 ? s + 1 : y; ((float *)y)[c] = ((float *)q)[c + 2]; }\n";
    static const char copies[] =
        "extern \"C\" __global__ void k(float4 *y, const float4 *x)\n"
        "{ __shared__ float4 s[64]; unsigned a = (unsigned)__cvta_generic_to_shared(s);\n"
        "  asm volatile(\"cp.async.ca.shared.global [%0], [%1], 8;\" :: \"r\"(a), \"l\"(x));\n"
        "  asm volatile(\"cp.async.wait_all;\"); ((float *)y)[0] = ((float *)s)[0]; }\n";
    static const char *const modern[] = {"sm_80", "sm_90", "sm_100", "sm_120"};
    need_nvrtc();
    for (size_t a = 0; a < sizeof modern / sizeof *modern; a++) {
        assert_widths(generic, modern[a], 16 | 4, 8 | 4);
        assert_widths(copies, modern[a], 8, 4);
    }
}

TEST(test_ptx_has_none)
{
    gt_resources resources = {.load_widths = 5};
    gt_image ptx = {"LDG", 4};
    gt_machine_code_widths(&resources, &ptx, "sm_90");
    assert_int_equal(resources.load_widths, 0);
}

/* ---- variables ------------------------------------------------------------------------------- */

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
    need_nvrtc();
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
