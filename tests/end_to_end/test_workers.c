/* The worker processes that an application sees beside itself. */
#include "world.h"

#include <dirent.h>

static int open_h200(void **state)
{
    (void)state;
    return world_open("emu:h200");
}

/* How many child processes this process has. */
static int count_children(void)
{
    int count = 0;
    DIR *threads = opendir("/proc/self/task");
    assert_non_null(threads);
    for (struct dirent *thread; (thread = readdir(threads));) {
        char path[300];
        int pid;
        snprintf(path, sizeof path, "/proc/self/task/%s/children", thread->d_name);
        FILE *file = thread->d_name[0] == '.' ? NULL : fopen(path, "re");
        while (file && fscanf(file, "%d", &pid) == 1) {
            count++;
        }
        if (file) {
            fclose(file);
        }
    }
    closedir(threads);
    return count;
}

static void tune(gputune *tuner)
{
    static const char *const only[] = {"VEC=1,4", "BLOCK=64", "UNROLL=1"};
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gputune_plan *plan;
    options.only = only;
    options.only_count = 3;
    options.time_limit_s = 100;
    options.force = true;
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", 1024}), &options));
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_MEASURED);
    gputune_plan_release(plan);
}

static void test_workers_end_with_the_tuning(void **state)
{
    (void)state;
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    gputune *tuner;
    if (!world.ready) {
        skip();
    }
    options.database = ":memory:";
    OK(gputune_open(&tuner, &options));
    for (int round = 0; round < 2; round++) {
        tune(tuner);
        for (int wait = 0; wait < 200 && count_children(); wait++) {
            usleep(10000); /* they are ended, not waited for */
        }
        assert_int_equal(count_children(), 0);
    }
    gputune_close(tuner);
}

static void test_workers_may_be_kept(void **state)
{
    (void)state;
    gputune *tuner = tuner_open(":memory:");
    tune(tuner);
    assert_true(count_children() >= 2);
    tune(tuner);
    gputune_close(tuner);
}

static void test_a_wrong_worker_is_found_at_once(void **state)
{
    (void)state;
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    gputune *tuner;
    options.database = ":memory:";
    options.worker = "/nowhere/gputune-worker";
    assert_int_equal(gputune_open(&tuner, &options), GPUTUNE_EWORKER);
    assert_non_null(strstr(gputune_error(), "/nowhere/gputune-worker"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workers_end_with_the_tuning),
        cmocka_unit_test(test_workers_may_be_kept),
        cmocka_unit_test(test_a_wrong_worker_is_found_at_once),
    };
    return cmocka_run_group_tests(tests, open_h200, world_close);
}
