/* Goes through the life of an application once for each call that could fail in it: opening a
 * tuner, a miss, a hit, a launch and so on, in a process of its own each time, in which that one
 * call, or it and all later ones, fail. Whatever comes of it, the process must not crash, hang or
 * leak, its buffers must hold what the kernel computes, a failure must have a message, and with
 * nothing failing any more the same tuner, and a new one on the same database, must give a right
 * plan.
 *
 *   walk [-j PROCESSES] [-s STEP] [SCENE[:CALL]...]
 *
 * A CALL is one of failing.h; "driver" stands for the driver's calls, by the emulator; "worker-"
 * before it for the same in the workers, with "nvrtc" as one more. Every number is tried; with -s
 * STEP, those of allocations are 1/STEP larger each time, and those in the workers a quarter. */
#include "failing.h"

#include "base/clock.h"
#include "gpu/driver.h"

#include <gputune.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1000, LIMIT_S = 90, CALL_LIMIT_S = 20, PROCESSES_MAX = 64, TRIES = 3, AGAIN = 100 };

/* ---- the application ------------------------------------------------------------------------- */

static struct {
    const gt_driver *driver;
    CUcontext context;
    CUdeviceptr x, y;
    gputune *tuner;
    gputune_plan *plan;
    char *wisdom;
    char database[128], file[128];
    unsigned called;
} app;

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
static void complain(const char *format, ...)
{
    char line[1024];
    va_list arguments;
    failing_end();
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    dprintf(STDERR_FILENO, "%s\n", line);
    _exit(3);
}

static void cuda(CUresult code, const char *what)
{
    if (code != CUDA_SUCCESS) {
        complain("%s: %d", what, (int)code);
    }
}
#define CU(call) cuda(app.driver->call, #call)

static void need(int status, const char *what)
{
    if (status < 0) {
        complain("%s: %d: %s", what, status, gputune_error());
    }
}

static void make_context(void)
{
    float values[N];
    need(gt_driver_open(&app.driver, "emu:h200"), "the driver");
    CU(DevicePrimaryCtxRetain(&app.context, 0));
    CU(CtxSetCurrent(app.context));
    for (int i = 0; i < N; i++) {
        values[i] = (float)i;
    }
    CU(MemAlloc(&app.x, sizeof values));
    CU(MemAlloc(&app.y, sizeof values));
    CU(MemcpyHtoD(app.x, values, sizeof values));
}

static int open_tuner(void)
{
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    options.driver = "emu:h200";
    options.database = app.database;
    options.compile_workers = 1;
    return gputune_open(&app.tuner, &options);
}

static int plan_with(gputune_plan **out, gputune_effort effort)
{
    static const char *const only[] = {"VEC=1,2", "BLOCK=256", "UNROLL=1"};
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.effort = effort;
    options.only = only;
    options.only_count = sizeof only / sizeof *only;
    options.time_limit_s = CALL_LIMIT_S;
    return tune_kernel(out, app.tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options);
}

static int tune(void)
{
    return plan_with(&app.plan, GPUTUNE_MEASURE);
}

static int look_up(void)
{
    return plan_with(&app.plan, GPUTUNE_CACHED_ONLY);
}

static int launch_with(gputune_plan *plan)
{
    float a = 2;
    size_t n = N;
    return gputune_launch(plan, NULL, GPUTUNE_ARGS(&app.y, &app.x, &a, &n));
}

static int launch(void)
{
    return launch_with(app.plan);
}

static int count_record(void *user, const gputune_record *record)
{
    (void)user;
    app.called += record->kernel != NULL;
    return 0;
}

static int show(void)
{
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.all_trials = true;
    int status = gputune_records(app.tuner, &filter, count_record, NULL);
    if (status >= 0 && app.called < 2) {
        complain("show: only %u records, and no failure", app.called);
    }
    return status;
}

static int export(void)
{
    return gputune_wisdom_save(app.file, NULL, app.tuner, NULL);
}

