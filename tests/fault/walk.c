/* Goes through the life of an application once for each call that could fail in it: opening a
 * tuner, a miss, a hit, a launch and so on, in a process of its own each time, in which that one
 * call, or it and all later ones, fail. Whatever comes of it, the process must not crash, hang or
 * leak, its buffers must hold what the kernel computes, a failure must have a message, and with
 * nothing failing any more the same tuner, and a new one on the same database, must give a right
 * plan.
 *
 *   walk [-j PROCESSES] [-s STEP | -n NUMBER] [SCENE[:CALL]...]
 *
 * A CALL is one of failing.h; "driver" stands for the driver's calls, by the emulator; "worker-"
 * before it for the same in the workers, with "nvrtc" as one more. Every number is tried; with -s
 * STEP, each is 1/STEP larger than the one before; with -n, only this one is. */
#include "application.h"
#include "failing.h"

#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A compiler that lacks memory may take more and more of it in vain. */
#define WORKER_MB "1024"
enum { LIMIT_S = 90, PROCESSES_MAX = 64, TRIES = 3, AGAIN = 100 };

/* ---- one attempt, in a process of its own ---------------------------------------------------- */

typedef struct attempt {
    const scene *scene;
    const char *call;
    long number; /* of the call that fails; 0: none does */
    int code;    /* of a driver call */
    bool always;
    int again; /* how often it was tried before */
    pid_t process;
} attempt;

typedef struct outcome {
    long calls, live;
    int descriptors;
} outcome;

static struct {
    char folder[64];
    outcome *outcomes; /* shared with the processes */
    attempt running[PROCESSES_MAX];
    long processes, step, only, attempts, failures;
    outcome usual[2]; /* of the scene with nothing failing; with a life before */
} walk = {.processes = 2};

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

static void slot_path(char *out, size_t bytes, int slot, const char *ending)
{
    snprintf(out, bytes, "%s/%d.%s", walk.folder, slot, ending);
}

static void copy_file(const char *to, const char *from)
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

static void place(int slot, const scene *s)
{
    char from[128];
    slot_path(app.database, sizeof app.database, slot, "db");
    slot_path(app.file, sizeof app.file, slot, "file");
    for (const char *const *end = (const char *const[]){"", "-journal", ".lock", "-2", NULL}; *end;
         end++) {
        snprintf(from, sizeof from, "%s%s", app.database, *end);
        unlink(from);
    }
    unlink(app.file);
    if (s && s->filled) {
        snprintf(from, sizeof from, "%s/filled.db", walk.folder);
        copy_file(app.database, from);
    }
}

/* ---- what fails: in this process, its driver or its workers ---------------------------------- */

static bool is_of_worker(const char *call)
{
    return strncmp(call, "worker-", 7) == 0;
}

static bool is_of_driver(const char *call)
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

/* Before the tuner is opened, which finds its worker then. */
static void prepare_failing(const attempt *a, int slot)
{
    char reached[128];
    slot_path(reached, sizeof reached, slot, "reached");
    unlink(reached);
    setenv("FAIL_REACHED", reached, 1);
    setenv("GPUTUNE_EMU_REACHED", reached, 1);
    if (a->number && is_of_worker(a->call)) {
        set_worker(a);
    }
}

static void begin_failing(const attempt *a)
{
    char script[96];
    if (a->number && is_of_driver(a->call) && !is_of_worker(a->call)) {
        driver_script(script, sizeof script, a);
        app.driver->EmuSetFaults(script); /* refused where the emulator lacks the call */
    }
    failing_begin(a->call, a->number, a->always);
}

/* How many calls there were, or whether the one came that was to fail. */
static long end_failing(const attempt *a, int slot)
{
    char reached[128];
    long calls = failing_end();
    if (is_of_worker(a->call) || is_of_driver(a->call)) {
        slot_path(reached, sizeof reached, slot, "reached");
        calls = access(reached, F_OK) ? 0 : a->number;
    }
    if (is_of_driver(a->call) && !is_of_worker(a->call)) {
        app.driver->EmuSetFaults(NULL);
    }
    unsetenv("FAIL_CALL");
    unsetenv("FAIL_DRIVER");
    return calls;
}

/* ---- a life ---------------------------------------------------------------------------------- */

static void *wait_for_all(void *barrier)
{
    pthread_barrier_wait(barrier);
    return NULL;
}

/* A thread's stack is kept for the next one, with memory that counts as an allocation. How many
 * threads there are at once depends on how soon workers end, each of which one waits for. */
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

