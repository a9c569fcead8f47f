/* Starts, kills and reaps child processes, and makes the environment of workers. */
#include "farm/process.h"

#include "base/clock.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/signals.h"
#include "base/text.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Workers do not inherit environment variables that begin with one of these strings. */
static const char *const unwanted[] = {"CUDA_LAUNCH_BLOCKING=",
                                       "CUDA_INJECTION",
                                       "NVTX_INJECTION",
                                       "NV_NSIGHT_INJECTION",
                                       "COMPUTE_PROFILE",
                                       "CUDA_PROFILE",
                                       "CUDA_ENABLE_COREDUMP_ON_",
                                       "CUDA_ENABLE_USER_TRIGGERED_COREDUMP",
                                       "CUDA_ENABLE_CPU_COREDUMP_",
                                       "CUDA_DEVICE_WAITS_ON_EXCEPTION=",
                                       "CUDA_ENABLE_LIGHTWEIGHT_COREDUMP",
                                       "CUDA_MPS_",
                                       "CUDA_DEVICE_MAX_CONNECTIONS="};

/* A worker has only one stream, so one connection to the GPU suffices. With the driver's default of
 * eight connections, making a context takes twice as long. */
static const char *const own[] = {"CUDA_MPS_PIPE_DIRECTORY=/nonexistent/gputune",
                                  "CUDA_DEVICE_MAX_CONNECTIONS=1"};
enum { OWN = sizeof own / sizeof *own };

static bool begins_with(const char *variable, const char *word)
{
    return strncmp(variable, word, strlen(word)) == 0;
}

static gputune_status add_variable(gt_texts *out, const char *variable)
{
    return gt_texts_add(out, variable, strlen(variable));
}

gputune_status gt_process_environment(gt_texts *out, bool measure, const char *device)
{
    for (char **variable = environ; variable && *variable; variable++) {
        bool kept = !(measure && device && begins_with(*variable, "CUDA_VISIBLE_DEVICES="));
        for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++) {
            kept &= !begins_with(*variable, unwanted[i]);
        }
        if (kept) {
            GT_TRY(add_variable(out, *variable));
        }
    }
    for (int i = 0; measure && i < OWN; i++) {
        GT_TRY(add_variable(out, own[i]));
    }
    if (measure && device) {
        char *visible;
        GT_TRY(gt_format(&visible, "CUDA_VISIBLE_DEVICES=%s", device));
        GT_TRY(gt_texts_take(out, visible));
    }
    GT_TRY(gt_array_reserve(out));
    out->items[out->count] = NULL;
    return GPUTUNE_OK;
}

gputune_status gt_process_visible(char **out, int ordinal)
{
    const char *entry = getenv("CUDA_VISIBLE_DEVICES");
    *out = NULL;
    if (!entry) {
        char number[16];
        snprintf(number, sizeof number, "%d", ordinal);
        return gt_strdup(out, number);
    }
    for (int i = 0; i < ordinal; i++) {
        size_t length = strcspn(entry, ",");
        if (!entry[length]) {
            return GPUTUNE_OK;
        }
        entry += length + 1;
    }
    entry += strspn(entry, " ");
    size_t length = strcspn(entry, ", ");
    return length ? gt_strndup(out, entry, length) : GPUTUNE_OK;
}

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

enum { FIRST_DESCRIPTOR = 10 };

