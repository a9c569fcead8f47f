/* Tests templates that a program passes in memory, and edits of template files. */
#include "support/clock.h"
#include "support/folder.h"
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

static gputune_plan *plan_of(gputune *tuner, const char *kernel)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gputune_plan *plan;
    options.effort = GPUTUNE_CACHED_ONLY;
    OK(tune_kernel(&plan, tuner, kernel, GPUTUNE_SIZES({"n", 100}), &options));
    return plan;
}

static float launched_by(gputune_plan *plan)
{
    const size_t n = 100;
    float x[100], y[100];
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)i;
    }
    CUdeviceptr dx = buffer_of(x, sizeof x), dy = buffer_of(y, sizeof y);
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&dy, &dx, &n)));
    CU(MemcpyDtoH(y, dy, sizeof y));
    CU(MemFree(dx));
    CU(MemFree(dy));
    gputune_plan_release(plan);
    return y[99] / x[99];
}

static float launched(gputune *tuner, const char *kernel)
{
    return launched_by(plan_of(tuner, kernel));
}

TEST_WITH_TUNER(source_is_tuned_and_launched_without_a_file, ":memory:")
{
    char copy[sizeof text];
    memcpy(copy, text, sizeof text);
    OK(gputune_add_source(tuner, "scale.cu", copy, twice));
    memset(copy, 0, sizeof copy);
    gputune_plan_release(plan_measured(tuner, "scale", GPUTUNE_SIZES({"n", 4096})));
    assert_float_equal(launched(tuner, "scale"), 2, 0);
    assert_float_equal(launched(tuner, "scale.cu"), 2, 0);
}

TEST_WITH_TUNER(source_added_again_replaces_the_first, ":memory:")
{
    OK(gputune_add_source(tuner, "scale.cu", text, twice));
    assert_float_equal(launched(tuner, "scale"), 2, 0);
    OK(gputune_add_source(tuner, "scale.cu", text, thrice));
    assert_float_equal(launched(tuner, "scale"), 3, 0);
    assert_float_equal(launched(tuner, "scale.cu"), 3, 0);
}

TEST_WITH_TUNER(mistake_is_named_by_the_given_name, ":memory:")
{
    assert_int_equal(
        gputune_add_source(tuner, "mine.cu", "\n#pragma gputune kernle(scale)\n", NULL),
        GPUTUNE_ETEMPLATE);
    assert_memory_equal(gputune_error(), "mine.cu:2:", strlen("mine.cu:2:"));
}

typedef struct files {
    char *folder, template[128], header[128];
} files;

static void write_files(files *f)
{
    char own[128];
    f->folder = folder_make();
    snprintf(f->template, sizeof f->template, "%s/scale.cu", f->folder);
    snprintf(own, sizeof own, "%s/own", f->folder);
    snprintf(f->header, sizeof f->header, "%s/own/factor.cuh", f->folder);
    assert_int_equal(mkdir(own, 0755), 0);
    file_write(f->template, "%s", text);
    file_write(f->header, "#define FACTOR 2.0f\n");
}

TEST_WITH_TUNER(edited_files_are_noticed_within_a_second, ":memory:")
{
    files f;
    char edited[sizeof text + 8] = "";
    write_files(&f);
    OK(gputune_add_template(tuner, f.template));
    gputune_plan *kept = plan_of(tuner, f.template), *again;
    for (int i = 0; i < 3; i++) { /* nothing was edited */
        clock_skip(1);
        again = plan_of(tuner, f.template);
        assert_ptr_equal(again, kept);
        gputune_plan_release(again);
        assert_float_equal(launched(tuner, "scale"), 2, 0);
    }
    file_write(f.header, "#define FACTOR 3.0f\n");
    clock_skip(1);
    assert_float_equal(launched(tuner, f.template), 3, 0);
    assert_float_equal(launched(tuner, "scale"), 3, 0);
    assert_float_equal(launched(tuner, f.template), 3, 0);
    const char *product = strstr(text, "FACTOR * x[i];\n    }");
    snprintf(edited, sizeof edited, "%.*s2 * %s", (int)(product - text), text, product);
    file_write(f.template, "%s", edited);
    clock_skip(1);
    assert_float_equal(launched(tuner, "scale"), 6, 0);
    assert_float_equal(launched(tuner, f.template), 6, 0);
    assert_int_equal(unlink(f.template), 0);
    clock_skip(1);
    assert_float_equal(launched(tuner, f.template), 6, 0);
    assert_float_equal(launched_by(kept), 2, 0);
    folder_remove(f.folder);
}

TEST(edited_files_of_a_named_folder_are_noticed)
{
    files f;
    gputune *tuner;
    write_files(&f);
    OK(gputune_open(&tuner, &OPEN_OPTIONS(.database = ":memory:", .templates = f.folder)));
    assert_float_equal(launched(tuner, "scale"), 2, 0);
    file_write(f.header, "#define FACTOR 3.0f\n");
    clock_skip(1);
    assert_float_equal(launched(tuner, "scale"), 3, 0);
    gputune_close(tuner);
    folder_remove(f.folder);
}

/* A user of a notebook may edit a cell and run it again at once. The first call after a plan was
 * made therefore checks the file without the usual delay. */
TEST_WITH_TUNER(an_edit_right_after_the_first_call_is_noticed, ":memory:")
{
    files f;
    write_files(&f);
    assert_float_equal(launched(tuner, f.template), 2, 0);
    file_write(f.header, "#define FACTOR 12.0f\n");
    assert_float_equal(launched(tuner, f.template), 12, 0);
    folder_remove(f.folder);
}

TESTS_WITHIN(open_h200, world_close)
