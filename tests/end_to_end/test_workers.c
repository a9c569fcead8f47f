/* Tests which worker processes an application starts and keeps. */
#include "world.h"

#include <dirent.h>
#include <sqlite3.h>

/* Returns true if `word` is NULL or an argument of the process. */
static bool has_argument(int pid, const char *word)
{
    char path[64], arguments[4096];
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    FILE *file = word ? fopen(path, "re") : NULL;
    size_t length = file ? fread(arguments, 1, sizeof arguments - 1, file) : 0;
    bool found = !word;
    arguments[length] = '\0';
    for (size_t at = 0; at < length; at += strlen(arguments + at) + 1) {
        found = found || strcmp(arguments + at, word) == 0;
    }
    if (file) {
        fclose(file);
    }
    return found;
}

/* Counts the child processes with this argument, or all child processes if it is NULL. */
static int count_children(const char *argument)
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
            count += has_argument(pid, argument);
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
    gputune_options options = few_variants();
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    options.force = true;
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", 1024}), &options));
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_MEASURED);
}

/* Waits until the workers have ended. The library kills its workers without waiting. */
static void wait_for_end(void)
{
    for (int wait = 0; wait < 200 && count_children(NULL); wait++) {
        usleep(10000);
    }
    assert_int_equal(count_children(NULL), 0);
}

TEST(workers_end_with_the_tuning)
{
    GT_SCOPED(tuner_end) gputune *tuner = NULL;
    SKIP_IF(!world.ready);
    OK(gputune_open(&tuner, &OPEN_OPTIONS(.database = ":memory:")));
    for (int round = 0; round < 2; round++) {
        tune(tuner);
        wait_for_end();
    }
}

TEST_WITH_TUNER(workers_may_be_kept, ":memory:")
{
    tune(tuner);
    assert_true(count_children(NULL) >= 2);
    tune(tuner);
}

/* After a tuning that failed because the worker could not start, the next tuning must succeed. */
TEST_WITH_TUNER(workers_that_could_not_start_are_not_kept, ":memory:")
{
    const gputune_options options = few_variants();
    GT_FREED char *worker = strdup(getenv("GPUTUNE_WORKER"));
    gputune_plan *plan;
    setenv("GPUTUNE_WORKER", "/bin/false", 1);
    gputune_status status = tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", 1024}), &options);
    setenv("GPUTUNE_WORKER", worker, 1);
    assert_int_equal(status, GPUTUNE_EWORKER);
    tune(tuner);
}

/* If a process opens two tuners for equal GPUs, both use the same workers and compiled code. */
TEST(workers_are_shared_by_tuners_of_equal_gpus)
{
    GT_SCOPED(tuner_end) gputune *one = tuner_open(":memory:");
    tune(one);
    int compilers = count_children("compile");
    assert_true(compilers >= 1);
    GT_SCOPED(tuner_end) gputune *other = tuner_open(":memory:");
    tune(other);
    assert_int_equal(count_children("compile"), compilers);
}

/* Opens a tuner as the command line does: a worker describes the device. */
static gputune *open_as_tool(void)
{
    gputune *tuner;
    OK(gputune_open(&tuner, &OPEN_OPTIONS(.database = world.database, .keep_workers = true,
                                          .tune_only = true)));
    return tuner;
}

static int end_at(void *user, const gputune_compiled *compiled)
{
    return --*(int *)user == 0;
}

static int count_rows(const char *query)
{
    sqlite3 *database;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(world.database, &database), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(database, query, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int count = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return count;
}

/* If a call of gputune_compile() ends early, its jobs stay in the workers. The next call may take
 * over these jobs, but not if they are for another architecture. */
TEST(workers_compile_for_the_named_architecture)
{
    static const struct {
        const char *arch;
        int calls;
    } steps[] = {{"sm_80", 1}, {"sm_90", 8}, {"sm_80", 8}};
    gputune *tuner = tuner_open(world.database);
    for (size_t i = 0; i < 3; i++) {
        int calls = steps[i].calls;
        assert_int_equal(gputune_compile(tuner, "axpy", GPUTUNE_SIZES({"n", 1024}), steps[i].arch,
                                         NULL, end_at, &calls),
                         1);
    }
    gputune_close(tuner);
    assert_int_equal(
        count_rows("SELECT count(*) FROM compiled AS a JOIN compiled AS b USING (cubin)"
                   " WHERE a.arch = 'sm_80' AND b.arch = 'sm_90a'"),
        0);
}

TEST(hit_starts_no_compiler)
{
    const gputune_options options = few_variants();
    gputune_plan *plan;
    gputune *tuner = tuner_open(world.database);
    tune(tuner);
    assert_true(count_children("compile") >= 1);
    gputune_close(tuner);
    wait_for_end();

    tuner = open_as_tool();
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", 1024}), &options));
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_CACHED);
    assert_int_equal(count_children("measure"), 1);
    assert_int_equal(count_children("compile"), 0);
    gputune_plan_release(plan);
    gputune_close(tuner);
}

/* The default needs no compiling, because it has the same code at each size. */
TEST(default_of_another_size_needs_no_worker)
{
    const gputune_options options = OPTIONS(.effort = GPUTUNE_CACHED_ONLY);
    GT_SCOPED(tuner_end) gputune *tuner = NULL;
    gputune_plan *plan;
    SKIP_IF(!world.ready);
    OK(gputune_open(&tuner, &OPEN_OPTIONS(.database = ":memory:")));
    GT_FREED char *worker = strdup(getenv("GPUTUNE_WORKER"));
    int status = GPUTUNE_OK;
    for (int64_t n = 1024; status == GPUTUNE_OK && n < 8192; n *= 2) {
        status = tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", n}), &options);
        if (status == GPUTUNE_OK) {
            assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_DEFAULT);
            gputune_plan_release(plan);
        }
        setenv("GPUTUNE_WORKER", "/nowhere", 1);
    }
    setenv("GPUTUNE_WORKER", worker, 1);
    OK(status);
}

TESTS_WITHIN(open_h200, world_close)
