/* Tests starting and ending child processes, and their environment. */
#include "farm/process.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

typedef struct child {
    gt_process process;
    int channel;
} child;

/* Runs a shell script that has the channel as descriptor 3. */
static child run_with(const char *script, char *const *environment)
{
    child child;
    int other;
    const char *arguments[] = {"/bin/sh", "-c", script, NULL};
    ASSERT_OK(gt_process_channel(&child.channel, &other));
    ASSERT_OK(gt_process_spawn(&child.process, arguments, environment, other));
    close(other);
    return child;
}

static child run(const char *script)
{
    return run_with(script, environ);
}

/* Returns everything that the child writes, and waits for its end. */
static const char *listen_to(child *child)
{
    static char said[8192];
    size_t have = 0;
    ssize_t got;
    while ((got = recv(child->channel, said + have, sizeof said - have - 1, 0)) > 0) {
        have += (size_t)got;
    }
    said[have] = '\0';
    int code;
    gt_process_wait(&child->process, &code, 10);
    close(child->channel);
    return said;
}

/* Lists the shell's open descriptors. The last one was opened for this listing. */
#define LIST_DESCRIPTORS "cd /proc/$$/fd && set -- * && printf %s \"$*\" >&3"

TEST(exit_codes_and_signals_are_reported)
{
    int code;
    child one = run("exit 7");
    assert_int_equal(gt_process_wait(&one.process, &code, 10), GT_END_EXITED);
    assert_int_equal(code, 7);
    assert_int_equal(gt_process_wait(&one.process, &code, 0), GT_END_UNKNOWN);
    close(one.channel);

    child two = run("sleep 100");
    assert_int_equal(gt_process_wait(&two.process, &code, 0), GT_END_RUNNING);
    gt_process_kill(&two.process);
    assert_int_equal(gt_process_wait(&two.process, &code, 10), GT_END_SIGNALED);
    assert_int_equal(code, SIGKILL);
    gt_process_kill(&two.process);
    close(two.channel);
}

TEST(only_its_own_descriptors_are_open)
{
    int extra = open("/dev/null", O_RDONLY); /* a child would inherit this descriptor */
    assert_true(extra >= 0);
    int high = fcntl(extra, F_DUPFD, 200);
    child child = run(LIST_DESCRIPTORS);
    const char *said = listen_to(&child);
    assert_string_equal(said, "0 1 2 3 4 5");
    close(extra);
    close(high);
}

TEST(signal_state_is_fresh)
{
    sigset_t block, old;
    sigemptyset(&block);
    sigaddset(&block, SIGTERM);
    sigprocmask(SIG_BLOCK, &block, &old);
    signal(SIGPIPE, SIG_IGN);
    child child = run("grep -E 'Sig(Blk|Ign)' /proc/self/status >&3;"
                      "cut -d' ' -f5 /proc/$$/stat >&3; echo $$ >&3");
    const char *said = listen_to(&child);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &old, NULL);
    assert_non_null(strstr(said, "SigBlk:\t0000000000000000"));
    const char *ignored = strstr(said, "SigIgn:\t");
    assert_non_null(ignored);
    assert_int_equal(strtoull(ignored + 8, NULL, 16) & 0x7fffffff, 0); /* none of signals 1 to 31 */
    char group[64]; /* the child's process ID and group ID are equal */
    snprintf(group, sizeof group, "\n%d\n%d\n", child.process.pid, child.process.pid);
    assert_non_null(strstr(said, group));
}

TEST(a_host_that_ignores_children_is_fine)
{
    int code;
    signal(SIGCHLD, SIG_IGN);
    child child = run("exit 3");
    assert_int_equal(gt_process_wait(&child.process, &code, 10), GT_END_UNKNOWN);
    close(child.channel);
    struct child other = run("sleep 100");
    gt_process_end(&other.process);
    close(other.channel);
    signal(SIGCHLD, SIG_DFL);
}

TEST(a_host_that_reaps_first_is_fine)
{
    int code, status;
    child child = run("exit 3");
    assert_int_equal(waitpid(child.process.pid, &status, 0), child.process.pid);
    gt_process_kill(&child.process);
    assert_int_equal(gt_process_wait(&child.process, &code, 1), GT_END_UNKNOWN);
    close(child.channel);
}

