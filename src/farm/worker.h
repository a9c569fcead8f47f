/* The worker's side: the loops that serve requests (compile_worker.c, measure_worker.c), and the
 * way to a worker that a command starts (engine.c). */
#pragma once

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* What the measure worker has in hand, readable after its death: memory that host and worker share.
 * Where a command starts the worker, each has a page of its own, and frames tell the host. */
typedef struct gt_page {
    volatile uint64_t sequence; /* of the request in hand, 0: none */
    volatile uint64_t current;  /* the variant in hand, or GT_NO_VARIANT */
    volatile uint32_t trying;   /* the worker runs the reference on the trial's data */
    volatile uint32_t plain;    /* written by the host: it shall not, as that has ended a worker */
    int channel;                /* where frames go; 0: the page is shared */
} gt_page;
#define GT_PAGE_READ(member)         __atomic_load_n(&(member), __ATOMIC_ACQUIRE)
#define GT_PAGE_WRITE(member, value) __atomic_store_n(&(member), value, __ATOMIC_RELEASE)

/* Notes the variant that the worker is at, or GT_NO_VARIANT, and tells the host, before the GPU is
 * used for it. */
void gt_page_at(gt_page *page, uint64_t variant);

/* Sends the frame that every worker begins with. */
gputune_status gt_say_hello(int channel);

/* Serves compile jobs that come from `in` until it ends, one at a time, and answers to `out`. Warms
 * the compiler up for `arch` first, unless a job is waiting already (NULL: sm_90). `driver_version`
 * as gt_nvrtc_open() takes it; without a compiler every job is answered ENOCOMPILER. Returns an
 * exit code. */
int gt_compile_worker(int in, int out, const char *arch, int driver_version);

/* Runs a command of the shell, behind which the words of `worker` start a worker on its
 * standard input and output, and passes on what that and the host (GT_CHILD_CHANNEL) say. Where no
 * worker says hello, it answers READY with the reason. The
 * caller ignores SIGPIPE. Returns the command's exit code. */
int gt_engine(const char *command, char *const *worker);
/* Ends the command of gt_engine(), and the process. Any thread. */
void gt_engine_end(void);

/* Says hello, opens the device, says which DEVICE it is, makes the context, says READY, then serves
 * measure requests from `in` in order, and answers to `out`, until `in` ends or a fatal CUDA error
 * was answered. `page` is kept up to date. Closes the measure state before it returns only when
 * `close_device` (a thread must, a process need not). Returns an exit code. */
int gt_measure_worker(int in, int out, gt_page *page, const char *driver, int ordinal,
                      bool close_device);

enum { GT_EXIT_DONE = 0, GT_EXIT_CHANNEL = 3, GT_EXIT_DEVICE = 4 };
