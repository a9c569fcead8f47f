/* Compile workers that a command starts: what comes back, and what happens when it does not. Of two
 * workers, the own one is kept busy where the other one is to be asked. */
#include "harness.h"

#include "farm/wire.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char logged[4096]; /* the warnings, line by line */

static void keep_log(void *user, gputune_log_level level, const char *line)
{
    (void)user;
    size_t length = strlen(logged);
    if (level <= GPUTUNE_LOG_WARNING) {
        snprintf(logged + length, sizeof logged - length, "%s\n", line);
    }
}

static size_t count_lines(void)
{
    size_t count = 0;
    for (const char *at = logged; (at = strchr(at, '\n')); at++) {
        count++;
    }
    return count;
}

static gt_farm *open_on(const char *const *commands, size_t count)
{
    logged[0] = '\0';
    return open_farm((gt_farm_options){.compile_workers = 1,
                                       .compile_on = commands,
                                       .compile_on_count = count,
                                       .log = {keep_log, NULL}});
}

/* Compiles until so many workers are counted, or a warning has come. */
static void wait_for(gt_farm *farm, uint32_t workers)
{
    for (uint64_t id = 1000; id < 1600; id++) {
        if (farm->compile_workers == workers && !logged[0]) {
            return;
        }
        ask_compile(farm, id, "slow 5");
        expect_plain(farm, GT_EVENT_COMPILED, id, GPUTUNE_OK);
        usleep(10000);
    }
    fail_msg("%u workers, and the log: %s", farm->compile_workers, logged);
}

static void wait_for_log(gt_farm *farm, const char *text)
{
    for (uint64_t id = 2000; id < 2600 && !strstr(logged, text); id++) {
        ask_compile(farm, id, "slow 5");
        expect_plain(farm, GT_EVENT_COMPILED, id, GPUTUNE_OK);
        usleep(10000);
    }
    if (!strstr(logged, text)) {
        fail_msg("the log lacks '%s': %s", text, logged);
    }
}

/* The variable as the worker of the command, or one here, sees it. */
static void expect_place(gt_farm *farm, uint64_t id, const char *place)
{
    char text[64];
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_COMPILED, id, GPUTUNE_OK);
    snprintf(text, sizeof text, "CUDA_LAUNCH_BLOCKING=%s", place);
    assert_int_equal(event.compiled.image.bytes, strlen(text));
    assert_memory_equal(event.compiled.image.data, text, strlen(text));
}

/* The own worker is at a slow job while the other one gets `script`. */
static void ask_there(gt_farm *farm, uint64_t id, const char *script)
{
    ask_compile(farm, 1, "slow 400");
    ask_compile(farm, id, script);
}

static void compiles_there(const char *command)
{
    gt_farm *farm = open_on(&command, 1);
    wait_for(farm, 2);
    ask_there(farm, 2, "environment");
    expect_place(farm, 2, "there");
    expect_plain(farm, GT_EVENT_COMPILED, 1, GPUTUNE_OK);
    assert_string_equal(logged, "");
    farm->ops->close(farm);
}

TEST(a_command_starts_a_worker)
{
    compiles_there("env CUDA_LAUNCH_BLOCKING=there");
}

TEST(a_banner_and_a_slow_start_are_passed_over)
{
    compiles_there("echo Welcome; echo to the node >&2; printf 'no newline'; sleep 1; "
                   "CUDA_LAUNCH_BLOCKING=there");
}

TEST(the_path_there_may_be_another)
{
    char folder[] = "/tmp/gputune-test-XXXXXX", command[512];
    GT_FREED char *worker = beside_test("fake-worker");
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, "%s/gputune-worker", folder);
    assert_int_equal(symlink(worker, command), 0);
    snprintf(command, sizeof command, "CUDA_LAUNCH_BLOCKING=there %s/gputune-worker", folder);
    compiles_there(command);
    snprintf(command, sizeof command, "%s/gputune-worker", folder);
    unlink(command);
    rmdir(folder);
}

TEST(several_work_side_by_side)
{
    enum { JOBS = 100 };
    const char *const commands[] = {"exec", "exec", "env"};
    gt_farm *farm = open_on(commands, 3);
    wait_for(farm, 4);
    unsigned char seen[JOBS] = {0};
    for (uint64_t i = 0; i < JOBS; i++) {
        ask_compile(farm, i, "slow 3");
    }
    for (size_t i = 0; i < JOBS; i++) {
        gt_event event;
        ASSERT_OK(farm->ops->wait(farm, &event, SOON_S));
        ASSERT_OK(event.status);
        assert_int_equal(seen[event.id]++, 0);
        gt_event_free(&event);
    }
    farm->ops->close(farm);
}

