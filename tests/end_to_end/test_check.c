/* Runs gputune_check() on the kernels of tests/faulty. It must find exactly the mistakes that
 * comments in these files list, and none in correct variants and gputune's templates. Arguments
 * select kernels; GPUTUNE_TEST_LONG=1 checks all. */
#include "faulty.h"

#include "base/number.h"

enum { PLANTED_MAX = 8 };

typedef struct planted {
    char kind[16];
    unsigned int line;
    bool found;
} planted;

typedef struct checked_class {
    const char *class; /* name of the class of faults; NULL if the kernels have none */
    planted planted[PLANTED_MAX];
    int planted_count;
    uint32_t variants;
    int alarms;
} checked_class;

static int on_finding(void *user, const gputune_finding *finding)
{
    checked_class *t = user;
    if (!strcmp(finding->kind, "checked")) {
        t->variants++;
        return 0;
    }
    if (!strcmp(finding->kind, "launch")) { /* a refused launch does not count as a mistake */
        return 0;
    }
    if (!t->class || !strstr(finding->configuration, "BAD=1")) {
        print_error("%s %s, %s:%u: %s: %s %s\n", finding->kernel, finding->configuration,
                    finding->file, finding->line, finding->kind, finding->where, finding->message);
        t->alarms++;
        return 0;
    }
    for (planted *p = t->planted; p < t->planted + t->planted_count; p++) {
        if (finding->line == p->line && !strcmp(finding->kind, p->kind)) {
            p->found = true;
            assert_non_null(strstr(finding->file, t->class));
            assert_true(finding->count > 0);
            assert_true(strncmp(finding->thread, "block (", 7) == 0);
        }
    }
    return 0;
}

/* Records that a check must find mistakes of these kinds ("race, state") on this line. */
static void expect_mistakes(checked_class *t, const char *kinds, unsigned int line)
{
    char list[64], *rest;
    snprintf(list, sizeof list, "%s", kinds);
    for (char *kind = strtok_r(list, ", \n", &rest); kind; kind = strtok_r(NULL, ", \n", &rest)) {
        assert_true(t->planted_count < PLANTED_MAX);
        planted *p = &t->planted[t->planted_count++];
        gt_snprintf(p->kind, sizeof p->kind, "%s", kind);
        p->line = line;
    }
}

/* Reads which mistakes a check must find in a kernel, and on which lines. */
static void read_planted(checked_class *t, const char *path, const faulty_kernel *of)
{
    char text[512], kernel[64] = "", kinds[64] = "", label[32] = "", at[32];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    sscanf(of->caught, "%*[^(](%63[^)]", kinds);
    char *place = strstr(kinds, " at ");
    if (place) {
        snprintf(label, sizeof label, "%s", place + strlen(" at "));
        *place = '\0';
    }
    for (unsigned int line = 1; fgets(text, sizeof text, file); line++) {
        const char *found = strstr(text, "// found: "), *labelled = strstr(text, "// line: ");
        sscanf(text, "#pragma gputune kernel(%63[^)])", kernel);
        if (found && !strcmp(kernel, of->name)) {
            expect_mistakes(t, found + strlen("// found: "), line);
        }
        if (labelled && sscanf(labelled, "// line: %31s", at) == 1 && !strcmp(at, label)) {
            expect_mistakes(t, kinds, line);
        }
    }
    fclose(file);
    assert_true(!label[0] || t->planted_count > 0);
}

/* Returns small sizes for a template whose own sizes take too long on the emulator. */
static gputune_sizes sizes_of(const char *path)
{
    static const gputune_size pairs[] = {{"m", 200}, {"n", 200}}, keys[] = {{"n", 1024}},
                              tiles[] = {{"m", 200}, {"n", 136}, {"k", 200}};
    return strstr(path, "/expdist.cu")   ? (gputune_sizes){2, pairs}
           : strstr(path, "gemm_bf16")   ? (gputune_sizes){3, tiles}
           : strstr(path, "/bitonic.cu") ? (gputune_sizes){1, keys}
                                         : (gputune_sizes){0};
}

static void check(checked_class *t, gputune *tuner, const char *path, uint32_t most)
{
    gputune_options options = OPTIONS(.time_limit_s = 600, .max_variants = most);
    if (gputune_check(tuner, path, sizes_of(path), &options, on_finding, t) < 0) {
        print_error("%s: %s\n", path, gputune_error());
        t->alarms++;
    }
}

