/* Starts and ends child processes so that the host program does not notice them. A child inherits
 * no descriptor, signal state or process group; no SIGCHLD handler is installed; and no harm is
 * done if the host program reaps a child first. */
#pragma once

#include "base/array.h"

#include <sys/types.h>

/* The descriptors of a child. */
enum {
    GT_CHILD_CHANNEL = 3, /* the child's end of the channel */
    GT_CHILD_HOST = 4     /* a pidfd of the host; not open where the kernel has none */
};

typedef struct gt_process {
    pid_t pid;
    int pidfd;  /* -1 where the kernel has none */
    bool ended; /* the process was reaped, or is left to another thread */
} gt_process;

/* Starts the program arguments[0] with posix_spawn: standard input and output on /dev/null
 * (standard error too, unless GPUTUNE_WORKER_STDERR is set), the descriptors above, all others
 * closed, empty signal mask, default dispositions, a process group of its own (an interrupt typed
 * at the terminal is the host's to handle). `channel` is duplicated; the caller still closes
 * it. `arguments` ends with NULL. EWORKER. */
gputune_status gt_process_spawn(gt_process *out, const char *const *arguments,
                                char *const *environment, int channel);

/* Sends SIGKILL to a process that still runs. Does not wait for its end. */
void gt_process_kill(gt_process *process);

typedef enum gt_end {
    GT_END_RUNNING,
    GT_END_EXITED,
    GT_END_SIGNALED,
    GT_END_UNKNOWN /* the host reaped it first */
} gt_end;
/* Waits up to `seconds` for the process to end, and reaps it. *code is the exit code or the signal.
 * Calls after the end return GT_END_UNKNOWN. */
gt_end gt_process_wait(gt_process *process, int *code, double seconds);

/* Leaves a killed child to a detached thread, which reaps it; the caller does not wait. */
void gt_process_abandon(gt_process *process);

/* Makes a worker's environment: the host's, without the variables that would falsify measurements
 * or break the worker (blocking launches, profiler injection, core dumps of the GPU). With
 * `measure`, the worker also does without MPS, has one connection to the GPU, and sees only
 * `device` (a UUID, or a result of gt_process_visible(); NULL: all devices). A NULL follows
 * out->items. gt_texts_free() releases *out, which must be empty, whatever the status. */
gputune_status gt_process_environment(gt_texts *out, bool measure, const char *device);
/* Gets the CUDA_VISIBLE_DEVICES with which a child sees only the `ordinal`th device that this
 * process sees: an entry of the process's own variable, or the number if it is not set. The caller
 * frees *out; NULL if the variable has no such entry. */
gputune_status gt_process_visible(char **out, int ordinal);

/* Moves a descriptor above those of a child, close-on-exec. False, with errno: it stays as it was.
 */
bool gt_process_lift(int *descriptor);
/* Makes a channel: a socketpair. Both descriptors are close-on-exec, and above 9, so that they are
 * out of the way of the child's. The caller closes both. EWORKER. */
gputune_status gt_process_channel(int *host, int *child);