TEST(a_command_that_starts_none_is_explained)
{
    static const struct {
        const char *command, *text;
    } cases[] = {
        {"false", "nothing was said (exit code 1)"},
        {"no-such-command", "no-such-command: not found (exit code 127)"},
        {"echo 'Host key verification failed.' >&2; exit 255;", "key verification failed. (exit"},
        {"echo This account is not available; exit 1;", "account is not available (exit code 1)"},
        {"head -c 100000 /dev/zero; sleep 100; true", "nothing was said (exit code 143)"},
        {"FAKE_NVRTC=12040", "NVRTC is 12.4 there and 13.0 here"},
        {"env FAKE_NVRTC=0", "there is no NVRTC there"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const commands[] = {cases[i].command, cases[i].command};
        char name[128];
        gt_farm *farm = open_on(commands, 2);
        wait_for_log(farm, cases[i].text);
        snprintf(name, sizeof name, "compile workers of '%s': ", cases[i].command);
        assert_non_null(strstr(logged, name));
        ask_compile(farm, 5, "hello");
        expect_plain(farm, GT_EVENT_COMPILED, 5, GPUTUNE_OK);
        usleep(300000);
        ask_compile(farm, 6, "hello");
        expect_plain(farm, GT_EVENT_COMPILED, 6, GPUTUNE_OK);
        assert_int_equal(count_lines(), 1); /* for both of them */
        assert_int_equal(farm->compile_workers, 1);
        farm->ops->close(farm);
    }
}

TEST(one_that_never_answers_is_said_at_the_end)
{
    const char *const commands[] = {"sleep 100; true", "sleep 100; true", "exec"};
    gt_farm *farm = open_on(commands, 3);
    wait_for(farm, 2);
    assert_string_equal(logged, "");
    farm->ops->close(farm);
    assert_non_null(strstr(logged, "compile workers of 'sleep 100; true': none has answered"));
    assert_int_equal(count_lines(), 1);
}

TEST(another_build_is_left_out)
{
    char path[] = "/tmp/gputune-test-XXXXXX", command[128];
    gt_hello hello = {"0.0.9/0123456789abcdef"};
    int file = mkstemp(path);
    gt_text frame = {0};
    ASSERT_OK(gt_frame_append(&frame, GT_FRAME_HELLO, 0, NULL, &gt_record_hello, &hello));
    assert_int_equal(write(file, frame.data, frame.length), frame.length);
    close(file);
    gt_text_free(&frame);
    snprintf(command, sizeof command, "cat %s; sleep 100; true", path);
    const char *commands = command;
    gt_farm *farm = open_on(&commands, 1);
    wait_for_log(farm, "the worker is gputune 0.0.9/0123456789abcdef, but this library is");
    assert_int_equal(count_lines(), 1);
    farm->ops->close(farm);
    unlink(path);
}

TEST(two_workers_on_one_channel_are_refused)
{
    GT_FREED char *worker = beside_test("fake-worker");
    char command[1024];
    snprintf(command, sizeof command, "sh -c '%s --role compile --stdio & exec \"$@\"' sh", worker);
    const char *commands = command;
    gt_farm *farm = open_on(&commands, 1);
    wait_for_log(farm, "several workers answer on one channel; start each by a command of its own");
    farm->ops->close(farm);
}

TEST(a_worker_that_dies_costs_its_job_time_only)
{
    const char *command = "CUDA_LAUNCH_BLOCKING=there";
    gt_farm *farm = open_on(&command, 1);
    char path[] = "/tmp/gputune-test-XXXXXX", script[64];
    close(mkstemp(path));
    wait_for(farm, 2);
    snprintf(script, sizeof script, "killed-if %s", path);
    ask_there(farm, 2, script);
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_COMPILED, 1, GPUTUNE_OK);
    expect_plain(farm, GT_EVENT_COMPILED, 2, GPUTUNE_OK);
    assert_non_null(strstr(logged, "the worker there exited with code 137; its job is compiled"));
    assert_int_equal(count_lines(), 1);
    logged[0] = '\0';
    wait_for(farm, 2); /* another one is there */
    farm->ops->close(farm);
}

