/* Runs scenes of an application, such as opening a tuner, a hit or a launch, once for each call
 * that could fail. Each attempt has its own process, in which that call fails, or that call and all
 * later calls. The process must not crash, hang or leak. Its buffers must hold correct results, and
 * a failed call must set a message. Afterwards the same tuner, and a new tuner on the same
 * database, must return a correct plan.
 *
 *   walk [-j PROCESSES] [-s STEP | -n NUMBER] [SCENE[:CALL]...]
 *
 * A CALL is a name of failing.h, or "driver" (any driver call, through the emulator). With the
 * prefix "worker-" the call fails in the workers; "worker-nvrtc" exists, too. Every number is
 * tried; with -s STEP, each number is 1/STEP larger than the previous one; with -n, only NUMBER. */
#include "attempt.h"
#include "failing.h"

#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Limits a worker's memory, because a compiler that gets no memory may request more and more. */
#define WORKER_MB "1024"
enum { PROCESSES_MAX = 64, SCENES_MAX = 16 };

/* Attempts in which the first call of a kind fails, then a later one, and so on, until the number
 * exceeds the calls of the scene. */
typedef struct series {
    attempt like; /* the next attempt */
    long most;
    int running;
    bool ended;
} series;

typedef struct slot {
    attempt attempt;
    size_t series;
    pid_t process; /* process ID; 0 if the slot is free */
} slot;

typedef struct tally {
    outcome usual[2]; /* outcomes without a failure: in a new process, and after live_before() */
    size_t open;
    long attempts, failures;
    int64_t began_ns;
} tally;

static struct {
    outcome *outcomes; /* memory that all processes share */
    slot slots[PROCESSES_MAX];
    series *series;
    size_t count;
    tally scenes[SCENES_MAX];
    long processes, step, only, attempts, failures;
} walk = {.processes = 2};

static tally *tally_of(const attempt *a)
{
    return &walk.scenes[a->scene - scenes];
}

static void begin(int at, const attempt *a, size_t of)
{
    char path[96];
    attempt_path(path, sizeof path, at, "log");
    memset(&walk.outcomes[at], 0, sizeof walk.outcomes[at]);
    fflush(stdout);
    pid_t process = fork();
    if (process == 0) {
        int log = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(log, STDERR_FILENO);
        close(log);
        attempt_live(a, at, &walk.outcomes[at], tally_of(a)->usual);
    }
    walk.slots[at] = (slot){*a, of, process};
}

static void print_log(int at)
{
    char line[512];
    attempt_path(line, sizeof line, at, "log");
    FILE *log = fopen(line, "r");
    while (log && fgets(line, sizeof line, log)) {
        printf("    | %s", line);
    }
    if (log) {
        fclose(log);
    }
}

