/* The process between the host and a worker that a command starts (ssh, srun, mpirun, sh). It runs
 * the command in a session of its own, passes bytes between the command and the host, and ends the
 * command with the host. What the command prints before a worker's hello is kept out of the
 * channel; it is the reason that the host is told if no worker answers. */
#include "farm/process.h"
#include "farm/wire.h"
#include "farm/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 16, GRACE_MS = 2000, STEP_MS = 20, ARGUMENTS_MAX = 32 };

extern char **environ;

/* The last line of a stream that is not empty. */
typedef struct last_line {
    char text[256], next[256]; /* the last whole line; the line that has begun */
} last_line;

static struct {
    pid_t child;
    int in, out, error; /* this process's ends of the child's pipes */
    last_line errors;
    pthread_mutex_t mutex; /* of `errors` */
    pthread_mutex_t end;   /* held while the command starts, and to end the process */
} engine = {.mutex = PTHREAD_MUTEX_INITIALIZER, .end = PTHREAD_MUTEX_INITIALIZER};

static void add_text(last_line *line, const char *text, size_t bytes)
{
    size_t length = strlen(line->next);
    for (size_t i = 0; i < bytes; i++) {
        bool ends = text[i] == '\n' || text[i] == '\r';
        if (ends && length) {
            memcpy(line->text, line->next, sizeof line->text);
            length = 0;
        } else if (!ends && text[i] && length + 1 < sizeof line->next) {
            line->next[length++] = text[i];
        }
        line->next[length] = '\0';
    }
}

static const char *last_of(const last_line *line)
{
    return line->next[0] ? line->next : line->text;
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool make_pipe(int *own, int *childs, bool is_input)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    *own = ends[is_input];
    *childs = ends[!is_input];
    return true;
}

/* sh -c 'COMMAND "$@"' gputune WORKER ARGUMENTS... */
static bool start(const char *command, char *const *worker)
{
    static char text[1 << 16];
    const char *arguments[ARGUMENTS_MAX] = {"/bin/sh", "-c", text, "gputune"};
    gt_child_files files = {.count = 3};
    int *ends = files.items;
    snprintf(text, sizeof text, "%s \"$@\"", command);
    for (size_t i = 0; worker[i] && i + 5 < ARGUMENTS_MAX; i++) {
        arguments[i + 4] = worker[i];
    }
    /* a session without a terminal, at which ssh would ask for a password */
    if (!make_pipe(&engine.in, &ends[0], true) || !make_pipe(&engine.out, &ends[1], false) ||
        !make_pipe(&engine.error, &ends[2], false) ||
        gt_process_start(&engine.child, arguments, environ, &files, POSIX_SPAWN_SETSID) != 0) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        close(ends[i]);
    }
    return true;
}

/* Whether no process of the command is left. Reaps them; *status is the command's own. */
static bool is_gone(int *status)
{
    int ended;
    pid_t pid;
    while ((pid = waitpid(-engine.child, &ended, WNOHANG)) > 0) {
        *status = pid == engine.child ? ended : *status;
    }
    return kill(-engine.child, 0) != 0;
}

/* Ends what is left of the command: politely first, since srun and mpirun then end their tasks.
 * Returns its exit code. */
static int end_command(void)
{
    int status = 0;
    kill(-engine.child, SIGTERM);
    for (int left_ms = GRACE_MS; !is_gone(&status) && left_ms > -GRACE_MS; left_ms -= STEP_MS) {
        if (left_ms <= 0) {
            kill(-engine.child, SIGKILL);
        }
        usleep(STEP_MS * 1000);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The host may be gone while the command starts: it runs before its number is known here. */
void gt_engine_end(void)
{
    pthread_mutex_lock(&engine.end);
    if (engine.child > 0) {
        end_command();
    }
    _exit(GT_EXIT_DONE);
}

/* ---- passing on ------------------------------------------------------------------------------ */

static ssize_t read_some(int descriptor, char *data, size_t bytes)
{
    ssize_t got;
    do {
        got = read(descriptor, data, bytes);
    } while (got < 0 && errno == EINTR);
    return got;
}

/* Passes on what comes, until one of both ends. */
static void pass(int from, int to)
{
    char data[CHUNK_BYTES];
    ssize_t got;
    while ((got = read_some(from, data, sizeof data)) > 0 &&
           gt_send_all(to, data, (size_t)got) == GPUTUNE_OK) {
    }
}

/* From the host to the command, which hears the end of it. */
static void *pass_requests(void *unused)
{
    (void)unused;
    pass(GT_CHILD_CHANNEL, engine.in);
    close(engine.in);
    return NULL;
}

static void *read_errors(void *unused)
{
    static char data[4096];
    ssize_t got;
    (void)unused;
    while ((got = read_some(engine.error, data, sizeof data)) > 0) {
        (void)!write(STDERR_FILENO, data, (size_t)got);
        pthread_mutex_lock(&engine.mutex);
        add_text(&engine.errors, data, (size_t)got);
        pthread_mutex_unlock(&engine.mutex);
    }
    return NULL;
}

/* Passes on what comes behind a banner. False: no worker speaks; *said is what was printed. */
static bool pass_hello(last_line *said)
{
    static char data[CHUNK_BYTES];
    size_t have = 0;
    ssize_t got;
    while (have < sizeof data &&
           (got = read_some(engine.out, data + have, sizeof data - have)) > 0) {
        have += (size_t)got;
        size_t begin = gt_frame_find_hello(data, have);
        if (begin < have) {
            return gt_send_all(GT_CHILD_CHANNEL, data + begin, have - begin) == GPUTUNE_OK;
        }
    }
    add_text(said, data, have);
    return false;
}

static void say_problem(const char *said, int code)
{
    gt_answer answer = {.status = GPUTUNE_EWORKER};
    snprintf(answer.message, sizeof answer.message, "no worker answers there: %s (exit code %d)",
             said[0] ? said : "nothing was said", code);
    (void)gt_frame_send(GT_CHILD_CHANNEL, GT_FRAME_READY, 0, &answer, NULL);
}

int gt_engine(const char *command, char *const *worker)
{
    pthread_t requests, errors;
    last_line said = {"", ""};
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* a container's first process may reap late, or never */
    pthread_mutex_lock(&engine.end);
    bool started = start(command, worker);
    pthread_mutex_unlock(&engine.end);
    if (!started || pthread_create(&requests, NULL, pass_requests, NULL) != 0 ||
        pthread_create(&errors, NULL, read_errors, NULL) != 0) {
        say_problem(strerror(errno), GT_EXIT_CHANNEL);
        gt_engine_end();
    }
    pthread_detach(requests); /* which may wait for as long as this process lives */
    bool answers = pass_hello(&said);
    if (answers) {
        pthread_detach(errors);
        pass(engine.out, GT_CHILD_CHANNEL);
    }
    pthread_mutex_lock(&engine.end);
    int code = end_command();
    if (!answers) {
        pthread_join(errors, NULL);
        const char *error = last_of(&engine.errors);
        say_problem(error[0] ? error : last_of(&said), code);
    }
    return code;
}
