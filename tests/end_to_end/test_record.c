/* Tests that requests for which no result is stored are recorded, so they can be tuned later. */
#include "api/tuner.h"
#include "base/clock.h"
#include "world.h"

#include <fcntl.h>

typedef struct seen {
    char text[512];
    unsigned lines;
} seen;

static int take(void *user, const gputune_miss *miss)
{
    seen *s = user;
    size_t used = strlen(s->text);
    s->lines++;
    snprintf(s->text + used, sizeof s->text - used, "%u %s %s %s; ", (unsigned)miss->count,
             miss->kernel, miss->sizes, miss->only);
    return 0;
}

static seen what_is_recorded(const char *path)
{
    seen s = {0};
    int status = gputune_misses(path, take, &s);
    assert_true(status == GPUTUNE_OK || status == GPUTUNE_ENOTFOUND);
    return s;
}

static gputune *recording_tuner(const char *path)
{
    setenv("GPUTUNE_RECORD", path, 1);
    gputune *tuner = tuner_open(world.database);
    unsetenv("GPUTUNE_RECORD");
    return tuner;
}

static gputune_source tune(gputune *tuner, const char *kernel, size_t n, gputune_options *options)
{
    gputune_plan *plan;
    OK(tune_kernel(&plan, tuner, kernel, GPUTUNE_SIZES({"n", n}), options));
    gputune_source source = info_of(plan).source;
    gputune_plan_release(plan);
    return source;
}

TEST(misses_are_counted_and_hits_are_not)
{
    static const char path[] = "misses.tmp";
    static const char *const only[] = {"VEC=1", "BLOCK=64"};
    gputune_options cached = OPTIONS(), quick = OPTIONS();
    cached.effort = GPUTUNE_CACHED_ONLY;
    quick.only = only;
    quick.only_count = 2;
    GT_FREED char *top = getcwd(NULL, 0);
    gputune *tuner = recording_tuner(path);
    for (int i = 0; i < 5; i++) {
        tune(tuner, "axpy", 1000, &cached);
        assert_int_equal(chdir(world.folder), 0);
    }
    assert_int_equal(chdir(top), 0);
    assert_string_equal(what_is_recorded(path).text, "4 axpy n=1000 T=float ; ");
    tune(tuner, "templates/axpy.cu", 2000, &cached);
    assert_int_equal(tune(tuner, "axpy", 3000, &quick), GPUTUNE_SOURCE_MEASURED);
    assert_int_equal(tune(tuner, "axpy", 3000, &quick), GPUTUNE_SOURCE_MEASURED);
    gputune_close(tuner);
    const seen all = what_is_recorded(path);
    assert_int_equal(all.lines, 3);
    assert_memory_equal(all.text, "5 axpy n=1000 T=float ; 1 /", 27);
    assert_non_null(strstr(all.text, "/templates/axpy.cu:axpy n=2000 T=float ; "));
    assert_non_null(strstr(all.text, "1 axpy n=3000 T=float VEC=1 BLOCK=64; "));
    tuner = recording_tuner(path);
    assert_int_equal(tune(tuner, "axpy", 3000, &quick), GPUTUNE_SOURCE_CACHED);
    gputune_close(tuner);
    assert_string_equal(what_is_recorded(path).text, all.text);
    unlink(path);
}

static int take_environment(void *user, const gputune_miss *miss)
{
    snprintf(user, GT_ENVIRONMENT_MAX, "%s", miss->environment);
    return 0;
}

/* `warm --from` compares each recorded environment with the environment of its own GPU. */
TEST(miss_of_launch_times_is_of_the_gpu)
{
    char path[128], seen[GT_ENVIRONMENT_MAX] = "";
    snprintf(path, sizeof path, "%s/launch", world.folder);
    GT_SCOPED(tuner_end) gputune *tuner = recording_tuner(path);
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    const gputune_options options = OPTIONS(.objective = GPUTUNE_OBJECTIVE_LAUNCH);
    OK(gt_request_make(&request, &tuner->services, &tuner->device, "axpy", (gputune_sizes){0, NULL},
                       &options));
    /* the emulator leaves out the processor, which is a part of the environment on a real GPU */
    gt_environment_join(request->environment, tuner->device.environment, "the processor");
    assert_non_null(gt_misses_note(tuner->misses, request));
    OK(gputune_misses(path, take_environment, seen));
    assert_string_equal(seen, tuner->device.environment);
}

/* If a stopped process keeps the file locked, closing a tuner waits for the lock at most once, not
 * once for each size. */
TEST(locked_file_does_not_delay_closing_for_each_miss)
{
    enum { SIZES = 200 };
    static const double wait_s = 0.1; /* time allowed per size; 20 s for all sizes */
    char path[128];
    gputune_options cached = OPTIONS(.effort = GPUTUNE_CACHED_ONLY);
    snprintf(path, sizeof path, "%s/locked", world.folder);
    gputune *tuner = recording_tuner(path);
    /* the third request of each size is not written until the tuner is closed */
    for (size_t i = 0; i < 3 * SIZES; i++) {
        tune(tuner, "axpy", 1000 + i % SIZES, &cached);
    }
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int file = open(path, O_RDWR);
    assert_int_equal(fcntl(file, F_OFD_SETLK, &all), 0);
    const int64_t start_ns = gt_now_ns();
    gputune_close(tuner);
    assert_true(gt_seconds_since(start_ns) < wait_s * SIZES);
    assert_int_equal(close(file), 0);
    assert_int_equal(what_is_recorded(path).lines, SIZES);
}

TESTS_WITHIN(open_h200, world_close)