/* The last worker that was killed may take seconds to end, if it had gigabytes of memory. Whom the
 * tuner could not reap, as that call failed, is reaped here. */
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

/* Threads end a moment after they were told to. */
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

/* A failure may take a way on which something is made once and kept. Who seems to have left
 * something lives again, after a life without a failure, and more than once: what threads that end
 * leave for a moment is not always there. */
static void expect_nothing_left(const attempt *a, const outcome *out, int status)
{
    const outcome *usual = &walk.usual[a->again > 0];
    /* the emulator remembers modules that were unloaded, and after its failures there are more */
    bool left = (out->live > usual->live && !is_of_driver(a->call)) ||
                out->descriptors > usual->descriptors;
    if (a->number && left && a->again < TRIES) {
        _exit(AGAIN);
    }
    if (a->number && left) {
        complain("status %d; %ld allocations and %d descriptors are left", status,
                 out->live - usual->live, out->descriptors - usual->descriptors);
    }
}

/* Never returns. */
static void live_once(const attempt *a, int slot)
{
    const scene *s = a->scene;
    outcome *out = &walk.outcomes[slot];
    make_stacks(128 << 10);
    long live = failing_live();
    alarm(LIMIT_S);
    if (a->again) {
        live_before();
    }
    place(slot, s);
    long prepared = failing_live();
    prepare_failing(a, slot);
    live += failing_live() - prepared; /* variables of the environment stay */
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
    measure_left(out, live, &walk.usual[a->again > 0]);
    expect_nothing_left(a, out, status);
    _exit(0);
}

static void begin(int slot, attempt a)
{
    char path[96];
    slot_path(path, sizeof path, slot, "log");
    memset(&walk.outcomes[slot], 0, sizeof walk.outcomes[slot]);
    fflush(stdout);
    a.process = fork();
    if (a.process == 0) {
        int log = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(log, STDERR_FILENO);
        close(log);
        live_once(&a, slot);
    }
    walk.running[slot] = a;
}

static void print_log(int slot)
{
    char line[512];
    slot_path(line, sizeof line, slot, "log");
    FILE *log = fopen(line, "r");
    while (log && fgets(line, sizeof line, log)) {
        printf("    | %s", line);
    }
    if (log) {
        fclose(log);
    }
}

static void tell_failure(int slot, int status)
{
    const attempt *a = &walk.running[slot];
    walk.failures++;
    printf("FAILED: %s: %s %ld (%s, code %d): %s %d\n", a->scene->name, a->call, a->number,
           a->always ? "always" : "once", a->code, WIFSIGNALED(status) ? "signal" : "exit",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    print_log(slot);
}

/* Waits for one process; its slot, or -1 where it has begun again. */
static int end_one(void)
{
    int status, slot = 0;
    pid_t ended;
    do {
        ended = waitpid(-1, &status, 0);
    } while (ended < 0 && errno == EINTR);
    while (walk.running[slot].process != ended) {
        slot++;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == AGAIN) {
        attempt again = walk.running[slot];
        again.again++;
        begin(slot, again);
        return -1;
    }
    walk.attempts++;
    if (status != 0) {
        tell_failure(slot, status);
    }
    walk.running[slot].process = 0;
    return slot;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* How much larger a number is than the one before. */
static long step_after(long number)
{
    return 1 + (walk.step ? number / walk.step : 0);
}

/* Every number until the calls end before it. */
static long walk_call(const attempt *like)
{
    attempt a = *like;
    long most = 0;
    int running = 0;
    bool ended = false;
    a.number = walk.only ? walk.only : 1;
    while (!ended || running) {
        while (!ended && running < walk.processes) {
            int slot = 0;
            while (walk.running[slot].process) {
                slot++;
            }
            begin(slot, a);
            running++;
            a.number += step_after(a.number);
            ended = ended || walk.only;
        }
        int slot = end_one();
        if (slot >= 0) {
            long calls = walk.outcomes[slot].calls;
            running--;
            most = calls > most ? calls : most;
            ended = ended || calls < walk.running[slot].number;
        }
    }
    return most;
}

static bool learn_usual(const scene *s)
{
    for (int again = 0; again < 2; again++) {
        begin(0, (attempt){s, "none", 0, 0, false, again, 0});
        end_one();
        walk.usual[again] = walk.outcomes[0];
    }
    return walk.usual[1].descriptors != 0;
}

/* Whether one of the words is "SCENE" or "SCENE:CALL"; without words, everything. */
static bool is_wanted(char *const *words, const char *scene, const char *call)
{
    size_t length = strlen(scene);
    bool wanted = !*words;
    for (; *words && !wanted; words++) {
        const char *rest = *words + length;
        wanted = strncmp(*words, scene, length) == 0 &&
                 (!*rest || (*rest == ':' && (!call || strcmp(rest + 1, call) == 0)));
    }
    return wanted;
}

static void tell_most(const attempt *a, long most)
{
    if (most) {
        printf("  %s: %s up to the %ldth\n", a->scene->name, a->call, most);
    }
}

static void walk_calls(const scene *s, const char *prefix, const char *const *calls, size_t count,
                       char *const *words)
{
    char name[32];
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, calls[i]);
        if (is_wanted(words, s->name, name)) {
            attempt a = {s, name, 0, 0, false, 0, 0};
            long most = walk_call(&a);
            a.always = true;
            walk_call(&a);
            tell_most(&a, most);
        }
    }
}

