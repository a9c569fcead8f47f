/* Starts and ends child processes without side effects on the host program. A child has its own
 * process group, and inherits no descriptors or signal handlers. The host may reap children itself.
 */
#pragma once

#include "base/array.h"

#include <sys/types.h>

enum {
    GT_CHILD_CHANNEL = 3,
    GT_CHILD_HOST = 4 /* pidfd of the host; closed if the kernel does not support pidfds */
};

typedef struct gt_process {
    pid_t pid;
    int pidfd;  /* -1: no pidfd */
    bool ended; /* true if the process was reaped, or a thread has been started to reap it */
} gt_process;

/* Starts the program arguments[0]; NULL ends the arguments. It has its own process group, because
 * only the host handles interrupts from the terminal. Its standard input, output and error are
 * /dev/null, but with GPUTUNE_WORKER_STDERR it inherits standard error. It gets only the
 * descriptors listed above, and the default signal handlers. The caller still owns `channel`.
 * Returns EWORKER on failure. */
gputune_status gt_process_spawn(gt_process *out, const char *const *arguments,
                                char *const *environment, int channel);

/* Sends SIGKILL to the process, but does not wait for its end. */
void gt_process_kill(gt_process *process);

typedef enum gt_end {
    GT_END_RUNNING,
    GT_END_EXITED,
    GT_END_SIGNALED,
    GT_END_UNKNOWN /* the host program itself has reaped the process */
} gt_end;
/* Waits up to `seconds` for the end of the process, and reaps it. Sets *code to the exit code or
 * the signal. Later calls return GT_END_UNKNOWN. */
gt_end gt_process_wait(gt_process *process, int *code, double seconds);

/* Kills a child without waiting. If it does not end immediately, a detached thread reaps it:
 * freeing the GPU memory of a measure worker takes a tenth of a second. */
void gt_process_end(gt_process *process);

/* Makes the environment of a worker from that of the host, without variables that would distort
 * measurements or break the worker (blocking launches, profilers, GPU core dumps). If `measure` is
 * true, disables MPS too, and makes only `device` visible: a UUID or a result of
 * gt_process_visible(). If `device` is NULL, the worker sees the same devices as the host.
 * out->items ends with NULL. The caller frees *out, even after a failure. */
gputune_status gt_process_environment(gt_texts *out, bool measure, const char *device);
/* Returns the value of CUDA_VISIBLE_DEVICES with which a child sees only the device that has this
 * ordinal in the current process. *out is NULL if CUDA_VISIBLE_DEVICES of this process has no such
 * entry. The caller frees *out. */
gputune_status gt_process_visible(char **out, int ordinal);

/* Moves a descriptor to a number above those of a child, and sets close-on-exec. A low number might
 * be that of a standard stream that the program has closed but still uses. On failure, closes the
 * descriptor, sets errno and returns -1. If `descriptor` is negative, only returns -1. */
int gt_process_lift(int descriptor);
/* Makes a pair of sockets with lifted descriptors. The caller closes them. Returns EWORKER on
 * failure. */
gputune_status gt_process_channel(int *host, int *child);
