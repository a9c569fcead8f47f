/* Tests compile workers: results, crashes, canceled and slow jobs, and broken workers. */
#include "harness.h"

#include "base/clock.h"
#include "farm/farm_host.h"
#include "support/folder.h"

#include <sys/resource.h>

TEST(jobs_come_back_whole)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){0});
    const char *const options[] = {"-DX=1", "--maxrregcount=32"};
    gt_compile_job job = {
        .id = 5,
        .source = {.text = "hello", .arch = "sm_90", .options = options, .option_count = 2}};
    ASSERT_OK(farm->ops->compile(farm, &job));
    gt_event event = expect(farm, GT_EVENT_COMPILED, 5, GPUTUNE_OK);
    assert_int_equal(event.compiled.image.bytes, 14);
    assert_memory_equal(event.compiled.image.data, "cubin of hello", 14);
    assert_string_equal(event.compiled.log, "the log");
    assert_int_equal(event.compiled.resources.registers, 42);
    gt_event_free(&event);

    job.source.ptx = true; /* emulated devices run PTX */
    ASSERT_OK(farm->ops->compile(farm, &job));
    event = expect(farm, GT_EVENT_COMPILED, 5, GPUTUNE_OK);
    assert_memory_equal(event.compiled.image.data, "ptx of hello", 12);
    gt_event_free(&event);
}

/* A worker may start late if many workers share few cores. This worker computes before its first
 * report. It takes longer than the farm waits for a worker that sleeps. */
TEST(a_worker_that_is_still_starting_is_waited_for)
{
    SKIP_IF(!getenv("GPUTUNE_TEST_LONG"));
    char *worker = beside_test("fake-worker"), *folder = folder_make(), path[256];
    snprintf(path, sizeof path, "%s/busy", folder);
    file_write(path,
               "#!/bin/sh\ni=0\nwhile [ $i -lt 15000000 ]; do i=$((i + 1)); done\nexec %s \"$@\"\n",
               worker);
    assert_int_equal(chmod(path, 0700), 0);
    gt_farm *farm = open_farm((gt_farm_options){.worker = path, .compile_workers = 1});
    const int64_t start_ns = gt_now_ns();
    compile_ok(farm, 1);
    assert_true(gt_seconds_since(start_ns) > 10);
    farm->ops->close(farm);
    folder_remove(folder);
    free(worker);
}

TEST(every_job_is_answered_once)
{
    enum { JOBS = 300 };
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){.compile_workers = 5});
    assert_int_equal(farm->compile_workers, 5);
    unsigned char seen[JOBS] = {0};
    for (uint64_t i = 0; i < JOBS; i++) {
        request_compile(farm, i, "text");
    }
    for (size_t i = 0; i < JOBS; i++) {
        gt_event event;
        ASSERT_OK(farm->ops->wait(farm, &event, SOON_S));
        assert_int_equal(event.kind, GT_EVENT_COMPILED);
        ASSERT_OK(event.status);
        assert_int_equal(seen[event.id]++, 0);
        gt_event_free(&event);
    }
    expect_silence(farm);
}

TEST(errors_carry_message_and_log)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){0});
    request_compile(farm, 1, "error");
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_COMPILED, 1, GPUTUNE_ECOMPILE);
    assert_string_equal(event.message, "x.cu(1): error: caf? is undefined");
    assert_string_equal(event.compiled.log, "the log");
}

TEST(a_crash_of_the_compiler_costs_one_job)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){.compile_workers = 1});
    request_compile(farm, 1, "segv");
    request_compile(farm, 2, "fine");
    request_compile(farm, 3, "fine");
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_COMPILED, 1, GPUTUNE_ECRASHED);
    assert_true(event.repeatable);
    assert_non_null(strstr(event.message, "signal 11"));
    expect_plain(farm, GT_EVENT_COMPILED, 2, GPUTUNE_OK);
    expect_plain(farm, GT_EVENT_COMPILED, 3, GPUTUNE_OK);
}

TEST(a_single_crash_is_forgiven)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){.compile_workers = 1});
    char script[64];
    snprintf(script, sizeof script, "killed-if %s", temporary_file());
    request_compile(farm, 1, script);
    expect_plain(farm, GT_EVENT_COMPILED, 1, GPUTUNE_OK);
    request_compile(farm, 2, "killed"); /* the system may have killed the worker: not repeatable */
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_COMPILED, 2, GPUTUNE_ECRASHED);
    assert_false(event.repeatable);
}

