/* Calls of the application inside a tuner: each public function begins one and ends it, so that
 * gputune_close() knows when it may free what the calls use. Calls that find their plan in the
 * table are not counted, because counting costs more than they do (plan_table.c). */
#pragma once

#include "base/signals.h"
#include "base/status.h"

#include <gputune_tools.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

/* The calls of one tuner. */
typedef struct gt_calls {
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    unsigned inside;
    volatile int closing; /* cancels every call when not 0; read and written atomically */
    pid_t owner;          /* the process that opened the tuner */
} gt_calls;

/* One call, zero until it begins; GT_SCOPED(gt_call_end) before what is freed within it. */
typedef struct gt_call {
    gt_calls *calls;       /* NULL: the call has not begun */
    struct gt_call *outer; /* the call of this thread in whose callback this call was made */
    gt_held_signal held;
} gt_call;

void gt_calls_open(gt_calls *calls);
/* No call may be inside, and none may begin later. */
void gt_calls_free(gt_calls *calls);

/* EINVAL where a pointer that a public function needs is NULL; `what` says which. */
static inline gputune_status gt_need(const char *function, const char *what, const void *pointer)
{
    return pointer ? GPUTUNE_OK : gt_fail(GPUTUNE_EINVAL, "%s: %s is NULL", function, what);
}
/* The same for a callback that a public function needs, and that is `given` or NULL. */
#define gt_need_callback(function, given)                                                          \
    gt_need(function, "the function to call", (given) ? (function) : NULL)

/* The status of a call of the driver in the application's process. Where an illegal address has
 * ended its context, that was no variant's doing (ECRASHED): ECUDA. The message stays. */
static inline gputune_status gt_application_status(gputune_status status)
{
    return status == GPUTUNE_ECRASHED ? GPUTUNE_ECUDA : status;
}

/* Returns true if the tuner has been closed, or is about to be. */
bool gt_calls_closing(const gt_calls *calls);

/* Begins a call of the public function of that name. Until the call ends, writing a file that is
 * too large fails instead of ending the process, and pthread_cancel() does not end the thread.
 * EINVAL when the tuner is closed; EUNSUPPORTED in a forked child, which has neither the workers
 * nor the database's connections. */
gputune_status gt_call_begin(gt_call *out, gputune *tuner, const char *function);
/* Ends a call, if the call has begun. */
void gt_call_end(gt_call *call);

/* Begins no call any more, cancels those inside, and waits for their end. EINVAL: closed already;
 * EBUSY: called from a callback of one; EUNSUPPORTED: in a forked child. */
gputune_status gt_calls_close(gt_calls *calls);