/* An error, then a lack of memory, then one that takes the context along: a worker's only, as
 * nothing goes on in the application's after it. */
static void walk_driver(const scene *s, const char *prefix)
{
    static const char *const names[] = {
#define X(member, symbol, version, required, parameters) #symbol,
        GT_DRIVER_LIST(X)
#undef X
    };
    char name[64];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, names[i]);
        attempt a = {s, name, 0, CUDA_ERROR_UNKNOWN, false, 0, 0};
        long most = walk_call(&a);
        if (!most) {
            continue;
        }
        tell_most(&a, most);
        a.code = CUDA_ERROR_OUT_OF_MEMORY;
        walk_call(&a);
        a.code = CUDA_ERROR_ILLEGAL_ADDRESS;
        if (*prefix) {
            walk_call(&a);
        }
    }
}

static void walk_scene(const scene *s, char *const *words)
{
    static const char *const calls[] = {FAILING_CALLS}, *const nvrtc[] = {"nvrtc"};
    enum { CALLS = sizeof calls / sizeof *calls };
    int64_t began = gt_now_ns();
    long before = walk.attempts;
    if (!learn_usual(s)) {
        return;
    }
    walk_calls(s, "", calls, CALLS, words);
    if (!s->opens && is_wanted(words, s->name, "driver")) {
        walk_driver(s, "");
    }
    if (s->works) {
        walk_calls(s, "worker-", calls, CALLS, words);
        walk_calls(s, "worker-", nvrtc, 1, words);
    }
    if (s->works && is_wanted(words, s->name, "worker-driver")) {
        walk_driver(s, "worker-");
    }
    printf("  %s: %ld attempts in %.0f s\n", s->name, walk.attempts - before,
           gt_seconds_since(began));
}

static void fill(void)
{
    const scene *miss = scenes;
    while (strcmp(miss->name, "miss") != 0) {
        miss++;
    }
    char path[96];
    begin(0, (attempt){miss, "none", 0, 0, false, 0, 0});
    end_one();
    place(1, NULL);
    char from[96];
    snprintf(from, sizeof from, "%s/0.db", walk.folder);
    snprintf(path, sizeof path, "%s/filled.db", walk.folder);
    copy_file(path, from);
}

static void remove_folder(void)
{
    DIR *open = opendir(walk.folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        char path[384];
        snprintf(path, sizeof path, "%s/%s", walk.folder, entry->d_name);
        unlink(path);
    }
    if (open) {
        closedir(open);
    }
    rmdir(walk.folder);
}

int main(int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "j:s:n:")) != -1) {
        long number = option == '?' ? 0 : strtol(optarg, NULL, 10);
        if (number < 1 || (option == 'j' && number > PROCESSES_MAX)) {
            fprintf(stderr, "usage: walk [-j PROCESSES] [-s STEP | -n NUMBER] [SCENE[:CALL]...]\n");
            return 2;
        }
        *(option == 'j' ? &walk.processes : option == 's' ? &walk.step : &walk.only) = number;
    }
    snprintf(walk.folder, sizeof walk.folder, "/tmp/gputune-walk-XXXXXX");
    setenv("GPUTUNE_COMPILE_MEMORY", WORKER_MB, 0);
    walk.outcomes = mmap(NULL, PROCESSES_MAX * sizeof *walk.outcomes, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!mkdtemp(walk.folder) || walk.outcomes == MAP_FAILED) {
        perror("walk");
        return 1;
    }
    fill();
    for (const scene *s = scenes; s < scenes + scene_count; s++) {
        if (is_wanted(argv + optind, s->name, NULL)) {
            walk_scene(s, argv + optind);
        }
    }
    remove_folder();
    printf("%ld passed, %ld failed\n", walk.attempts - walk.failures, walk.failures);
    return walk.failures != 0;
}
