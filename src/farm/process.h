/* Starts and ends child processes without effects on the host program. A child does not inherit
 * descriptors, signal handling or the process group. The host program may reap children itself. */
#pragma once

#include "base/array.h"

#include <sys/types.h>

enum {
    GT_CHILD_CHANNEL = 3,
    GT_CHILD_HOST = 4 /* pidfd of the host; closed if the kernel has no pidfds */
};

typedef struct gt_process {
    pid_t pid;
    int pidfd;  /* -1: no pidfd */
    bool ended; /* true if the process was reaped, or if a thread will reap it */
} gt_process;

/* Starts arguments[0] in its own process group, because only the host handles interrupts from the
 * terminal. `arguments` end with NULL. Standard input, output and error are /dev/null, unless
 * GPUTUNE_WORKER_STDERR is set, which keeps standard error. The child has only these and the
 * descriptors above, and default signal handlers. The caller still owns `channel`. EWORKER. */
gputune_status gt_process_spawn(gt_process *out, const char *const *arguments,
                                char *const *environment, int channel);

/* Sends SIGKILL without waiting. */
void gt_process_kill(gt_process *process);

typedef enum gt_end {
    GT_END_RUNNING,
    GT_END_EXITED,
    GT_END_SIGNALED,
    GT_END_UNKNOWN /* the host program has reaped the process */
} gt_end;
/* Waits up to `seconds` for the process and reaps it. *code is the exit code or signal. Later calls
 * return GT_END_UNKNOWN. */
gt_end gt_process_wait(gt_process *process, int *code, double seconds);

/* Kills a child without waiting. If it does not end at once, a detached thread reaps it, because a
 * measure worker needs a tenth of a second to free its memory of the GPU. */
void gt_process_end(gt_process *process);

/* Makes a worker's environment: the host's environment without variables that distort measurements
 * or break the worker (blocking launches, profilers, GPU core dumps). With `measure`, also disables
 * MPS, and makes only `device` visible: a UUID, a result of gt_process_visible(), or NULL for all
 * devices. out->items end with NULL. The caller frees *out, even after a failure. */
gputune_status gt_process_environment(gt_texts *out, bool measure, const char *device);
/* Gets a value of CUDA_VISIBLE_DEVICES with which a child sees only the device `ordinal` of this
 * process. NULL if the variable of this process has no such entry. The caller frees *out. */
gputune_status gt_process_visible(char **out, int ordinal);

/* Makes a pair of sockets, numbered above the descriptors of a child. The caller closes them.
 * EWORKER. */
gputune_status gt_process_channel(int *host, int *child);