static int count_missed(const checked_class *t, const char *name)
{
    int missed = t->alarms > 0 || t->variants != 2;
    for (int i = 0; i < t->planted_count; i++) {
        const planted *p = &t->planted[i];
        if (!p->found) {
            print_error("%s: missed: %s in line %u\n", name, p->kind, p->line);
            missed++;
        }
    }
    return missed;
}

TEST(check_finds_planted_mistakes)
{
    static faulty_kernel all[KERNELS_MAX];
    int found = read_faulty(all), missed = 0, index = 0;
    gputune *tuner = tuner_open(world.database);
    for (int i = 0; i < found; i++) {
        char path[64], kernel[160];
        checked_class t = {.class = all[i].class};
        gt_snprintf(path, sizeof path, "tests/faulty/%s.cu", t.class);
        snprintf(kernel, sizeof kernel, "%s:%s", path, all[i].name);
        read_planted(&t, path, &all[i]);
        if (t.planted_count > 0 && is_wanted(all[i].name, index++, 9)) {
            check(&t, tuner, kernel, 0);
            missed += count_missed(&t, all[i].name);
        }
    }
    gputune_close(tuner);
    assert_int_equal(missed, 0);
}

static const char *const right[] = {
    "templates/copy.cu",
    "templates/axpy.cu",
    "templates/gather.cu",
    "templates/gemm.cu",
    "templates/gemm_bf16.cu",
    "templates/histogram.cu",
    "templates/paramsum.cu",
    "templates/dot.cu",
    "templates/gemv.cu",
    "templates/lincomb.cu",
    "templates/polynomial.cu",
    "templates/reduce.cu",
    "templates/rmsnorm.cu",
    "templates/scan.cu",
    "templates/softmax.cu",
    "templates/stencil2d.cu",
    "templates/stencil2d_steps.cu",
    "templates/stencil3d.cu",
    "templates/stencil3d_steps.cu",
    "templates/transpose.cu",
    "examples/axpy_typed.cu",
    "examples/bias.cu",
    "examples/block_reduce.cu",
    "examples/convolution.cu",
    "examples/coulomb.cu",
    "examples/convolution_tiled.cu",
    "examples/expdist.cu",
    "examples/hash.cu",
    "examples/matmul.cu",
    "examples/nbody.cu",
    "examples/normalise.cu",
    "examples/pnpoly.cu",
    "examples/reduction.cu",
    "examples/resize.cu",
    "examples/sepconv.cu:convolve_rows",
    "examples/sepconv.cu:convolve_columns",
    "examples/softmax.cu",
    "examples/spmv.cu",
    "examples/stencil.cu",
    "examples/vector_add.cu",
    "examples/zeromeanfilter.cu:zero_mean_columns",
    "examples/zeromeanfilter.cu:zero_mean_rows",
    "examples/bitonic.cu",
};

static bool is_listed(const char *path, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(list[i], ":"); /* a kernel's name may follow the file name */
        if (strlen(path) == length && !strncmp(path, list[i], length)) {
            return true;
        }
    }
    return false;
}

TEST(every_template_and_example_is_checked)
{
    glob_t found;
    assert_int_equal(glob("templates/*.cu", 0, NULL, &found), 0);
    assert_int_equal(glob("examples/*.cu", GLOB_APPEND, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (!is_listed(found.gl_pathv[i], right, sizeof right / sizeof *right)) {
            fail_msg("%s is not checked for false alarms", found.gl_pathv[i]);
        }
    }
    globfree(&found);
}

TEST(check_finds_nothing_in_correct_kernels)
{
    int alarms = 0;
    gputune *tuner = tuner_open(world.database);
    for (int i = 0; i < (int)(sizeof right / sizeof *right); i++) {
        if (is_wanted(right[i], i, 9)) {
            checked_class t = {0};
            check(&t, tuner, right[i], getenv("GPUTUNE_TEST_LONG") ? 8 : 2);
            alarms += t.alarms;
        }
    }
    gputune_close(tuner);
    assert_int_equal(alarms, 0);
}

TEST(check_needs_the_emulator)
{
    SKIP_IF(strncmp(world_driver(), "emu", 3) == 0);
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(world.database);
    assert_int_equal(gputune_check(tuner, "axpy", (gputune_sizes){0}, NULL, on_finding, NULL),
                     GPUTUNE_EUNSUPPORTED);
}

int main(int argc, char **argv)
{
    wanted = argv + 1;
    wanted_count = argc - 1;
    return tests_run(open_device, world_close);
}
