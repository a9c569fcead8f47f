/* Tests the file that records misses. It must contain each scenario only once, with a count, even
 * if several processes write to it. */
#include "api/misses.h"
#include "base/file.h"
#include "support/folder.h"
#include "support/test.h"

typedef struct world {
    char *folder, path[256];
    uint32_t seen;
    char kernels[256];
} world;

static int open_world(void **state)
{
    world *w = calloc(1, sizeof *w);
    w->folder = folder_make();
    snprintf(w->path, sizeof w->path, "%s/misses", w->folder);
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

static int take(void *user, const gputune_miss *miss)
{
    world *w = user;
    w->seen++;
    size_t used = strlen(w->kernels);
    snprintf(w->kernels + used, sizeof w->kernels - used, "%s:%u ", miss->kernel,
             (unsigned)miss->count);
    return 0;
}

static void add(const world *w, const char *kernel, uint64_t count)
{
    char key[128];
    gputune_status status;
    snprintf(key, sizeof key, "abc\tGPU one\t%s\tn=1024 T=half\tlaunch\thot\t16 x=4\tseed=1\tVEC=1",
             kernel);
    do {
        status = gt_misses_file_add(w->path, key, count);
    } while (status == GPUTUNE_EBUSY);
    ASSERT_OK(status);
}

TEST_OF(many_processes_lose_no_count, world *w, open_world, close_world)
{
    enum { PROCESSES = 8, ROUNDS = 100 };
    for (int p = 0; p < PROCESSES; p++) {
        if (fork() == 0) {
            for (int i = 0; i < ROUNDS; i++) {
                add(w, i % 2 ? "odd" : "even", 1);
            }
            _exit(0);
        }
    }
    for (int p = 0, status; p < PROCESSES; p++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(gputune_misses(w->path, take, w), 0);
    assert_string_equal(w->kernels, "even:400 odd:400 ");
}

static void append_text(const world *w, const char *text)
{
    FILE *file = fopen(w->path, "a");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

TEST_OF(line_cut_short_is_left_out, world *w, open_world, close_world)
{
    add(w, "axpy", 1);
    append_text(w, "000000000007\tabc\tGPU");
    add(w, "gemm", 3);
    append_text(w, "nonsense\n\n");
    add(w, "axpy", 1);
    assert_int_equal(gputune_misses(w->path, take, w), 0);
    assert_string_equal(w->kernels, "gemm:3 axpy:2 ");
}

/* Writes stop before the file grows too large to be read again. */
TEST_OF(full_file_stays_readable, world *w, open_world, close_world)
{
    static char blank_lines[GT_FILE_MOST - 512];
    memset(blank_lines, '\n', sizeof blank_lines - 1);
    gputune_status status = GPUTUNE_OK;
    add(w, "axpy", 1);
    append_text(w, blank_lines);
    for (char key[] = "a"; status == GPUTUNE_OK; ++*key) {
        status = gt_misses_file_add(w->path, key, 1);
    }
    ASSERT_FAILS(status, GPUTUNE_EIO, "is full");
    add(w, "axpy", 1);
    assert_int_equal(gputune_misses(w->path, take, w), 0);
    assert_string_equal(w->kernels, "axpy:2 ");
}

TEST_OF(other_file_is_refused_and_left_alone, world *w, open_world, close_world)
{
    append_text(w, "precious\n");
    assert_int_equal(gt_misses_file_add(w->path, "k", 1), GPUTUNE_EIO);
    ASSERT_FAILS(gputune_misses(w->path, take, w), GPUTUNE_EIO,
                 "was not written by GPUTUNE_RECORD");
    FILE *file = fopen(w->path, "r");
    char text[32] = "";
    assert_non_null(fgets(text, sizeof text, file));
    assert_string_equal(text, "precious\n");
    fclose(file);
}

static int stop(void *user, const gputune_miss *miss)
{
    take(user, miss);
    return 7;
}

TEST_OF(walk_is_stopped_by_the_callback, world *w, open_world, close_world)
{
    add(w, "axpy", 1);
    add(w, "gemm", 1);
    assert_int_equal(gputune_misses(w->path, stop, w), 7);
    assert_int_equal(w->seen, 1);
    assert_int_equal(gputune_misses("/nonexistent/file", take, w), GPUTUNE_ENOTFOUND);
    assert_int_equal(gputune_misses(NULL, take, w), GPUTUNE_EINVAL);
}
