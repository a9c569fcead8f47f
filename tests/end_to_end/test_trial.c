/* The other data set that variants are proved on: what is demanded of them there, and what is not.
 */
#include "support/folder.h"
#include "world.h"

/* A template whose default has `right` in its kernel, the other variant `other`, and the reference
 * `reference`; `args` are those between the input and the size. */
static void write_template(char path[128], const char *input, const char *args, const char *lines,
                           const char *right, const char *other, const char *reference)
{
    snprintf(path, 128, "%s/tried.cu", world.folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    char parameters[64] = "";
    for (size_t i = 0; args[i] && args[i] != '='; i++) {
        parameters[i] = args[i];
    }
    const char *comma = args[0] ? ", " : "";
    fprintf(file,
            "#pragma gputune kernel(tried)\n"
            "#pragma gputune problem(n = 2048)\n"
            "#pragma gputune args(out float y[n], in float x[n]%s%s%s, size_t n)\n"
            "#pragma gputune tune(OTHER = 0, 1)\n"
            "#pragma gputune block(128)\n"
            "#pragma gputune grid(ceil_div(n, 128))\n"
            "#pragma gputune reference(tried_reference)\n%s"
            "__global__ void tried(float *y, const float *x%s%s, size_t n)\n"
            "{\n"
            "    size_t i = (size_t)blockIdx.x * 128 + threadIdx.x;\n"
            "    if (i < n && OTHER) {\n        %s\n    }\n"
            "    if (i < n && !OTHER) {\n        %s\n    }\n"
            "}\n"
            "__global__ void tried_reference(float *y, const float *x%s%s, size_t n)\n"
            "{\n"
            "    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i < n) {\n        %s\n    }\n"
            "}\n",
            input, comma, args, lines, comma, parameters, other, right, comma, parameters,
            reference);
    assert_int_equal(fclose(file), 0);
}

static int on_trial(void *user, const gputune_record *record)
{
    if (strstr(record->configuration, "OTHER=1")) {
        snprintf(user, 512, "%s: %s", record->status, record->message);
    }
    return 0;
}

/* What becomes of the other variant: its status and message. */
static const char *outcome(const char *input, const char *args, const char *lines,
                           const char *right, const char *other, const char *reference)
{
    static char found[512];
    char path[128];
    gputune_plan *plan;
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    write_template(path, input, args, lines, right, other, reference);
    gputune *tuner = tuner_open(":memory:");
    OK(tune_kernel(&plan, tuner, path, GPUTUNE_NO_SIZES, &OPTIONS()));
    gputune_plan_release(plan);
    filter.all_trials = true;
    filter.kernel = "tried";
    found[0] = '\0';
    OK(gputune_records(tuner, &filter, on_trial, found));
    gputune_close(tuner);
    unlink(path);
    return found;
}

static void expect(const char *found, const char *words)
{
    if (!strstr(found, words)) {
        fail_msg("expected '%s', found '%s'", words, found);
    }
}

static void expect_right(const char *found)
{
    if (strncmp(found, "wrong", 5) == 0 || strncmp(found, "crashed", 7) == 0 || !found[0]) {
        fail_msg("refused: %s", found);
    }
}

TEST(test_scalars_have_other_values)
{
    const char *moved = "y[i] = x[i + first];"; /* an offset is no flag */
    expect_right(outcome("", "unsigned first = 0", "", moved, moved, "y[i] = x[i];"));
    const char *scaled = "y[i] = a * x[i];", *fixed = "y[i] = 1.5f * x[i];";
    expect(outcome("", "float a = 1.5", "", scaled, fixed, scaled), "where a = ");
    expect_right(outcome("", "float a = 1.5", "#pragma gputune prove(a)\n", scaled, fixed, scaled));
    expect(outcome("", "int a = 3", "#pragma gputune prove(a = 4)\n", scaled, "y[i] = 3 * x[i];",
                   scaled),
           "where a = 4");
    expect_right(outcome("", "int a = 3", "", scaled, "y[i] = 3 * x[i];", scaled));
}

TEST(test_inputs_hold_what_is_rare)
{
    const char *clamp = "y[i] = x[i] < 0 ? 0 : x[i];", *fast = "y[i] = fmaxf(x[i], 0);";
    expect(outcome("", "", "", clamp, fast, clamp), "NaN");
    expect_right(outcome(" finite", "", "", clamp, fast, clamp));
    expect_right(outcome(" = uniform(-1, 1)", "", "", clamp, fast, clamp));
    const char *cut = "y[i] = fminf(fmaxf(x[i], -1), 1);", *plain = "y[i] = x[i];";
    expect(outcome(" finite", "", "", plain, cut, plain), "wrong");
    expect_right(outcome(" = uniform(-1, 1)", "", "", plain, cut, plain));
}

/* What programs launch today is not refused, and no more is asked of the others. */
TEST(test_the_default_is_believed)
{
    const char *clamp = "y[i] = x[i] < 0 ? 0 : x[i];", *fast = "y[i] = fmaxf(x[i], 0);";
    expect_right(outcome("", "", "", fast, fast, clamp));
    expect(outcome("", "", "", fast, "y[i] = x[i];", clamp), "wrong");
}

static int on_run(void *user, const gputune_record *record)
{
    size_t used = strlen(user);
    snprintf((char *)user + used, 512 - used, "%s %s;", record->configuration, record->status);
    return 0;
}

/* Runs these configurations of the template; what became of each: "OTHER=1 ok;". */
static const char *run(const char *path, const char *const *some, uint32_t count, int expected)
{
    static char found[512];
    gputune *tuner = tuner_open(":memory:");
    found[0] = '\0';
    assert_int_equal(
        gputune_run(tuner, path, GPUTUNE_NO_SIZES, some, count, &OPTIONS(), on_run, found),
        expected);
    gputune_close(tuner);
    return found;
}

/* That holds where the default is not among the variants, too. */
TEST(test_the_default_is_believed_of_others_alone)
{
    const char *clamp = "y[i] = x[i] < 0 ? 0 : x[i];", *fast = "y[i] = fmaxf(x[i], 0);";
    static const char *const other[] = {"OTHER=1", "OTHER=1"};
    char path[128];
    gputune_info info = GPUTUNE_INFO_INIT;
    gputune_plan *plan;
    write_template(path, "", "", "", fast, fast, clamp);
    assert_string_equal(run(path, other, 2, GPUTUNE_OK), "OTHER=1 ok;OTHER=1 ok;");
    setenv("GPUTUNE_FORCE", "tried:OTHER=1", true);
    gputune *tuner = tuner_open(":memory:");
    OK(tune_kernel(&plan, tuner, path, GPUTUNE_NO_SIZES, &OPTIONS()));
    unsetenv("GPUTUNE_FORCE");
    OK(gputune_plan_info(&info, plan));
    assert_string_equal(info.configuration, "OTHER=1");
    gputune_plan_release(plan);
    gputune_close(tuner);
    write_template(path, "", "", "", fast, "y[i] = x[i];", clamp);
    assert_string_equal(run(path, other, 1, GPUTUNE_EWRONG), ""); /* none can be measured */
    unlink(path);
}

/* Also behind a variant that ends the worker, where the next one proves the others. */
TEST(test_the_default_is_believed_by_each_worker)
{
    const char *clamp = "y[i] = x[i] < 0 ? 0 : x[i];", *fast = "y[i] = fmaxf(x[i], 0);";
    const char *traps = "if (TRAPS) { __trap(); } y[i] = fmaxf(x[i], 0);";
    static const char *const some[] = {"OTHER=0", "OTHER=1 TRAPS=1", "OTHER=1"};
    char path[128];
    write_template(path, "", "", "#pragma gputune tune(TRAPS = 0, 1)\n", fast, traps, clamp);
    assert_string_equal(run(path, some, 3, GPUTUNE_OK),
                        "OTHER=0 TRAPS=0 ok;OTHER=1 TRAPS=1 crashed;OTHER=1 TRAPS=0 ok;");
    unlink(path);
}

TEST(test_a_reference_that_fails_there_is_not_asked)
{
    const char *only_zero = "if (mode) { __trap(); } y[i] = x[i];";
    expect_right(outcome("", "int mode = 0", "", only_zero, only_zero, only_zero));
    if (strncmp(world_driver(), "emu", 3) == 0) { /* a GPU may have memory there */
        const char *shifted = "y[i] = x[i + 1000000 * (size_t)offset];";
        expect_right(outcome("", "int offset = 0", "", shifted, shifted, shifted));
    }
    expect_right(outcome("", "float a = 4", "", "y[i] = sqrtf(a) * x[i];",
                         "y[i] = sqrtf(a) * x[i];", "y[i] = sqrtf(a) * x[i];"));
}

TEST(test_variables_that_are_written_are_named)
{
    const char *counting = "y[i] = x[i]; if (i == 0) { launches++; }";
    expect_right(
        outcome("", "", "__device__ unsigned launches;\n", counting, counting, "y[i] = x[i];"));
    expect(world.log, "writes the __device__ variable launches");
}

TEST(test_constants_that_nobody_fills_are_named)
{
    const char *weighted = "y[i] = x[i] + by(i);", *plain = "y[i] = x[i];";
    expect_right(outcome("", "",
                         "__constant__ float one = 1, unread[2], weights[4];\n"
                         "__device__ float by(size_t i) { return (one - 1) * weights[i % 4] + "
                         "weights[0]; }\n",
                         weighted, weighted, plain));
    expect(world.log, "reads the __constant__ weights, which nothing fills");
    assert_null(strstr(world.log, "__constant__ one"));
    assert_null(strstr(world.log, "__constant__ unread"));
}

/* Whether a template with that tolerance gets the warning. */
static bool is_told_loose(const char *tolerance)
{
    char path[128], text[1024];
    gputune_plan *plan;
    snprintf(path, sizeof path, "%s/loose.cu", world.folder);
    snprintf(text, sizeof text,
             "#pragma gputune kernel(loose)\n"
             "#pragma gputune problem(n = 2048)\n"
             "#pragma gputune args(out float y[n], in float x[n], size_t n)\n"
             "#pragma gputune tune(BLOCK = 128) block(BLOCK) grid(ceil_div(n, BLOCK))\n"
             "#pragma gputune reference(other%s)\n"
             "__global__ void loose(float *y, const float *x, size_t n)\n"
             "{ size_t i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) y[i] = x[i]; }\n"
             "__global__ void other(float *y, const float *x, size_t n)\n"
             "{ size_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; }\n",
             tolerance);
    file_write(path, "%s", text);
    gputune *tuner = tuner_open(":memory:");
    OK(tune_kernel(&plan, tuner, path, GPUTUNE_NO_SIZES, &OPTIONS()));
    gputune_plan_release(plan);
    gputune_close(tuner);
    unlink(path);
    return strstr(world.log, "almost anything passes") != NULL;
}

TEST(test_a_loose_tolerance_is_told)
{
    assert_false(is_told_loose(""));
    assert_false(is_told_loose(", atol = 1e-3"));
    assert_true(is_told_loose(", atol = 3"));
}

TESTS_WITHIN(open_device, world_close)
