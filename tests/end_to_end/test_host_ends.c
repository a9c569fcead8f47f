/* Tests hosts that end in unusual ways: killed while a forked child still runs, or ended by a
 * signal after the main thread has exited. No worker may outlive its host, and signals must end the
 * host. */
#include "world.h"

#include "victim.h"

#include <poll.h>
#include <sys/prctl.h>

enum { LONGEST_MS = 120000, STEP_MS = 10, FAILED = 100 };

/* Makes this process adopt orphaned processes, so it can wait for their end. */
static int open_second(void **state)
{
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    return world_open("emu:h200");
}

static int tune(gputune *tuner, bool background)
{
    gputune_options options = few_variants();
    gputune_plan *plan;
    options.force = !background;
    options.background = background;
    int status = tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", 1024}), &options);
    if (status == GPUTUNE_OK) {
        gputune_plan_release(plan);
    } else {
        fprintf(stderr, "%s\n", gputune_error());
    }
    return status;
}

static void say_ready(void)
{
    if (write(1, "r", 1) != 1) {
        _exit(FAILED);
    }
}

static void be_or_fail(int status)
{
    if (status != GPUTUNE_OK) {
        _exit(FAILED);
    }
}

static void *tune_on(void *tuner)
{
    usleep(100000); /* the main thread ends during this pause */
    be_or_fail(tune(tuner, false));
    for (say_ready();;) {
        be_or_fail(tune(tuner, false));
    }
    return NULL;
}

/* Writes 'r' to the pipe when ready, and runs until killed. */
static void be_host(const char *way)
{
    static gputune *tuner;
    pthread_t thread;
    bool background = strcmp(way, "background") == 0;
    be_or_fail(gputune_open(
        &tuner, &OPEN_OPTIONS(.database = ":memory:", .driver = "emu:h200", .keep_workers = true)));
    be_or_fail(tune(tuner, background));
    if (strcmp(way, "forks") != 0) {
        if (background) {
            say_ready();
        } else if (pthread_create(&thread, NULL, tune_on, tuner) != 0) {
            _exit(FAILED);
        }
        pthread_exit(NULL);
    }
    if (fork() != 0) {
        say_ready();
    }
    for (;;) {
        pause();
    }
}

static pid_t start_host(const char *way)
{
    int ready[2];
    char answer;
    assert_int_equal(pipe(ready), 0);
    pid_t host = fork();
    assert_true(host >= 0);
    if (host == 0) {
        dup2(ready[1], 1);
        execl("/proc/self/exe", "test_host_ends", way, (char *)NULL);
        _exit(FAILED);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &answer, 1), 1);
    close(ready[0]);
    return host;
}

/* Returns the wait status of a child; -1 if the child had to be killed because it ran too long. */
static int end_of(pid_t child)
{
    int status = -1;
    for (int waited = 0; waited < LONGEST_MS; waited += STEP_MS) {
        if (waitpid(child, &status, WNOHANG) == child) {
            return status;
        }
        poll(NULL, 0, STEP_MS);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
}

TEST(workers_end_with_their_host_while_its_child_lives)
{
    SKIP_IF(!world.ready);
    pid_t host = start_host("forks");
    const pid_t workers[] = {worker_of(host, "--role compile"), worker_of(host, "--role measure")};
    pid_t child = worker_of(host, "test_host_ends");
    assert_true(workers[0] > 0 && workers[1] > 0 && child > 0);
    kill(host, SIGKILL);
    int host_end = end_of(host), ends[] = {end_of(workers[0]), end_of(workers[1])};
    kill(child, SIGKILL);
    assert_int_equal(WTERMSIG(end_of(child)), SIGKILL);
    assert_int_equal(WTERMSIG(host_end), SIGKILL);
    assert_true(WIFEXITED(ends[0]) && WIFEXITED(ends[1]));
}

#ifndef __SANITIZE_THREAD__ /* TSan's background thread keeps the process alive */
TEST(background_does_not_keep_the_host_alive)
{
    SKIP_IF(!world.ready);
    int end = end_of(start_host("background"));
    while (wait(NULL) > 0) { /* its workers */
    }
    assert_true(WIFEXITED(end) && WEXITSTATUS(end) == 0);
}
#endif

static void expect_ended_by_signal(const char *way)
{
    SKIP_IF(!world.ready);
    pid_t host = start_host(way);
    poll(NULL, 0, 300); /* the main thread ends during this pause */
    kill(host, SIGTERM);
    int end = end_of(host);
    while (wait(NULL) > 0) { /* its workers */
    }
    assert_int_not_equal(end, -1);
    assert_true(WIFSIGNALED(end));
    assert_int_equal(WTERMSIG(end), SIGTERM);
}

TEST(host_that_tunes_after_its_main_thread_ends_by_signals)
{
    expect_ended_by_signal("tunes");
}

TEST(host_with_only_the_background_ends_by_signals)
{
    expect_ended_by_signal("background");
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        be_host(argv[1]);
    }
    return tests_run(open_second, world_close);
}
