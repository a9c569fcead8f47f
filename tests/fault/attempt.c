/* Runs an attempt: a scene in its own process, in which one call fails. In some attempts, all later
 * calls fail, too. */
#include "attempt.h"

#include "failing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_S = 90, TRIES = 3 };

char attempt_folder[64];

static int descriptors(void)
{
    int count = 0;
    DIR *open = opendir("/proc/self/fd");
    while (open && readdir(open)) {
        count++;
    }
    if (open) {
        closedir(open);
    }
    return count;
}

void attempt_path(char *out, size_t bytes, int slot, const char *ending)
{
    snprintf(out, bytes, "%s/%d.%s", attempt_folder, slot, ending);
}

void copy_file(const char *to, const char *from)
{
    char bytes[65536];
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ssize_t got;
    while ((got = read(in, bytes, sizeof bytes)) > 0) {
        if (write(out, bytes, (size_t)got) != got) {
            complain("%s: %s", to, strerror(errno));
        }
    }
    close(in);
    close(out);
}

void attempt_place(int slot, const scene *s)
{
    char from[128];
    attempt_path(app.database, sizeof app.database, slot, "db");
    attempt_path(app.file, sizeof app.file, slot, "file");
    for (const char *const *end = (const char *const[]){"", "-journal", "-2", NULL}; *end; end++) {
        snprintf(from, sizeof from, "%s%s", app.database, *end);
        unlink(from);
    }
    unlink(app.file);
    if (s && s->filled) {
        snprintf(from, sizeof from, "%s/filled.db", attempt_folder);
        copy_file(app.database, from);
    }
}

bool is_of_worker(const char *call)
{
    return strncmp(call, "worker-", 7) == 0;
}

bool is_of_driver(const char *call)
{
    return strncmp(call + 7 * is_of_worker(call), "cu", 2) == 0;
}

static void driver_script(char *out, size_t bytes, const attempt *a)
{
    snprintf(out, bytes, "%s:%s%ld=%d", a->call + 7 * is_of_worker(a->call), a->always ? "*" : "",
             a->number, a->code);
}

static void set_worker(const attempt *a)
{
    char number[32], script[96];
    snprintf(number, sizeof number, "%ld", a->number);
    driver_script(script, sizeof script, a);
    setenv("FAIL_WORKER", getenv("GPUTUNE_WORKER"), 1);
    setenv("GPUTUNE_WORKER", "tests/fault/failing-worker", 1);
    setenv("FAIL_MODE", a->always ? "always" : "once", 1);
    if (is_of_driver(a->call)) {
        setenv("FAIL_DRIVER", script, 1);
    } else {
        setenv("FAIL_CALL", a->call + 7, 1);
        setenv("FAIL_NUMBER", number, 1);
    }
    if (strcmp(a->call, "worker-nvrtc") == 0) {
        setenv("GPUTUNE_NVRTC", getenv("FAIL_STANDIN"), 1);
    }
}

/* Sets the failing call of workers. Call it before gputune_open(), which selects the worker. */
static void prepare_failing(const attempt *a, int slot)
{
    char reached[128];
    attempt_path(reached, sizeof reached, slot, "reached");
    unlink(reached);
    setenv("FAIL_REACHED", reached, 1);
    setenv("GPUTUNE_EMU_REACHED", reached, 1);
    if (a->number && is_of_worker(a->call)) {
        app.crashes = a->code && a->code != CUDA_ERROR_OUT_OF_MEMORY;
        set_worker(a);
    }
}

static void begin_failing(const attempt *a)
{
    char script[96];
    if (a->number && is_of_driver(a->call) && !is_of_worker(a->call)) {
        driver_script(script, sizeof script, a);
        app.driver->EmuSetFaults(script); /* refused if the emulator does not know the call */
    }
    failing_begin(a->call, a->number, a->always);
}

/* Stops the failures and returns the number of calls. Calls of a worker or driver cannot be counted
 * here: returns the number of the call that failed, or 0 if no call failed. */