int gt_process_lift(int descriptor)
{
    if (descriptor < 0) {
        return -1;
    }
    int high = fcntl(descriptor, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
    int error = errno == EINVAL ? EMFILE : errno; /* EINVAL: the limit of descriptors is too low */
    close(descriptor);
    errno = error;
    return high;
}

static int open_pidfd(pid_t pid)
{
    return gt_process_lift((int)syscall(SYS_pidfd_open, pid, 0));
}

enum { FILES = 5, NOWHERE = -1 /* /dev/null */, CLOSED = -2 };

/* Starts a child. Its descriptors 0, 1, ... are copies of `files`. Returns 0 or an errno. */
static int start_process(pid_t *pid, const char *const *arguments, char *const *environment,
                         const int files[FILES])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = 0;
    posix_spawn_file_actions_init(&actions); /* this and the attribute calls below cannot fail */
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    for (int i = 0; i < FILES && !error; i++) {
        error = files[i] == NOWHERE ? posix_spawn_file_actions_addopen(
                                          &actions, i, "/dev/null", i == 0 ? O_RDONLY : O_WRONLY, 0)
                : files[i] == CLOSED ? posix_spawn_file_actions_addclose(&actions, i)
                                     : posix_spawn_file_actions_adddup2(&actions, files[i], i);
    }
    error = error ? error : posix_spawn_file_actions_addclosefrom_np(&actions, FILES);
    error = error ? error
                  : posix_spawn(pid, arguments[0], &actions, &attributes,
                                (char *const *)(uintptr_t)arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

gputune_status gt_process_spawn(gt_process *out, const char *const *arguments,
                                char *const *environment, int channel)
{
    pid_t pid;
    /* with this pidfd, the child notices the host's end even if a forked child keeps the channel
     * open */
    int host = open_pidfd(getpid());
    bool keeps_error = gt_environment("GPUTUNE_WORKER_STDERR") != NULL;
    const int files[FILES] = {NOWHERE, NOWHERE,
                              keeps_error ? STDERR_FILENO : NOWHERE, [GT_CHILD_CHANNEL] = channel,
                              [GT_CHILD_HOST] = host >= 0 ? host : CLOSED};
    int error = start_process(&pid, arguments, environment, files);
    if (host >= 0) {
        close(host);
    }
    GT_REFUSE(error, GPUTUNE_EWORKER, "cannot start the worker %s: %s", arguments[0],
              strerror(error));
    /* ESRCH: the host program itself has reaped the child already */
    int pidfd = open_pidfd(pid);
    *out = (gt_process){pid, pidfd, pidfd < 0 && errno == ESRCH};
    return GPUTUNE_OK;
}

void gt_process_kill(gt_process *process)
{
    if (process->ended || process->pid <= 0) {
        return;
    }
    if (process->pidfd >= 0) {
        syscall(SYS_pidfd_send_signal, process->pidfd, SIGKILL, NULL, 0);
    } else {
        kill(process->pid, SIGKILL);
    }
}

/* Reaps a process. Uses the pidfd if there is one: if the host program itself has reaped the child,
 * the pid may belong to another process. */
static gt_end reap_process(gt_process *process, int *code, int flags)
{
    siginfo_t info = {0};
    int got;
    do {
        got = process->pidfd >= 0
                  ? waitid((idtype_t)P_PIDFD, (id_t)process->pidfd, &info, WEXITED | flags)
                  : waitid(P_PID, (id_t)process->pid, &info, WEXITED | flags);
    } while (got != 0 && errno == EINTR);
    if (got == 0 && info.si_pid == 0) {
        return GT_END_RUNNING;
    }
    process->ended = true;
    if (process->pidfd >= 0) {
        close(process->pidfd);
    }
    process->pidfd = -1;
    if (got != 0) {
        return GT_END_UNKNOWN;
    }
    *code = info.si_status;
    return info.si_code == CLD_EXITED ? GT_END_EXITED : GT_END_SIGNALED;
}

gt_end gt_process_wait(gt_process *process, int *code, double seconds)
{
    *code = 0;
    if (process->ended || process->pid <= 0) {
        return GT_END_UNKNOWN;
    }
    int64_t start_ns = gt_now_ns();
    for (;;) {
        gt_end end = reap_process(process, code, WNOHANG);
        double left = seconds - gt_seconds_since(start_ns);
        if (end != GT_END_RUNNING || left <= 0) {
            return end;
        }
        const bool has_pidfd = process->pidfd >= 0;
        struct pollfd poller = {process->pidfd, POLLIN, 0};
        poll(&poller, has_pidfd, (int)ceil(fmin(left, has_pidfd ? 1 : 1e-3) * 1e3));
    }
}

static void *reap_children(void *argument)
{
    GT_FREED gt_process *process = argument;
    int code;
    reap_process(process, &code, 0);
    return NULL;
}

/* Prevents dlclose() from unloading this library while the reaping thread runs its code. */
static void pin_library(void)
{
    Dl_info info;
    static const char anchor;
    if (dladdr(&anchor, &info) && info.dli_fname) {
        dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    }
}

static bool start_reaper(gt_process *process)
{
    static pthread_once_t pinned = PTHREAD_ONCE_INIT;
    pthread_once(&pinned, pin_library);
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 128 << 10);
    bool started = gt_thread_start(&thread, &attributes, reap_children, process) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

void gt_process_end(gt_process *process)
{
    int code;
    gt_process_kill(process);
    if (gt_process_wait(process, &code, 0) == GT_END_RUNNING) {
        gt_process *copy = malloc(sizeof *copy);
        if (copy) {
            *copy = *process;
        }
        if (!copy || !start_reaper(copy)) {
            free(copy);
            reap_process(process, &code, 0); /* after SIGKILL, the child ends within milliseconds */
        }
    }
    *process = (gt_process){.pid = 0, .pidfd = -1, .ended = true};
}

gputune_status gt_process_channel(int *host, int *child)
{
    int pair[2];
    GT_REFUSE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0, GPUTUNE_EWORKER,
              "cannot make a channel to a worker: %s", strerror(errno));
    *host = gt_process_lift(pair[0]);
    *child = gt_process_lift(pair[1]);
    if (*host < 0 || *child < 0) {
        gt_fail(GPUTUNE_EWORKER, "cannot make a channel to a worker: %s", strerror(errno));
        close(*host < 0 ? *child : *host);
        return GPUTUNE_EWORKER;
    }
    return GPUTUNE_OK;
}
