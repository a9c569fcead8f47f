/* Templates that a program brings in memory. */
#include "world.h"

static const char text[] = "// y[i] = FACTOR * x[i]\n"
                           "#include \"gputune.cuh\"\n"
                           "#include \"own/factor.cuh\"\n"
                           "#pragma gputune kernel(scale)\n"
                           "#pragma gputune problem(n = 4096)\n"
                           "#pragma gputune args(out float y[n], in float x[n], size_t n)\n"
                           "#pragma gputune tune(BLOCK = 64, 128)\n"
                           "#pragma gputune default(BLOCK = 128)\n"
                           "#pragma gputune block(BLOCK)\n"
                           "#pragma gputune grid(ceil_div(n, BLOCK))\n"
                           "__global__ void scale(float *y, const float *x, size_t n)\n"
                           "{\n"
                           "    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;\n"
                           "    if (i < n) {\n"
                           "        y[i] = FACTOR * x[i];\n"
                           "    }\n"
                           "}\n";
static const gputune_include twice[] = {{"own/factor.cuh", "#include \"number.cuh\"\n"},
                                        {"number.cuh", "#define FACTOR 2.0f\n"},
                                        {NULL, NULL}};
static const gputune_include thrice[] = {{"own/factor.cuh", "#define FACTOR 3.0f\n"}, {NULL, NULL}};

static float launched(gputune *tuner, const char *kernel)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gputune_plan *plan;
    const size_t n = 100;
    float x[100], y[100];
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)i;
    }
    options.effort = GPUTUNE_CACHED_ONLY;
    OK(tune_kernel(&plan, tuner, kernel, GPUTUNE_SIZES({"n", n}), &options));
    CUdeviceptr dx = buffer_of(x, sizeof x), dy = buffer_of(y, sizeof y);
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&dy, &dx, &n)));
    CU(MemcpyDtoH(y, dy, sizeof y));
    CU(MemFree(dx));
    CU(MemFree(dy));
    gputune_plan_release(plan);
    return y[99] / x[99];
}

TEST(source_is_tuned_and_launched_without_a_file)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    char copy[sizeof text];
    memcpy(copy, text, sizeof text);
    OK(gputune_add_source(tuner, "scale.cu", copy, twice));
    memset(copy, 0, sizeof copy); /* it was copied */
    gputune_plan_release(plan_measured(tuner, "scale", GPUTUNE_SIZES({"n", 4096})));
    assert_float_equal(launched(tuner, "scale"), 2, 0);
    assert_float_equal(launched(tuner, "scale.cu"), 2, 0); /* by the name it was given */
}

TEST(source_added_again_replaces_the_first)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    OK(gputune_add_source(tuner, "scale.cu", text, twice));
    assert_float_equal(launched(tuner, "scale"), 2, 0);
    OK(gputune_add_source(tuner, "scale.cu", text, thrice));
    assert_float_equal(launched(tuner, "scale"), 3, 0);
    assert_float_equal(launched(tuner, "scale.cu"), 3, 0);
}

TEST(mistake_is_named_by_the_given_name)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    assert_int_equal(
        gputune_add_source(tuner, "mine.cu", "\n#pragma gputune kernle(scale)\n", NULL),
        GPUTUNE_ETEMPLATE);
    assert_memory_equal(gputune_error(), "mine.cu:2:", strlen("mine.cu:2:"));
    assert_int_equal(gputune_add_source(tuner, "mine.cu", NULL, NULL), GPUTUNE_EINVAL);
    assert_int_equal(gputune_add_source(tuner, NULL, text, NULL), GPUTUNE_EINVAL);
    assert_int_equal(gputune_add_source(NULL, "mine.cu", text, NULL), GPUTUNE_EINVAL);
}

static int note_name(void *user, const gputune_kernel *kernel)
{
    *(bool *)user |= strcmp(kernel->name, "scale") == 0;
    return 0;
}

TEST(source_is_listed)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    bool listed = false;
    OK(gputune_add_source(tuner, "scale.cu", text, twice));
    OK(gputune_kernels(tuner, note_name, &listed));
    assert_true(listed);
}

TESTS_WITHIN(open_h200, world_close)