static int import(void)
{
    gputune_wisdom_options options = GPUTUNE_WISDOM_OPTIONS_INIT;
    options.keep = true;
    return gputune_wisdom_load(NULL, app.tuner, app.file, &options);
}

static int compare(void)
{
    static const char *const configurations[] = {"VEC=1 BLOCK=256 UNROLL=1",
                                                 "VEC=2 BLOCK=256 UNROLL=1"};
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.time_limit_s = CALL_LIMIT_S;
    return gputune_run(app.tuner, "axpy", GPUTUNE_SIZES({"n", N}), configurations, 2, &options,
                       count_record, NULL);
}

static int count_replayed(void *user, const gputune_replayed *replayed)
{
    (void)user;
    app.called += replayed->optimum_ns > 0;
    return 0;
}

static int write_space(void)
{
    FILE *file = fopen(app.file, "w");
    fputs("{\"tune_params_keys\": [\"A\"], \"cache\": {", file);
    for (int i = 1; i <= 12; i++) {
        fprintf(file, "%s\"%d\": {\"A\": %d, \"time\": %d.5, \"times\": [1, 2]}", i > 1 ? ", " : "",
                i, i, 1 + (i - 5) * (i - 5));
    }
    fputs("}}", file);
    return fclose(file);
}

static int replay(void)
{
    gputune_replay_options options = GPUTUNE_REPLAY_OPTIONS_INIT;
    uint32_t evaluations = 4;
    options.evaluations = &evaluations;
    options.evaluation_count = options.seeds = 1;
    return gputune_replay(app.file, &options, count_replayed, NULL);
}

static int close_tuner(void)
{
    gputune_close(app.tuner);
    app.tuner = NULL;
    return 0;
}

static int nothing(void)
{
    return 0;
}

typedef struct scene {
    const char *name;
    bool filled;          /* the database holds a result from before */
    int (*prepare)(void); /* after the tuner was opened, if `opens` is false */
    int (*act)(void);
    bool opens;
    bool works; /* workers take part */
} scene;

static int write_wisdom(void)
{
    int status = export();
    if (status >= 0) {
        close_tuner();
        unlink(app.database);
        status = open_tuner();
    }
    return status;
}

