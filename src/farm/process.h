/* Child processes that leave no trace in their host: no inherited descriptor, signal state or
 * process group, no SIGCHLD handler, and no harm if the host reaps them first. */
#pragma once

#include "base/status.h"

#include <sys/types.h>

enum {
    GT_CHILD_CHANNEL = 3, /* the child's end of the channel */
    GT_CHILD_HOST = 4,    /* a pidfd of the host; not open where the kernel has none */
    GT_CHILD_PAGE = 5,    /* memory shared with the host */
};

typedef struct gt_process {
    pid_t pid;
    int pidfd; /* -1 where the kernel has none */
    bool ended;
} gt_process;

typedef struct gt_spawn {
    const char *path;
    const char *const *arguments; /* NULL-terminated, without the program's name */
    char *const *environment;
    int channel, page; /* become descriptors above (page -1: none); the caller closes its own */
} gt_spawn;

/* Starts a child with posix_spawn: standard input and output on /dev/null (standard error too,
 * unless GPUTUNE_WORKER_STDERR is set), the descriptors above, all others closed, empty signal
 * mask, default dispositions, a process group of its own (an interrupt typed at the terminal is the
 * host's to handle). EWORKER. */
gputune_status gt_process_spawn(gt_process *out, const gt_spawn *spawn);

/* SIGKILL, if it still runs. */
void gt_process_kill(gt_process *process);

typedef enum gt_end {
    GT_END_RUNNING,
    GT_END_EXITED,
    GT_END_SIGNALED,
    GT_END_UNKNOWN /* the host reaped it first */
} gt_end;
/* Waits up to `seconds` for the end and reaps. *code: exit code or signal. Later calls say UNKNOWN.
 */
gt_end gt_process_wait(gt_process *process, int *code, double seconds);

/* Leaves a killed child to a detached thread, which reaps it. */
void gt_process_abandon(gt_process *process);

/* The host's environment without what would falsify or break a worker (blocking launches, profiler
 * injection, core dumps of the GPU), and for `measure` away from MPS and with only `device` visible
 * (a UUID, or what gt_process_visible() gives; NULL: all). NULL-terminated, one allocation; caller
 * frees *out. */
gputune_status gt_process_environment(char ***out, bool measure, const char *device);
/* What CUDA_VISIBLE_DEVICES must be for the `ordinal`th device that is visible to this process to
 * be the only one: an entry of its own CUDA_VISIBLE_DEVICES, else the number. *out is the caller's
 * to free; NULL where no such entry is there. */
gputune_status gt_process_visible(char **out, int ordinal);

/* A socketpair with both ends close-on-exec and above 9, out of the way of the child's descriptors.
 */
gputune_status gt_process_channel(int *host, int *child);