static void report_failure(int at, int status)
{
    const attempt *a = &walk.slots[at].attempt;
    walk.failures++;
    tally_of(a)->failures++;
    printf("FAILED: %s: %s %ld (%s, code %d): %s %d\n", a->scene->name, a->call, a->number,
           a->always ? "always" : "once", a->code, WIFSIGNALED(status) ? "signal" : "exit",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    print_log(at);
}

/* Waits for one process. Returns its slot; -1 if the attempt is repeated. */
static int end_one(void)
{
    int status, at = 0;
    pid_t ended;
    do {
        ended = waitpid(-1, &status, 0);
    } while (ended < 0 && errno == EINTR);
    while (walk.slots[at].process != ended) {
        at++;
    }
    slot *s = &walk.slots[at];
    if (WIFEXITED(status) && WEXITSTATUS(status) == ATTEMPT_AGAIN) {
        attempt again = s->attempt;
        again.again++;
        begin(at, &again, s->series);
        return -1;
    }
    walk.attempts++;
    tally_of(&s->attempt)->attempts++;
    if (status != 0) {
        report_failure(at, status);
    }
    s->process = 0;
    return at;
}

static void add_series(attempt like)
{
    series *more = realloc(walk.series, (walk.count + 1) * sizeof *more);
    if (!more) {
        complain("no memory");
    }
    like.number = walk.only ? walk.only : 1;
    more[walk.count++] = (series){.like = like};
    walk.series = more;
    tally_of(&like)->open++;
}

/* Adds the series that comes after `like`. If only one call failed in `like`, all later calls fail,
 * too, in the new series. A call of the driver fails with another code instead: first "out of
 * memory", and then, in a worker, a code that destroys the context. */
static void add_next(attempt like)
{
    if (!is_of_driver(like.call)) {
        if (!like.always) {
            like.always = true;
            add_series(like);
        }
    } else if (like.code == CUDA_ERROR_UNKNOWN) {
        like.code = CUDA_ERROR_OUT_OF_MEMORY;
        add_series(like);
    } else if (like.code == CUDA_ERROR_OUT_OF_MEMORY && is_of_worker(like.call)) {
        like.code = CUDA_ERROR_ILLEGAL_ADDRESS;
        add_series(like);
    }
}

static void describe_scene(const scene *s, const tally *t)
{
    printf("  %s: %ld attempts, %ld findings, %.0f s\n", s->name, t->attempts, t->failures,
           gt_seconds_since(t->began_ns));
}

static void end_series(size_t at)
{
    const attempt like = walk.series[at].like;
    const long most = walk.series[at].most;
    bool first = !like.always && (!like.code || like.code == CUDA_ERROR_UNKNOWN);
    tally *t = tally_of(&like);
    if (most && first) {
        printf("  %s: %s up to the %ldth\n", like.scene->name, like.call, most);
    }
    if (most) {
        add_next(like);
    }
    if (--t->open == 0) {
        describe_scene(like.scene, t);
    }
}

/* Returns the unfinished series with the fewest running attempts. If many attempts of one series
 * ran at the same time, more of them would be beyond the last call and wasted. */
static series *next_series(void)
{
    series *next = NULL;
    for (size_t i = 0; i < walk.count; i++) {
        series *s = &walk.series[i];
        if (!s->ended && (!next || s->running < next->running)) {
            next = s;
        }
    }
    return next;
}

static bool begin_next(void)
{
    series *next = next_series();
    int at = 0;
    while (at < walk.processes && walk.slots[at].process) {
        at++;
    }
    if (!next || at == walk.processes) {
        return false;
    }
    tally *t = tally_of(&next->like);
    t->began_ns = t->began_ns ? t->began_ns : gt_now_ns();
    next->running++;
    next->ended = walk.only != 0;
    begin(at, &next->like, (size_t)(next - walk.series));
    next->like.number += 1 + (walk.step ? next->like.number / walk.step : 0);
    return true;
}

static void walk_all(void)
{
    for (;;) {
        while (begin_next()) {
        }
        bool busy = false;
        for (int i = 0; i < walk.processes; i++) {
            busy |= walk.slots[i].process != 0;
        }
        if (!busy) {
            return;
        }
        int at = end_one();
        if (at < 0) {
            continue;
        }
        const slot *done = &walk.slots[at];
        series *s = &walk.series[done->series];
        long calls = walk.outcomes[at].calls;
        s->most = calls > s->most ? calls : s->most;
        s->ended = s->ended || calls < done->attempt.number;
        if (--s->running == 0 && s->ended) {
            end_series(done->series);
        }
    }
}

static bool learn_usual(const scene *s)
{
    tally *t = &walk.scenes[s - scenes];
    for (int again = 0; again < 2; again++) {
        begin(0, &(attempt){.scene = s, .call = "none", .again = again}, 0);
        end_one();
        t->usual[again] = walk.outcomes[0];
    }
    return t->usual[1].descriptors != 0;
}

/* Returns true if an argument selects the scene and call, or if there are no arguments. */
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

static void add_calls(const scene *s, const char *prefix, const char *const *calls, size_t count,
                      char *const *words)
{
    for (size_t i = 0; i < count; i++) {
        attempt a = {.scene = s};
        snprintf(a.call, sizeof a.call, "%s%s", prefix, calls[i]);
        if (is_wanted(words, s->name, a.call)) {
            add_series(a);
        }
    }
}

static void add_driver(const scene *s, const char *prefix, char *const *words)
{
    static const char *const names[] = {
#define X(member, symbol, version, required, parameters) #symbol,
        GT_DRIVER_LIST(X)
#undef X
    };
    char all[32];
    snprintf(all, sizeof all, "%sdriver", prefix);
    for (size_t i = 0; is_wanted(words, s->name, all) && i < sizeof names / sizeof *names; i++) {
        attempt a = {.scene = s, .code = CUDA_ERROR_UNKNOWN};
        snprintf(a.call, sizeof a.call, "%s%s", prefix, names[i]);
        add_series(a);
    }
}

static void add_scene(const scene *s, char *const *words)
{
    static const char *const calls[] = {FAILING_CALLS}, *const nvrtc[] = {"nvrtc"};
    enum { CALLS = sizeof calls / sizeof *calls };
    if (!learn_usual(s)) {
        return;
    }
    add_calls(s, "", calls, CALLS, words);
    if (!s->opens) {
        add_driver(s, "", words);
    }
    if (s->works) {
        add_calls(s, "worker-", calls, CALLS, words);
        add_calls(s, "worker-", nvrtc, 1, words);
        add_driver(s, "worker-", words);
    }
}

static void fill(void)
{
    const scene *miss = scenes;
    while (strcmp(miss->name, "miss") != 0) {
        miss++;
    }
    char from[96], path[96];
    begin(0, &(attempt){.scene = miss, .call = "none"}, 0);
    end_one();
    attempt_place(1, NULL);
    snprintf(from, sizeof from, "%s/0.db", attempt_folder);
    snprintf(path, sizeof path, "%s/filled.db", attempt_folder);
    copy_file(path, from);
}

static void remove_folder(void)
{
    DIR *open = opendir(attempt_folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        char path[384];
        snprintf(path, sizeof path, "%s/%s", attempt_folder, entry->d_name);
        unlink(path);
    }
    if (open) {
        closedir(open);
    }
    rmdir(attempt_folder);
}

int main(int argc, char **argv)
{
    int option;
    int64_t began = gt_now_ns();
    while ((option = getopt(argc, argv, "j:s:n:")) != -1) {
        long number = option == '?' ? 0 : strtol(optarg, NULL, 10);
        if (number < 1 || (option == 'j' && number > PROCESSES_MAX)) {
            fprintf(stderr, "usage: walk [-j PROCESSES] [-s STEP | -n NUMBER] [SCENE[:CALL]...]\n");
            return 2;
        }
        *(option == 'j' ? &walk.processes : option == 's' ? &walk.step : &walk.only) = number;
    }
    snprintf(attempt_folder, sizeof attempt_folder, "/tmp/gputune-walk-XXXXXX");
    setenv("GPUTUNE_COMPILE_MEMORY", WORKER_MB, 0);
    walk.outcomes = mmap(NULL, PROCESSES_MAX * sizeof *walk.outcomes, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!mkdtemp(attempt_folder) || walk.outcomes == MAP_FAILED) {
        perror("walk");
        return 1;
    }
    fill();
    for (const scene *s = scenes; s < scenes + scene_count; s++) {
        if (is_wanted(argv + optind, s->name, NULL)) {
            add_scene(s, argv + optind);
        }
    }
    walk_all();
    remove_folder();
    printf("%ld attempts, %ld findings, %.0f s\n", walk.attempts, walk.failures,
           gt_seconds_since(began));
    free(walk.series);
    return walk.failures != 0;
}