/* Between two tunings, the operating system may have killed all idle workers. */
TEST(dead_idle_workers_fail_no_job)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){0});
    const gt_compile_host *compile = &gt_host_of(farm)->compile;
    request_compile(farm, 1, "slow 200");
    request_compile(farm, 2, "slow 200");
    for (int i = 0; i < 2; i++) {
        GT_SCOPED(gt_event_free) gt_event event = {0};
        ASSERT_OK(farm->ops->wait(farm, &event, SOON_S));
        assert_int_equal(event.status, GPUTUNE_OK);
    }
    for (int i = 0; i < 2; i++) {
        pid_t pid = compile->slots[i].link.process.pid;
        assert_int_equal(kill(pid, SIGKILL), 0);
        while (state_of(pid) != 'Z') {
            usleep(1000);
        }
    }
    compile_ok(farm, 3);
}

/* If a worker cannot start, the other workers do its work. The next tuning tries to start it
 * again. */
TEST(workers_that_could_not_start_are_tried_again)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){0});
    const gt_compile_host *compile = &gt_host_of(farm)->compile;
    struct rlimit before, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    request_compile(farm, 1, "slow 200");
    none = (struct rlimit){3, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    request_compile(farm, 2, "text");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(compile->limit, 1);
    expect_plain(farm, GT_EVENT_COMPILED, 1, GPUTUNE_OK);
    expect_plain(farm, GT_EVENT_COMPILED, 2, GPUTUNE_OK);
    farm->ops->cancel(farm);
    assert_int_equal(compile->limit, 2);
}

TEST(canceled_jobs_cause_no_event)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){.compile_workers = 1});
    request_compile(farm, 1, "slow 50");
    for (uint64_t i = 2; i < 20; i++) {
        request_compile(farm, i, "text");
    }
    farm->ops->cancel(farm);
    compile_ok(farm, 100);
    expect_silence(farm);
}

/* Two consecutive tunings often compile the same source. */
TEST(a_canceled_job_is_taken_up_again)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){.compile_workers = 1});
    gt_compile_job job = {.id = 1, .source = {.text = "slow 200", .arch = "sm_90"}, .key = 1};
    gt_event event;
    ASSERT_OK(farm->ops->compile(farm, &job));
    ASSERT_OK(farm->ops->wait(farm, &event, 0));
    farm->ops->cancel(farm);
    job.id = 2; /* job 2 is requested while the worker compiles this source for job 1 */
    ASSERT_OK(farm->ops->compile(farm, &job));
    expect_plain(farm, GT_EVENT_COMPILED, 2, GPUTUNE_OK);
    job.id = 3;
    job.key = 2;
    ASSERT_OK(farm->ops->compile(farm, &job));
    ASSERT_OK(farm->ops->wait(farm, &event, 0));
    farm->ops->cancel(farm);
    compile_ok(farm, 4);
    job.id = 5; /* job 5 is requested after the worker has compiled this source for job 3 */
    ASSERT_OK(farm->ops->compile(farm, &job));
    ASSERT_OK(farm->ops->wait(farm, &event, 0));
    assert_int_equal(event.kind, GT_EVENT_COMPILED);
    assert_int_equal(event.id, 5);
    gt_event_free(&event);
    expect_silence(farm);
}

static void wait_for_start(gt_farm *farm, uint64_t id)
{
    gt_compiling jobs[4];
    gt_event event;
    for (int i = 0; i < 300; i++) {
        if (farm->ops->compiling(farm, jobs, 4) == 1 && jobs[0].id == id) {
            return;
        }
        ASSERT_OK(farm->ops->wait(farm, &event, 0.1));
        assert_int_equal(event.kind, GT_EVENT_TIMEOUT);
    }
    fail_msg("job %llu was never begun", (unsigned long long)id);
}

TEST(a_compile_that_is_given_up_costs_nothing_else)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){.compile_workers = 1});
    compile_ok(farm, 1);
    request_compile(farm, 2, "hang");
    for (uint64_t i = 3; i < 8; i++) {
        request_compile(farm, i, "text");
    }
    wait_for_start(farm, 2);
    farm->ops->give_up(farm, 3);
    farm->ops->give_up(farm, 9);
    farm->ops->give_up(farm, 2);
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_COMPILED, 2, GPUTUNE_ETIMEOUT);
    assert_non_null(strstr(event.message, "compilation stopped after"));
    assert_false(event.repeatable);
    assert_true(event.compiled.compile_ns > 0);
    for (uint64_t i = 3; i < 8; i++) {
        expect_plain(farm, GT_EVENT_COMPILED, i, GPUTUNE_OK);
    }
    gt_compiling jobs[4];
    assert_int_equal(farm->ops->compiling(farm, jobs, 4), 0);
    expect_silence(farm);
}

/* Returns how long the only job has been compiling. */
static double seconds_of(gt_farm *farm)
{
    gt_compiling job;
    assert_int_equal(farm->ops->compiling(farm, &job, 1), 1);
    return job.seconds;
}