static const scene scenes[] = {
    {"open", true, nothing, open_tuner, true, false},
    {"open-new", false, nothing, open_tuner, true, false},
    {"miss", false, nothing, tune, false, true},
    {"hit", true, nothing, tune, false, false},
    {"look-up", false, nothing, look_up, false, true},
    {"launch", true, look_up, launch, false, false},
    {"show", true, nothing, show, false, false},
    {"compare", true, nothing, compare, false, true},
    {"replay", true, write_space, replay, false, false},
    {"export", true, nothing, export, false, false},
    {"import", true, write_wisdom, import, false, false},
    {"close", true, look_up, close_tuner, false, false},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* ---- what must hold after whatever has failed
 * ---------------------------------------------------- */

static void expect_computed(gputune_plan *plan, const char *when)
{
    float values[N];
    for (int i = 0; i < N; i++) {
        values[i] = 1;
    }
    CU(MemcpyHtoD(app.y, values, sizeof values));
    need(launch_with(plan), when);
    CU(CtxSynchronize());
    CU(MemcpyDtoH(values, app.y, sizeof values));
    for (int i = 0; i < N; i++) {
        if (values[i] != 1 + 2 * (float)i) {
            complain("%s: element %d is %g", when, i, (double)values[i]);
        }
    }
}

static void expect_plan(const char *when)
{
    gputune_plan *plan = NULL;
    need(plan_with(&plan, GPUTUNE_CACHED_ONLY), when);
    expect_computed(plan, when);
    gputune_plan_release(plan);
}

static int is_ok(void *user, int columns, char **values, char **names)
{
    (void)names;
    *(bool *)user = columns == 1 && values[0] && strcmp(values[0], "ok") == 0;
    return 0;
}

static void expect_whole_database(void)
{
    sqlite3 *database;
    bool whole = false;
    if (access(app.database, F_OK)) {
        return;
    }
    if (sqlite3_open_v2(app.database, &database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        sqlite3_exec(database, "PRAGMA integrity_check", is_ok, &whole, NULL) != SQLITE_OK ||
        !whole) {
        complain("the database is not whole: %s", sqlite3_errmsg(database));
    }
    sqlite3_close(database);
}

/* ---- one attempt, in a process of its own
 * ---------------------------------------------------------- */

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
    long processes, step, attempts, failures;
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

/* A kernel that the emulator lacks memory for takes the context along, as on a GPU a fault does. */
static void end_if_context_is_lost(void)
{
    if (app.driver->CtxSynchronize() != CUDA_SUCCESS &&
        strstr(app.driver->EmuLastMessage(), "memory")) {
        _exit(0);
    }
}

static void expect_well(const scene *s, int status)
{
    end_if_context_is_lost();
    bool still_open = app.tuner != NULL;
    if (status < 0 && s->act != close_tuner && !gputune_error()[0]) {
        complain("status %d, and no message", status);
    }
    if (app.plan) {
        expect_computed(app.plan, "the plan");
    }
    if (still_open) {
        expect_plan("afterwards, the same tuner");
    }
    gputune_plan_release(app.plan);
    close_tuner();
    expect_whole_database();
    need(open_tuner(), "afterwards, a new tuner");
    expect_plan("afterwards, a new tuner");
    close_tuner();
}

/* What is made once in a process, and kept, is made here instead of in the scene. */
static void live_before(void)
{
    snprintf(app.database, sizeof app.database, ":memory:");
    make_context();
    need(open_tuner(), "a life before");
    need(tune(), "a life before");
    expect_plan("a life before");
    gputune_plan_release(app.plan);
    app.plan = NULL;
    close_tuner();
    CU(MemFree(app.x));
    CU(MemFree(app.y));
}

/* ---- what fails: in this process, in its driver, or in its workers ------------------------------
 */

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

/* ---- a life -------------------------------------------------------------------------------------
 */

/* Workers are reaped, and threads end, a moment after they were told to. */
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

/* ---- all of them
 * --------------------------------------------------------------------------------- */

/* How much larger a number is than the one before. */
static long step_after(const char *call, long number)
{
    bool worker = is_of_worker(call);
    long step = worker ? 4 : walk.step;
    return 1 + (walk.step && strstr(call, "allocation") ? number / step : 0);
}

/* Every number until the calls end before it. */
static long walk_call(const attempt *like)
{
    attempt a = *like;
    long most = 0;
    int running = 0;
    bool ended = false;
    a.number = 1;
    while (!ended || running) {
        while (!ended && running < walk.processes) {
            int slot = 0;
            while (walk.running[slot].process) {
                slot++;
            }
            begin(slot, a);
            running++;
            a.number += step_after(a.call, a.number);
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
    static const scene filling = {"filling", false, nothing, tune, false, true};
    char path[96];
    begin(0, (attempt){&filling, "none", 0, 0, false, 0, 0});
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
    while ((option = getopt(argc, argv, "j:s:")) != -1) {
        long number = option == '?' ? 0 : strtol(optarg, NULL, 10);
        if (number < 1 || (option == 'j' && number > PROCESSES_MAX)) {
            fprintf(stderr, "usage: walk [-j PROCESSES] [-s STEP] [SCENE[:CALL]...]\n");
            return 2;
        }
        *(option == 'j' ? &walk.processes : &walk.step) = number;
    }
    snprintf(walk.folder, sizeof walk.folder, "/tmp/gputune-walk-XXXXXX");
    walk.outcomes = mmap(NULL, PROCESSES_MAX * sizeof *walk.outcomes, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!mkdtemp(walk.folder) || walk.outcomes == MAP_FAILED) {
        perror("walk");
        return 1;
    }
    fill();
    for (const scene *s = scenes; s < scenes + SCENES; s++) {
        if (is_wanted(argv + optind, s->name, NULL)) {
            walk_scene(s, argv + optind);
        }
    }
    remove_folder();
    printf("%ld passed, %ld failed\n", walk.attempts - walk.failures, walk.failures);
    return walk.failures != 0;
}