/* The last worker here dies, and its program is gone. */
TEST(where_none_can_be_started_jobs_wait_for_a_worker_elsewhere)
{
    enum { JOBS = 5 };
    char folder[] = "/tmp/gputune-test-XXXXXX", path[64], once[64], script[80];
    const char *command = "exec";
    GT_FREED char *worker = beside_test("fake-worker");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/worker", folder);
    snprintf(once, sizeof once, "%s/once", folder);
    snprintf(script, sizeof script, "killed-if %s", once);
    assert_int_equal(symlink(worker, path), 0);
    assert_int_equal(symlink(worker, once), 0);
    logged[0] = '\0';
    gt_farm *farm = open_farm((gt_farm_options){.compile_workers = 1,
                                                .compile_on = &command,
                                                .compile_on_count = 1,
                                                .worker = path,
                                                .log = {keep_log, NULL}});
    wait_for(farm, 2);
    unlink(path);
    ask_compile(farm, 0, script);
    for (uint64_t id = 1; id < JOBS; id++) {
        ask_compile(farm, id, "slow 100");
    }
    for (int i = 0; i < JOBS; i++) {
        GT_SCOPED(gt_event_free) gt_event event = {0};
        ASSERT_OK(farm->ops->wait(farm, &event, SOON_S));
        ASSERT_OK(event.status);
    }
    farm->ops->close(farm);
    assert_int_equal(rmdir(folder), 0); /* the worker here has died */
}

TEST(what_fails_there_is_judged_here)
{
    const char *command = "CUDA_LAUNCH_BLOCKING=there";
    gt_farm *farm = open_on(&command, 1);
    wait_for(farm, 2);
    ask_there(farm, 2, "error");
    expect_plain(farm, GT_EVENT_COMPILED, 1, GPUTUNE_OK);
    expect_plain(farm, GT_EVENT_COMPILED, 2, GPUTUNE_ECOMPILE);
    ask_there(farm, 3, "segv"); /* there, and twice here */
    expect_plain(farm, GT_EVENT_COMPILED, 1, GPUTUNE_OK);
    GT_SCOPED(gt_event_free) gt_event event = expect(farm, GT_EVENT_COMPILED, 3, GPUTUNE_ECRASHED);
    assert_true(event.repeatable);
    expect_silence(farm);
    farm->ops->close(farm);
}

static pid_t read_pid(const char *path)
{
    for (int i = 0; i < 1000; i++) {
        FILE *file = fopen(path, "r");
        char line[32] = "";
        bool whole = file && fgets(line, sizeof line, file) && strchr(line, '\n');
        if (file) {
            fclose(file);
        }
        if (whole) {
            return (pid_t)strtol(line, NULL, 10);
        }
        usleep(10000);
    }
    fail_msg("the command was not started");
    return 0;
}

/* Waits until this process has no child, alive or to be reaped. */
static void expect_no_child(void)
{
    siginfo_t ended;
    int left = 0;
    for (int i = 0; i < 1000 && left == 0; i++) {
        usleep(10000);
        left = waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT);
    }
    assert_int_equal(left, -1);
    assert_int_equal(errno, ECHILD);
}

/* Neither what waits for a machine nor what ignores polite requests, nor a zombie: the first
 * process of a container, in whose place this one is, may reap nothing. */
TEST(nothing_is_left_of_a_command)
{
    static const char *const ways[] = {
        "sh -c 'echo $$ >%s; sleep 1000; true' sh",
        "sh -c 'trap \"\" TERM; echo $$ >%s; while :; do sleep 1; done' sh",
        "sh -c 'echo $$ >%s; exec \"$@\"' sh",
        "sh -c 'echo $$ >%s; \"$@\"; true' sh",
    };
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char path[] = "/tmp/gputune-test-XXXXXX", command[256];
        close(mkstemp(path));
        snprintf(command, sizeof command, ways[i], path);
        const char *commands = command;
        gt_farm *farm = open_on(&commands, 1);
        ask_compile(farm, 1, "text");
        expect_plain(farm, GT_EVENT_COMPILED, 1, GPUTUNE_OK);
        assert_int_equal(kill(read_pid(path), 0), 0);
        farm->ops->close(farm);
        expect_no_child();
        unlink(path);
    }
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}