TEST(a_compile_that_gets_no_core_takes_no_time)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){.compile_workers = 1});
    compile_ok(farm, 1);
    request_compile(farm, 2, "stop"); /* a stopped process uses no CPU time */
    wait_for_start(farm, 2);
    usleep(300000);
    assert_true(seconds_of(farm) < 0.2);
    farm->ops->give_up(farm, 2);
    expect_plain(farm, GT_EVENT_COMPILED, 2, GPUTUNE_ETIMEOUT);
}

TEST(a_canceled_job_is_not_compiling)
{
    gt_compiling jobs[4];
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){.compile_workers = 1});
    compile_ok(farm, 1);
    request_compile(farm, 2, "slow 300");
    wait_for_start(farm, 2);
    farm->ops->cancel(farm);
    assert_int_equal(farm->ops->compiling(farm, jobs, 4), 0);
    request_compile(farm, 2, "text");
    farm->ops->give_up(farm, 2);
    expect_plain(farm, GT_EVENT_COMPILED, 2, GPUTUNE_OK);
}

/* Canceling ends the worker of the job, and a new worker gets the next job. */
TEST(a_canceled_job_that_never_ends_holds_up_nobody)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){.compile_workers = 1});
    request_compile(farm, 1, "hang");
    wait_for_start(farm, 1);
    farm->ops->cancel(farm);
    compile_ok(farm, 2);
}

TEST(without_a_compiler_every_job_reports_it)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){.driver_version = 1});
    request_compile(farm, 1, "text");
    GT_SCOPED(gt_event_free)
    gt_event event = expect(farm, GT_EVENT_COMPILED, 1, GPUTUNE_ENOCOMPILER);
    assert_string_equal(event.message, "no NVRTC here");
}

TEST(workers_do_not_depend_on_variables_and_the_folder)
{
    GT_FREED char *folder = NULL;
    ASSERT_OK(gt_file_own_folder(&folder));
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    assert_int_equal(chdir(folder), 0);
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){.worker = "./fake-worker"});
    assert_int_equal(chdir("/"), 0);
    unsetenv("CUDA_LAUNCH_BLOCKING");
    request_compile(farm, 1, "environment");
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_COMPILED, 1, GPUTUNE_OK);
    assert_memory_equal(event.compiled.image.data, "CUDA_LAUNCH_BLOCKING=none", 25);
}

TEST(a_compile_farm_cannot_measure)
{
    GT_SCOPED(close_farm) gt_farm *farm = open_farm((gt_farm_options){0});
    static gt_measure_setup setup;
    assert_int_equal(farm->ops->prepare(farm, &setup), GPUTUNE_ENODRIVER);
}

TEST(a_missing_worker_is_explained)
{
    gt_farm *farm = NULL;
    gt_farm_options options = {.worker = "/nonexistent/gputune-worker"};
    ASSERT_FAILS(gt_farm_open(&farm, &options), GPUTUNE_EWORKER, "/nonexistent/gputune-worker");
    assert_null(farm);
    setenv("GPUTUNE_WORKER", "/nonexistent/other", 1);
    options.worker = NULL;
    ASSERT_FAILS(gt_farm_open(&farm, &options), GPUTUNE_EWORKER, "GPUTUNE_WORKER");
    unsetenv("GPUTUNE_WORKER");
}

/* Scripts of workers that exit at once, send garbage, or send nothing. */
TEST(a_strange_worker_ends_the_farm)
{
    static const char *const scripts[] = {"#!/bin/sh\nexit 1\n",
                                          "#!/bin/sh\nprintf '%0400d' 1 >&3\nsleep 10\n",
                                          "#!/bin/sh\nexec sleep 1000\n"};
    for (size_t i = 0; i < 3; i++) {
        char *path = temporary_file();
        FILE *file = fopen(path, "w");
        assert_true(fputs(scripts[i], file) >= 0);
        fclose(file);
        assert_int_equal(chmod(path, 0700), 0);
        gt_farm *farm = open_farm((gt_farm_options){.worker = path});
        request_compile(farm, 1, "text");
        gt_event event;
        assert_int_equal(farm->ops->wait(farm, &event, SOON_S), GPUTUNE_EWORKER);
        assert_int_equal(farm->ops->wait(farm, &event, 0), GPUTUNE_EWORKER);
        farm->ops->close(farm);
        unlink(path);
    }
}

TEST(a_host_that_reaps_its_children_is_no_error)
{
    signal(SIGCHLD, SIG_IGN);
    gt_farm *farm = open_farm((gt_farm_options){.compile_workers = 1});
    request_compile(farm, 1, "segv");
    request_compile(farm, 2, "fine");
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_COMPILED, 1, GPUTUNE_ECRASHED);
    assert_false(event.repeatable);
    expect_plain(farm, GT_EVENT_COMPILED, 2, GPUTUNE_OK);
    farm->ops->close(farm);
    signal(SIGCHLD, SIG_DFL);
}
