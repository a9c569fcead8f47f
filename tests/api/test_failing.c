/* Makes allocations and file accesses fail in calls that need no device. Nothing may leak, the
 * error message must report a lack of memory, and the next call must succeed. */
#include "api/misses.h"
#include "support/each_failure.h"
#include "support/folder.h"
#include "support/test.h"

#include <gputune_tools.h>

static const char template_text[] =
    "#include \"given.h\"\n"
    "#pragma gputune kernel(given) problem(n = 4096) tune(BLOCK = 64, 128) block(BLOCK)\n"
    "#pragma gputune args(out float y[n], in float x[n], int n) grid(ceil_div(n, BLOCK))\n"
    "__global__ void given(float *y, const float *x, int n) { int block = BLOCK; }\n";

typedef struct world {
    char *folder, path[128];
    uint32_t seen;
} world;

/* Links only a few of the shipped templates, because the calls are the same for every template. */
static void link_templates(const char *folder)
{
    static const char *const names[] = {"axpy.cu", "dot.cu", "stencil2d_steps.cu", "gputune.cuh"};
    GT_FREED char *templates = realpath("templates", NULL);
    assert_non_null(templates);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char from[512], to[128];
        snprintf(from, sizeof from, "%s/%s", templates, names[i]);
        snprintf(to, sizeof to, "%s/%s", folder, names[i]);
        assert_int_equal(symlink(from, to), 0);
    }
    setenv("GPUTUNE_TEMPLATES", folder, 1);
}

static int open_world(void **state)
{
    world *w = calloc(1, sizeof *w);
    w->folder = folder_make();
    snprintf(w->path, sizeof w->path, "%s/file", w->folder);
    link_templates(w->folder);
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    world *w = *state;
    folder_remove(w->folder);
    free(w);
    return 0;
}

#define KEY(kernel) "abc\tGPU one\t" kernel "\tn=1024 T=half\tlaunch\thot\t16 x=4\tseed=1\tVEC=1"

static int take_miss(void *user, const gputune_miss *miss)
{
    world *w = user;
    w->seen++;
    assert_string_equal(miss->sizes, "n=1024 T=half");
    return 0;
}

static gputune_status add_and_read(void *user)
{
    world *w = user;
    GT_TRY(gt_misses_file_add(w->path, KEY("axpy"), 1));
    GT_TRY(gt_misses_file_add(w->path, KEY("gemm"), 2));
    w->seen = 0;
    gputune_status status = gputune_misses(w->path, take_miss, w);
    assert_true(status != GPUTUNE_OK || w->seen == 2);
    return status;
}

static void expect_all(void *user)
{
    ASSERT_OK(add_and_read(user));
}

TEST_OF(misses, world *w, open_world, close_world)
{
    static const char *const calls[] = {"open",   "fopen", "read",  "pread",
                                        "pwrite", "write", "fcntl", "stat"};
    each_allocation(1, add_and_read, expect_all, w);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        (void)each_failure(calls[i], 1, add_and_read, expect_all, w);
    }
}

static int count_kernel(void *user, const gputune_kernel *kernel)
{
    world *w = user;
    w->seen += kernel->name != NULL;
    return 0;
}

static int count_record(void *user, const gputune_record *record)
{
    world *w = user;
    w->seen += record->kernel != NULL;
    return 0;
}

static gputune_status ask_for_kernels(gputune *tuner, world *w)
{
    static const gputune_include includes[] = {{"given.h", "#define GIVEN 1\n"}, {NULL, NULL}};
    GT_TRY(gputune_add_source(tuner, "given.cu", template_text, includes));
    w->seen = 0;
    GT_TRY(gputune_kernels(tuner, NULL, count_kernel, w));
    assert_int_equal(w->seen, 4);
    w->seen = 0;
    GT_TRY(gputune_kernels(tuner, "given", count_kernel, w));
    assert_int_equal(w->seen, 1);
    return GPUTUNE_OK;
}

static gputune_status ask_for_a_space(gputune *tuner)
{
    static const gputune_size size = {"n", 8192};
    gputune_space *space;
    char *text;
    size_t bytes;
    GT_TRY(
        gputune_describe_space(&space, tuner, "given", (gputune_sizes){1, &size}, "sm_90", NULL));
    gputune_space_free(space);
    GT_TRY(gputune_emit(&text, &bytes, tuner, "given", (gputune_sizes){1, &size}, "BLOCK=64",
                        "sm_90", GPUTUNE_FORM_SOURCE));
    assert_non_null(strstr(text, "#define BLOCK 64"));
    gputune_free(text);
    return GPUTUNE_OK;
}

static gputune_status ask_for_records(gputune *tuner, world *w)
{
    char *text;
    uint32_t count;
    GT_TRY(gputune_records(tuner, &FILTER(.any_gpu = true, .all_trials = true), count_record, w));
    GT_TRY(gputune_wisdom_export(&text, &count, tuner, &FILTER(.any_gpu = true), false));
    gputune_status status = gputune_wisdom_import(&count, tuner, text, NULL);
    gputune_free(text);
    return status;
}

static gputune_status ask_for_everything(void *user)
{
    world *w = user;
    gputune *tuner;
    GT_TRY(gputune_open(&tuner, &OPEN_OPTIONS(.device = "none", .database = ":memory:")));
    gputune_status status = ask_for_kernels(tuner, w);
    status = status == GPUTUNE_OK ? ask_for_a_space(tuner) : status;
    status = status == GPUTUNE_OK ? ask_for_records(tuner, w) : status;
    gputune_close(tuner);
    return status;
}

TEST_OF(a_tuner_without_a_device, world *w, open_world, close_world)
{
    enum { REMEMBERED = 64 }; /* number of closed tuners that gputune remembers */
    for (int i = 0; i < REMEMBERED; i++) {
        ASSERT_OK(ask_for_everything(w));
    }
    each_allocation(11, ask_for_everything, NULL, w);
    each_of_sqlite(997, ask_for_everything, NULL, w);
}

int main(void)
{
    count_sqlite_apart();
    return tests_run(NULL, NULL);
}
