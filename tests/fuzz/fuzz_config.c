/* Fuzzes configuration texts, restrictions and sizes with a fixed template. */
#include "fuzz/device.h"
#include "fuzz/fuzz.h"

#include "kernel/space/space.h"

#include <string.h>

static const char template_text[] =
    "#pragma gputune kernel(k)\n#pragma gputune problem(n = 1024, type T = float, half)\n"
    "#pragma gputune pass(c : int[8] = value, global : uniform(0, 9))\n"
    "#pragma gputune args(inout T y[n])\n#pragma gputune vector(VEC = 1, 2, 4 : y)\n"
    "#pragma gputune tune(BLOCK = 64, 128)\n#pragma gputune tune(KIND = fast, small)\n"
    "#pragma gputune carveout(CARVEOUT = auto, 0, 100)\n"
    "#pragma gputune block(BLOCK)\n#pragma gputune grid(ceil_div(n, BLOCK * VEC))\n"
    "#pragma gputune default(VEC = 1, BLOCK = 64, KIND = fast, c = value, CARVEOUT = auto)\n"
    "__global__ void k(GPUTUNE_PARAM(c) T *y) { y[VEC] = KIND + c(0); }\n";

const char *const fuzz_seeds[] = {"VEC=4 BLOCK=128", "KIND=small,c=global", "CARVEOUT=auto VEC=2",
                                  "T=half n=2",      "BLOCK=64,256",        NULL};
const char *const fuzz_words[] = {"VEC=", "BLOCK=", "KIND=", "c=", "CARVEOUT=", "auto", "value",
                                  "T=",   "n=",     ",",     " ",  "=",         "-1",   NULL};

static gt_template *the_template(void)
{
    static gt_template *template;
    if (!template && gt_template_parse(&template, "k.cu", template_text, NULL, NULL, NULL) != 0) {
        fuzz_stop(__FILE__, __LINE__, gputune_error());
    }
    return template;
}

static void restrict_space(const gt_template *template, const char *only)
{
    const gt_device device = fuzz_device();
    gt_problem problem;
    gt_space *space;
    gt_workload *workload = calloc(1, sizeof *workload);
    FUZZ_REQUIRE(workload && gt_problem_bind(&problem, template, GPUTUNE_NO_SIZES) == 0);
    FUZZ_REQUIRE(gt_workload_bind(workload, template, &problem, &device, 16, NULL, 0) == 0);
    if (gt_space_open(&space, template, &problem, workload, &device, &only, 1) == 0) {
        gt_config config;
        gt_random random = {1};
        uint64_t count = 0;
        for (; gt_space_next(space, &config); count++) {
            FUZZ_REQUIRE(!gt_space_excludes(space, &config));
        }
        FUZZ_REQUIRE(gt_space_count(space).count == count);
        FUZZ_REQUIRE(gt_space_draw(space, &random, &config) == (count > 0));
        FUZZ_REQUIRE(!count || gt_space_has(space, &config));
        gt_space_free(space);
    }
    free(workload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    gt_template *template = the_template();
    char *text = strndup((const char *)data, bytes), *printed;
    gt_config config;
    gt_problem problem;
    const gputune_size size = {text, 0};
    FUZZ_REQUIRE(text);
    if (gt_config_parse(&config, template, text, true) == 0) {
        gt_config again;
        FUZZ_REQUIRE(gt_config_text(&printed, template, &config) == 0);
        FUZZ_REQUIRE(gt_config_parse(&again, template, printed, true) == 0);
        FUZZ_REQUIRE(memcmp(&again, &config, sizeof config) == 0);
        free(printed);
    } else {
        FUZZ_REQUIRE(gputune_error()[0]);
    }
    (void)gt_problem_bind(&problem, template, (gputune_sizes){1, &size});
    if (bytes < 256) {
        restrict_space(template, text);
    }
    free(text);
    return 0;
}