static long end_failing(const attempt *a, int slot)
{
    char reached[128];
    long calls = failing_end();
    if (is_of_worker(a->call) || is_of_driver(a->call)) {
        attempt_path(reached, sizeof reached, slot, "reached");
        calls = access(reached, F_OK) ? 0 : a->number;
    }
    if (is_of_driver(a->call) && !is_of_worker(a->call)) {
        app.driver->EmuSetFaults(NULL);
    }
    unsetenv("FAIL_CALL");
    unsetenv("FAIL_DRIVER");
    return calls;
}

static void *wait_for_all(void *barrier)
{
    pthread_barrier_wait(barrier);
    return NULL;
}

/* Starts more threads than a scene uses, so their stacks are allocated before the scene. libc
 * reuses the stacks of ended threads, and each stack counts as an allocation. */
static void make_stacks(size_t bytes)
{
    enum { THREADS = 12 };
    pthread_t threads[THREADS];
    pthread_barrier_t barrier;
    pthread_attr_t attributes;
    pthread_barrier_init(&barrier, NULL, THREADS);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, bytes);
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], &attributes, wait_for_all, &barrier) != 0) {
            complain("no thread");
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_attr_destroy(&attributes);
    pthread_barrier_destroy(&barrier);
}

/* Reaps workers that the tuner could not reap because of the failing call. A killed worker with
 * gigabytes of memory may need seconds to end. */
static void wait_for_workers(void)
{
    siginfo_t ended;
    for (int waits = 0; waits < 1000; waits++) {
        if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG) != 0 && errno == ECHILD) {
            return;
        }
        usleep(10000);
    }
    complain("a worker is left");
}

/* Counts remaining allocations and descriptors. Waits up to a second, because threads end
 * asynchronously. */
static void measure_left(outcome *out, long before, const outcome *usual)
{
    for (int waits = 0; waits < 50; waits++) {
        out->live = failing_live() - before;
        out->descriptors = descriptors();
        if (usual->descriptors && out->live <= usual->live &&
            out->descriptors <= usual->descriptors) {
            break;
        }
        usleep(usual->descriptors ? 20000 : 2000);
    }
}

/* Fails if the attempt left allocations or descriptors. If so, the attempt is first repeated in a
 * process that has run the scene without failures: code that runs only after failures may create an
 * object and keep it, and threads that end keep memory for a moment. */
static void expect_nothing_left(const attempt *a, const outcome *out, const outcome *usual,
                                int status)
{
    /* after a failed call or compile, the emulator loads further modules, and keeps them when they
     * are unloaded */
    const bool loads_more = is_of_driver(a->call) || strcmp(a->call, "worker-nvrtc") == 0;
    bool left = (out->live > usual->live && !loads_more) || out->descriptors > usual->descriptors;
    if (a->number && left && a->again < TRIES) {
        _exit(ATTEMPT_AGAIN);
    }
    if (a->number && left) {
        complain("status %d; %ld allocations and %d descriptors are left", status,
                 out->live - usual->live, out->descriptors - usual->descriptors);
    }
}

void attempt_live(const attempt *a, int slot, outcome *out, const outcome usual[2])
{
    const scene *s = a->scene;
    make_stacks(128 << 10);
    long live = failing_live();
    alarm(LIMIT_S);
    if (a->again) {
        live_before();
    }
    attempt_place(slot, s);
    long prepared = failing_live();
    prepare_failing(a, slot);
    live += failing_live() - prepared; /* setenv() allocates memory that is never freed */
    if (!s->opens) {
        make_context();
        need(open_tuner(), "opening");
        need(s->prepare(), "preparing");
    }
    begin_failing(a);
    int status = s->act();
    out->calls = end_failing(a, slot);
    if (s->opens) {
        make_context();
    }
    if (a->number == 0) {
        need(status, s->name);
    }
    expect_well(s, status);
    wait_for_workers();
    measure_left(out, live, &usual[a->again > 0]);
    expect_nothing_left(a, out, &usual[a->again > 0], status);
    _exit(0);
}
