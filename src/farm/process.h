/* Starts and ends child processes so the host program does not notice. A child inherits no
 * descriptors, signal handling or process group. The host program may reap a child first. */
#pragma once

#include "base/array.h"

#include <sys/types.h>

enum {
    GT_CHILD_CHANNEL = 3,
    GT_CHILD_HOST = 4 /* a pidfd of the host; closed if the kernel has none */
};

typedef struct gt_process {
    pid_t pid;
    int pidfd;  /* -1: the kernel has none */
    bool ended; /* true if the process was reaped, or another thread reaps it */
} gt_process;

/* Starts arguments[0] in its own process group, because the host handles interrupts from the
 * terminal. Standard input and output are /dev/null, also standard error unless
 * GPUTUNE_WORKER_STDERR is set. Only the descriptors above are open, and signals have default
 * handlers. The caller still closes `channel`. NULL ends `arguments`. EWORKER. */
gputune_status gt_process_spawn(gt_process *out, const char *const *arguments,
                                char *const *environment, int channel);

/* Sends SIGKILL, without waiting for the process to end. */
void gt_process_kill(gt_process *process);

typedef enum gt_end {
    GT_END_RUNNING,
    GT_END_EXITED,
    GT_END_SIGNALED,
    GT_END_UNKNOWN /* the host reaped it first */
} gt_end;
/* Waits up to `seconds` for the process to end, and reaps it. *code is the exit code or the signal.
 * Later calls return GT_END_UNKNOWN. */
gt_end gt_process_wait(gt_process *process, int *code, double seconds);

/* Lets a detached thread reap a killed child, so the caller need not wait. */
void gt_process_abandon(gt_process *process);

/* Makes a worker's environment: the host's, without variables that would distort measurements or
 * break the worker (blocking launches, profilers, core dumps of the GPU). With `measure`, also
 * without MPS, and with only `device` visible: a UUID, a result of gt_process_visible(), or NULL
 * for all devices. A NULL follows out->items. Free *out even after a failure. */
gputune_status gt_process_environment(gt_texts *out, bool measure, const char *device);
/* Gets a value of CUDA_VISIBLE_DEVICES for which a child sees only the `ordinal`th device of this
 * process, or NULL if this process's own variable has no such entry. The caller frees *out. */
gputune_status gt_process_visible(char **out, int ordinal);

/* Moves a descriptor above those of a child, and sets close-on-exec. Returns false and sets errno
 * on failure. */
bool gt_process_lift(int *descriptor);
/* Makes a pair of connected sockets, which the caller closes. Both are close-on-exec and above the
 * descriptors of a child. EWORKER. */
gputune_status gt_process_channel(int *host, int *child);