TEST(ended_children_leave_no_zombie)
{
    child child = run("sleep 100");
    pid_t pid = child.process.pid;
    gt_process_end(&child.process);
    close(child.channel);
    for (int i = 0; i < 2000 && kill(pid, 0) == 0; i++) {
        poll(NULL, 0, 5);
    }
    assert_int_equal(kill(pid, 0), -1);
    assert_int_equal(errno, ESRCH);
}

TEST(standard_descriptors_may_be_closed)
{
    int input = dup(0);
    close(0);
    child child = run(LIST_DESCRIPTORS);
    assert_false(child.process.pidfd == 0); /* the program may open its next file as 0 */
    dup2(input, 0);
    close(input);
    assert_string_equal(listen_to(&child), "0 1 2 3 4 5");
}

TEST(a_missing_program_is_named)
{
    int mine, other;
    const char *arguments[] = {"/nonexistent/worker", NULL};
    ASSERT_OK(gt_process_channel(&mine, &other));
    assert_true(mine >= 10 && other >= 10);
    gt_process process;
    ASSERT_FAILS(gt_process_spawn(&process, arguments, environ, other), GPUTUNE_EWORKER,
                 "/nonexistent/worker");
    close(mine);
    close(other);
}

TEST(harmful_variables_are_removed)
{
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    setenv("CUDA_INJECTION64_PATH", "/x.so", 1);
    setenv("CUDA_VISIBLE_DEVICES", "3", 1);
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1);
    setenv("GPUTUNE_TEST_KEPT", "yes", 1);
    GT_SCOPED(gt_texts_free) gt_texts measure = {0};
    GT_SCOPED(gt_texts_free) gt_texts compile = {0};
    ASSERT_OK(gt_process_environment(&measure, true, "GPU-1234"));
    ASSERT_OK(gt_process_environment(&compile, false, NULL));
    child one = run_with("env >&3", measure.items);
    const char *said = listen_to(&one);
    assert_null(strstr(said, "CUDA_LAUNCH_BLOCKING"));
    assert_null(strstr(said, "CUDA_INJECTION64_PATH"));
    assert_non_null(strstr(said, "CUDA_VISIBLE_DEVICES=GPU-1234\n"));
    assert_null(strstr(said, "CUDA_VISIBLE_DEVICES=3"));
    assert_non_null(strstr(said, "CUDA_MPS_PIPE_DIRECTORY=/nonexistent"));
    assert_non_null(strstr(said, "CUDA_DEVICE_MAX_CONNECTIONS=1\n"));
    assert_null(strstr(said, "CUDA_DEVICE_MAX_CONNECTIONS=32"));
    assert_non_null(strstr(said, "GPUTUNE_TEST_KEPT=yes\n"));
    child two = run_with("env >&3", compile.items);
    said = listen_to(&two);
    assert_null(strstr(said, "CUDA_LAUNCH_BLOCKING"));
    assert_non_null(strstr(said, "CUDA_VISIBLE_DEVICES=3\n"));
}

static void expect_visible(const char *list, int ordinal, const char *entry)
{
    GT_FREED char *visible = NULL;
    if (list) {
        setenv("CUDA_VISIBLE_DEVICES", list, 1);
    } else {
        unsetenv("CUDA_VISIBLE_DEVICES");
    }
    ASSERT_OK(gt_process_visible(&visible, ordinal));
    if (entry) {
        assert_string_equal(visible, entry);
    } else {
        assert_null(visible);
    }
}

TEST(one_device_of_the_visible_ones_is_named)
{
    expect_visible(NULL, 0, "0");
    expect_visible(NULL, 3, "3");
    expect_visible("5,GPU-1234,MIG-9", 0, "5");
    expect_visible("5,GPU-1234,MIG-9", 1, "GPU-1234");
    expect_visible("5,GPU-1234,MIG-9", 2, "MIG-9");
    expect_visible("5,GPU-1234,MIG-9", 3, NULL);
    expect_visible("0, 1 ,2", 1, "1");
    expect_visible("", 0, NULL);
    unsetenv("CUDA_VISIBLE_DEVICES");
}
