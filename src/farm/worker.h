/* The worker's side: the loops that serve requests (compile_worker.c, measure_worker.c), and the
 * way to a compile worker that a command starts (engine.c). */
#ifndef GT_FARM_WORKER_H
#define GT_FARM_WORKER_H

#include "base/status.h"

#include <stdint.h>

/* Memory shared by host and measure worker: what is in hand, readable after the worker's death. */
typedef struct gt_page {
    volatile uint64_t sequence; /* of the request in hand, 0: none */
    volatile uint64_t current;  /* the variant in hand, or GT_NO_VARIANT */
    volatile uint32_t trying;   /* the worker runs the reference on the trial's data */
    volatile uint32_t plain;    /* written by the host: it shall not, as that has ended a worker */
} gt_page;
#define GT_PAGE_READ(member)         __atomic_load_n(&(member), __ATOMIC_ACQUIRE)
#define GT_PAGE_WRITE(member, value) __atomic_store_n(&(member), value, __ATOMIC_RELEASE)

/* Sends the frame that every worker begins with. */
gputune_status gt_say_hello(int channel);

/* Serves compile jobs that come from `in` until it ends, one at a time, and answers to `out`. Warms
 * the compiler up for `arch` first, unless a job is waiting already (NULL: sm_90). `driver_version`
 * as gt_nvrtc_open() takes it; without a compiler every job is answered ENOCOMPILER. Returns an
 * exit code. */
int gt_compile_worker(int in, int out, const char *arch, int driver_version);

/* Runs a command of the shell, behind which the words of `worker` start a compile worker on its
 * standard input and output, and passes on what that and the host (GT_CHILD_CHANNEL) say. Where no
 * worker says hello, it answers READY with the reason. The
 * caller ignores SIGPIPE. Returns the command's exit code. */
int gt_engine(const char *command, char *const *worker);
/* Ends the command of gt_engine(), and the process. Any thread. */
void gt_engine_end(void);

/* Says hello, opens the device, says which DEVICE it is, makes the context, says READY, then serves
 * measure requests on `channel` in order until it ends or a fatal CUDA error was answered. `page`
 * is kept up to date. Closes the measure state before it returns only when `close_device` (a thread
 * must, a process need not). Returns an exit code. */
int gt_measure_worker(int channel, gt_page *page, const char *driver, int ordinal,
                      bool close_device);

enum { GT_EXIT_DONE = 0, GT_EXIT_CHANNEL = 3, GT_EXIT_DEVICE = 4 };

#endif
